"""Settings of the JobSet operator."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Tag

from components.jobset import ExternalJobSet, JobSetOperatorSpec
from components.validation.one_of import OneOf


def _mode(settings: object) -> str | None:
    """The tag of the settings, by the key `mode`."""
    if isinstance(settings, ExternalJobSet):
        return settings.mode
    return settings.get("mode", "managed") if isinstance(settings, Mapping) else "managed"


JobSetSettings = Annotated[
    Annotated[JobSetOperatorSpec, Tag("managed")] | Annotated[ExternalJobSet, Tag("external")], OneOf("mode", _mode)
]
"""JobSet is installed by this stack, or by another owner (`external`)."""

"""The operators of a stack: who installs JobSet."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Tag

from components.jobset import ExternalJobSet, JobSetOperatorSpec
from components.validation.one_of import OneOf


def _mode(settings: object) -> str | None:
    """Who installs it, by the key `mode`."""
    if isinstance(settings, ExternalJobSet):
        return settings.mode
    return settings.get("mode", "managed") if isinstance(settings, Mapping) else "managed"


JobSetSettings = Annotated[
    Annotated[JobSetOperatorSpec, Tag("managed")] | Annotated[ExternalJobSet, Tag("external")], OneOf("mode", _mode)
]
"""Who installs JobSet: this stack, or `external`, someone else."""

"""A registry as the names of images begin with it."""

import re
from typing import Annotated

from pydantic import AfterValidator

from ..validation.errors import rule_error, yaml_repr


def _registry(value: str) -> str:
    meant = re.sub(r"^[a-z][a-z0-9+.-]*://", "", value, flags=re.IGNORECASE).strip("/")
    if value != meant or not meant:
        message = f"{yaml_repr(value)} is no registry: names of images have no scheme, and one slash behind it."
        fix = f'Write "{meant}".' if meant else 'Write a host, and a path if there is one: "mirror.example.com/ghcr".'
        raise rule_error("REG-01", message, fix)
    return value


Registry = Annotated[str, AfterValidator(_registry)]
"""A host, with a port or a path if need be: `ghcr.io`, `localhost:5000`, `mirror.example.com/ghcr`."""

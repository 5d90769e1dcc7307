"""Image registries."""

import re
from typing import Annotated

from pydantic import AfterValidator

from ..validation.errors import rule_error, yaml_repr


def _registry(value: str) -> str:
    meant = re.sub(r"^[a-z][a-z0-9+.-]*://", "", value, flags=re.IGNORECASE).strip("/")
    if value != meant or not meant:
        message = f"{yaml_repr(value)} is not a valid registry: it must have no scheme and no slash at either end."
        fix = f'Write "{meant}".' if meant else 'Write a host, with a path if needed: "mirror.example.com/ghcr".'
        raise rule_error("REG-01", message, fix)
    return value


Registry = Annotated[str, AfterValidator(_registry)]
"""Registry host, with an optional port and path: `ghcr.io`, `localhost:5000`, `mirror.example.com/ghcr`."""

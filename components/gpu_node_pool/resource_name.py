"""Names of the resources that a device plugin reports."""

import re
from typing import Annotated

from pydantic import AfterValidator

from ..validation.errors import rule_error, yaml_repr

RESOURCE_NAME_HINT = "Use the device plugin's name, a domain and a name: `nvidia.com/gpu`, `rdma/shared_ib`."


def is_resource_name(name: str) -> bool:
    """Whether a name is valid for a resource of a device plugin."""
    return re.fullmatch(r"[a-z0-9.-]+/[A-Za-z0-9._-]+", name) is not None


def _resource(name: str) -> str:
    if not is_resource_name(name):
        raise rule_error("POOL-13", f"{yaml_repr(name)} is not a valid name of a node resource.", RESOURCE_NAME_HINT)
    return name


ResourceName = Annotated[str, AfterValidator(_resource)]
"""A resource of a device plugin: `nvidia.com/gpu`, `rdma/shared_ib`."""

"""Names of what a device plugin counts on a node."""

import re
from typing import Annotated

from pydantic import AfterValidator

from ..validation.errors import rule_error, yaml_repr

RESOURCE_NAME_HINT = "Write it as the device plugin does, a domain and a name: `nvidia.com/gpu`, `rdma/shared_ib`."


def is_resource_name(name: str) -> bool:
    """Whether a device plugin could offer a resource of that name."""
    return re.fullmatch(r"[a-z0-9.-]+/[A-Za-z0-9._-]+", name) is not None


def _resource(name: str) -> str:
    if not is_resource_name(name):
        raise rule_error("POOL-13", f"{yaml_repr(name)} is no name of a resource of nodes.", RESOURCE_NAME_HINT)
    return name


ResourceName = Annotated[str, AfterValidator(_resource)]
"""A resource that a device plugin offers: `nvidia.com/gpu`, `rdma/shared_ib`."""

"""Names of what a device plugin counts on a node."""

import re
from typing import Annotated

from pydantic import AfterValidator

from ..validation.errors import refuse, shown

NO_RESOURCE_NAME = "POOL-13"

AS_ITS_PLUGIN = "Write it as the device plugin does, a domain and a name: `nvidia.com/gpu`, `rdma/shared_ib`."


def is_resource_name(name: str) -> bool:
    """Whether a device plugin could offer a resource of that name."""
    return re.fullmatch(r"[a-z0-9.-]+/[A-Za-z0-9._-]+", name) is not None


def _resource(name: str) -> str:
    if not is_resource_name(name):
        raise refuse(NO_RESOURCE_NAME, f"{shown(name)} is no name of a resource of nodes.", AS_ITS_PLUGIN)
    return name


ResourceName = Annotated[str, AfterValidator(_resource)]
"""A resource that a device plugin offers: `nvidia.com/gpu`, `rdma/shared_ib`."""

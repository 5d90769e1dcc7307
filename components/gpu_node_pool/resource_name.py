"""Names of what a device plugin counts on a node."""

import re
from typing import Annotated

from pydantic import AfterValidator

from ..runtimes.refusal import refuse, shown

_RESOURCE = r"[a-z0-9.-]+/[A-Za-z0-9._-]+"


def _resource(name: str) -> str:
    if not re.fullmatch(_RESOURCE, name):
        fix = "Write it as the device plugin does, a domain and a name: `nvidia.com/gpu`, `rdma/shared_ib`."
        raise refuse("POOL-13", f"{shown(name)} is no name of a resource of nodes.", fix)
    return name


ResourceName = Annotated[str, AfterValidator(_resource)]
"""A resource that a device plugin offers: `nvidia.com/gpu`, `rdma/shared_ib`."""

"""Who deploys, and where: what components need to know to tell their own things from those of others."""

from dataclasses import dataclass

from .cluster_access import ClusterAccess


@dataclass(frozen=True)
class Tenancy:
    """A stack on a cluster."""

    access: ClusterAccess
    """The cluster's API."""

    owner: str
    """Name of the stack, `<project>/<stack>`: the mark on what it makes."""

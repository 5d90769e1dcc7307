"""A GPU node pool of GKE: its spec and its checks."""

from collections.abc import Iterator

from ...validation.violation import Violation
from .checks import check_gke_pool
from .spec import GkeSpec


class GkePool(GkeSpec):
    """Nodes of Google Kubernetes Engine (pulumi-gcp `container.NodePool`).

    GKE installs the device plugin. Rules: `check_gke_pool`.
    """

    def violations(self) -> Iterator[Violation]:
        """Adds the checks of GKE."""
        yield from super().violations()
        yield from self.upgrade.violations()
        yield from check_gke_pool(self)

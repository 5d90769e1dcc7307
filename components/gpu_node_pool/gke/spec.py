"""A GPU node pool of GKE: the spec."""

from collections.abc import Iterator

from ...validation.finding import Finding
from .checks import check_gke_pool
from .fields import GkePoolFields


class GkePool(GkePoolFields):
    """Nodes of Google Kubernetes Engine (pulumi-gcp `container.NodePool`).

    GKE itself brings the device plugin. Rules: `check_gke_pool`.
    """

    def findings(self) -> Iterator[Finding]:
        """Also what is GKE's."""
        yield from super().findings()
        yield from self.upgrade.findings()
        yield from check_gke_pool(self)

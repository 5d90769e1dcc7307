"""A GPU node pool of AKS: the spec."""

from collections.abc import Iterator

from ...validation.finding import Finding
from .checks import check_aks_pool
from .fields import AksPoolFields


class AksPool(AksPoolFields):
    """Nodes of Azure Kubernetes Service (pulumi-azure-native `containerservice.AgentPool`).

    AKS brings the driver, and this component the device plugin. Rules: `check_aks_pool`.
    """

    def findings(self) -> Iterator[Finding]:
        """Also what is AKS'."""
        yield from super().findings()
        yield from self.upgrade.findings()
        yield from check_aks_pool(self)

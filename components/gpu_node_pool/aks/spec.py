"""A GPU node pool of AKS: the spec."""

from collections.abc import Iterator

from ...validation.finding import Finding
from .checks import aks_findings
from .fields import AksPoolFields


class AksPool(AksPoolFields):
    """Nodes of Azure Kubernetes Service (pulumi-azure-native `containerservice.AgentPool`).

    AKS brings the driver, and this component the device plugin. Rules: `aks_findings`.
    """

    def findings(self) -> Iterator[Finding]:
        """Also what is AKS'."""
        yield from super().findings()
        yield from self.upgrade.findings()
        yield from aks_findings(self)

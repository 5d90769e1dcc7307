"""A GPU node pool of AKS: its spec and its checks."""

from collections.abc import Iterator

from ...validation.violation import Violation
from .checks import check_aks_pool
from .spec import AksSpec


class AksPool(AksSpec):
    """Nodes of Azure Kubernetes Service (pulumi-azure-native `containerservice.AgentPool`).

    AKS installs the driver, and this component the device plugin. Rules: `check_aks_pool`.
    """

    def violations(self) -> Iterator[Violation]:
        """Adds the checks of AKS."""
        yield from super().violations()
        yield from self.upgrade.violations()
        yield from check_aks_pool(self)

"""CPU and memory of a GKE or AKS node that pods can use, after the cloud's reservations.

The values are upper bounds: they start from the machine's nominal memory, of which the kernel uses some.
"""

from fractions import Fraction

from ..k8s.base import Quantity

MIB_PER_GIB = 1024

# GKE docs, "Plan GKE Standard node sizes", memory and CPU reservations: share of each further slice, from the first.
_GKE_MEMORY_GIB = ((4, "0.25"), (4, "0.20"), (8, "0.10"), (112, "0.06"), (None, "0.02"))
_GKE_CPUS = ((1, "0.06"), (1, "0.01"), (2, "0.005"), (None, "0.0025"))
_GKE_EVICTION_MIB = 100


def gke_cpus_for_pods(cpus: int | None) -> Quantity | None:
    """CPUs of a GKE node that pods can use."""
    return None if cpus is None else f"{int(1000 * (cpus - _tiered_reservation(Fraction(cpus), _GKE_CPUS)))}m"


def gke_memory_for_pods(gib: float | None) -> Quantity | None:
    """Memory of a GKE node that pods can use."""
    if gib is None:
        return None
    memory = Fraction(gib)
    return f"{int(MIB_PER_GIB * (memory - _tiered_reservation(memory, _GKE_MEMORY_GIB))) - _GKE_EVICTION_MIB}Mi"


def aks_cpus_for_pods(cpus: int | None) -> Quantity | None:
    """CPUs of an AKS node with 4 CPUs or more that pods can use. AKS docs, "Node resource reservations": the table ends
    at 64 CPUs; from 4 on it grows by 10 millicores per CPU, which is extrapolated."""
    return None if cpus is None else f"{1000 * cpus - (100 + 10 * cpus)}m"


def aks_memory_for_pods(gib: float | None, max_pods: int) -> Quantity | None:
    """Memory of an AKS node (Kubernetes 1.29 and newer) that pods can use. Source: the same page."""
    if gib is None:
        return None
    megabyte = Fraction(1000**2, 1024**2)
    memory = MIB_PER_GIB * Fraction(gib)
    kubelet = min((20 * max_pods + 50) * megabyte, memory / 4)
    return f"{int(memory - kubelet) - 100}Mi"


def _tiered_reservation(amount: Fraction, slices: tuple[tuple[int | None, str], ...]) -> Fraction:
    reserved = Fraction(0)
    for size, share in slices:
        taken = amount if size is None else min(amount, Fraction(size))
        reserved += taken * Fraction(share)
        amount -= taken
    return reserved

"""Labels that a node may not have from a pool's spec."""

from collections.abc import Iterable, Iterator

from ..validation.violation import Violation

KUBERNETES_DOMAINS = ("kubernetes.io", "k8s.io")
"""Whose labels a node may not give itself: Kubernetes, admission plugin NodeRestriction."""

ALLOWED_DOMAINS = ("kubelet.kubernetes.io", "node.kubernetes.io")
"""What NodeRestriction lets through of them."""


HOSTNAME = "kubernetes.io/hostname"
"""Each node's own."""


def reserved_labels(labels: Iterable[str], domains: tuple[str, ...]) -> Iterator[Violation]:
    """Labels of these domains, but for those that every node may have."""
    for key in labels:
        domain = key.partition("/")[0] if "/" in key else ""
        if key == HOSTNAME or (_within(domain, domains) and not _within(domain, ALLOWED_DOMAINS)):
            message = f"the label {key} is not for pools to set: a node with it is refused."
            yield Violation("POOL-12", f"labels[{key}]", message, "Take a prefix of your own domain.")


def _within(domain: str, domains: tuple[str, ...]) -> bool:
    return any(domain == each or domain.endswith(f".{each}") for each in domains)

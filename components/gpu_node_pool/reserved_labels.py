"""Labels that a pool's spec cannot set on nodes."""

from collections.abc import Iterable, Iterator

from ..validation.violation import Violation

KUBERNETES_DOMAINS = ("kubernetes.io", "k8s.io")
"""Domains whose labels a kubelet cannot set on its node: Kubernetes, admission plugin NodeRestriction."""

ALLOWED_DOMAINS = ("kubelet.kubernetes.io", "node.kubernetes.io")
"""Exceptions of NodeRestriction."""


HOSTNAME = "kubernetes.io/hostname"
"""The label that is different on every node."""


def reserved_labels(labels: Iterable[str], domains: tuple[str, ...]) -> Iterator[Violation]:
    """The labels in these domains, except those that any node may have."""
    for key in labels:
        domain = key.partition("/")[0] if "/" in key else ""
        if key == HOSTNAME or (_within(domain, domains) and not _within(domain, ALLOWED_DOMAINS)):
            message = f"Label {key} is reserved: a node with it is rejected."
            yield Violation("POOL-12", f"labels[{key}]", message, "Use a prefix of your own domain.")


def _within(domain: str, domains: tuple[str, ...]) -> bool:
    return any(domain == each or domain.endswith(f".{each}") for each in domains)

"""Labels that a pool cannot set on its nodes."""

import pytest

from components.gpu_node_pool.reserved_labels import KUBERNETES_DOMAINS, reserved_labels


@pytest.mark.parametrize(
    "label", ["kubernetes.io/os", "topology.kubernetes.io/zone", "k8s.io/a", "node-role.kubernetes.io/gpu"]
)
def test_label_in_a_domain_of_kubernetes_is_rejected(label: str) -> None:
    (violation,) = reserved_labels([label], KUBERNETES_DOMAINS)
    assert (violation.rule, violation.path, violation.message, violation.fix) == (
        "POOL-12",
        f"labels[{label}]",
        f"Label {label} is reserved: a node with it is rejected.",
        "Use a prefix of your own domain.",
    )
    assert [*reserved_labels([label], ("example.com",))] == []


@pytest.mark.parametrize(
    "label",
    [
        "node.kubernetes.io/instance-type",
        "a.kubelet.kubernetes.io/b",
        "mykubernetes.io/a",
        "kubernetes.io.example.com/a",
        "k8s.io",
        "team",
    ],
)
def test_label_that_a_kubelet_may_set_is_accepted(label: str) -> None:
    assert [*reserved_labels([label], KUBERNETES_DOMAINS)] == []


def test_hostname_is_rejected_whatever_the_domains_are() -> None:
    found = reserved_labels(["a", "kubernetes.io/hostname"], ())
    assert [violation.path for violation in found] == ["labels[kubernetes.io/hostname]"]

"""Taints as Kubernetes and the clouds write them, and lists of them."""

import pytest

from components.gpu_node_pool.taint import GPU_TAINT, Taint, check_taints
from components.k8s.scheduling import Toleration


def test_taint_has_the_formats_of_kubectl_and_clouds() -> None:
    assert [str(GPU_TAINT), GPU_TAINT.cloud_effect] == ["nvidia.com/gpu=present:NoSchedule", "NO_SCHEDULE"]
    taint = Taint(key="a", effect="PreferNoSchedule")
    assert [str(taint), taint.cloud_effect] == ["a:PreferNoSchedule", "PREFER_NO_SCHEDULE"]
    assert Taint(key="a", effect="NoExecute").cloud_effect == "NO_EXECUTE"


@pytest.mark.parametrize(
    ("taint", "toleration"),
    [
        (
            Taint(key="a", value="b", effect="NoSchedule"),
            Toleration(key="a", operator="Equal", value="b", effect="NoSchedule"),
        ),
        (Taint(key="a", effect="NoExecute"), Toleration(key="a", operator="Exists", effect="NoExecute")),
        (GPU_TAINT, Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule")),
    ],
    ids=["value", "no value", "GPU taint"],
)
def test_pods_tolerate_a_taint_by_its_value_except_the_gpu_taint(taint: Taint, toleration: Toleration) -> None:
    assert taint.toleration == toleration


def found(*taints: Taint, own: tuple[Taint, ...] = ()) -> list[tuple[str, str]]:
    return [(violation.rule, violation.path) for violation in check_taints("taints", taints, own)]


def test_taints_with_another_key_or_effect_are_accepted() -> None:
    taints = [Taint(key=key, effect=effect) for key in "ab" for effect in ("NoSchedule", "NoExecute")]
    assert found(*taints, own=(GPU_TAINT,)) == []


def test_invalid_keys_and_values_are_rejected() -> None:
    assert found(Taint(key="a b", value="c d", effect="NoSchedule"), Taint(key="a", value="", effect="NoSchedule")) == [
        ("POOL-14", "taints[0].key"),
        ("POOL-14", "taints[0].value"),
    ]


def test_duplicate_is_reported_with_where_it_was_first() -> None:
    first, again = Taint(key="a", effect="NoSchedule"), Taint(key="a", value="b", effect="NoSchedule")
    (violation,) = check_taints("taints", [GPU_TAINT, first, again])
    assert (violation.rule, violation.path) == ("POOL-05", "taints[2]")
    assert violation.message.startswith("Duplicate taint a=b:NoSchedule: first at [1], ")
    (violation,) = check_taints("taints", [GPU_TAINT], [GPU_TAINT])
    assert violation.message.startswith("Duplicate taint nvidia.com/gpu=present:NoSchedule: the pool always has it, ")

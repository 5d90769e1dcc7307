"""What pools of all clouds have in common, on GKE's spec."""

from typing import Any

import pulumi
import pytest
from pydantic import ValidationError

from components.gpu_node_pool.gke.pool import GkePool
from components.gpu_node_pool.machines import Machine
from components.k8s.grammars import LABEL_VALUE, QUALIFIED_NAME

from .assertions import refusals

POOL: dict[str, Any] = {
    "provider": "gke",
    "cluster": "train",
    "location": "us-central1",
    "zones": ["us-central1-a"],
    "machineType": "a2-highgpu-8g",
    "size": {"max": 4},
}


def pool(**changed: Any) -> GkePool:
    return GkePool.model_validate({**POOL, **changed})


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        (
            {"labels": {"training-platform/node-pool": "x"}},
            (
                "POOL-01",
                ("labels", "training-platform/node-pool"),
                "Label training-platform/node-pool is reserved for the pool's name.",
                "Remove it.",
            ),
        ),
        (
            {"labels": {"node-role.kubernetes.io/gpu": ""}},
            (
                "POOL-12",
                ("labels", "node-role.kubernetes.io/gpu"),
                "Label node-role.kubernetes.io/gpu is reserved: a node with it is rejected.",
                "Use a prefix of your own domain.",
            ),
        ),
        (
            {"size": {"min": 5, "max": 4}},
            ("POOL-03", ("size", "min"), "min is 5, more than max, which is 4.", "Set 4 or less, or raise max."),
        ),
        (
            {"size": {"min": 1, "max": 4, "desired": 0}},
            (
                "POOL-03",
                ("size", "desired"),
                "desired is 0, but the pool has 1 to 4 nodes.",
                "Set 1 to 4, or remove it.",
            ),
        ),
        (
            {"size": {"max": 4, "desired": 5}},
            (
                "POOL-03",
                ("size", "desired"),
                "desired is 5, but the pool has 0 to 4 nodes.",
                "Set 0 to 4, or remove it.",
            ),
        ),
        (
            {"machineType": "n2-standard-8"},
            (
                "POOL-04",
                ("machineType",),
                "n2-standard-8 has no GPUs.",
                "Use a machine type with NVIDIA GPUs.",
            ),
        ),
        (
            {"machineSpec": {"gpus": 4}},
            (
                "POOL-04",
                ("machineSpec", "gpus"),
                "gpus is 4, but a2-highgpu-8g has 8.",
                "Remove `gpus`, or use another machine type.",
            ),
        ),
        (
            {"extraTaints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}]},
            (
                "POOL-05",
                ("extraTaints", 0),
                "Duplicate taint nvidia.com/gpu=true:NoSchedule: the pool always has it, and a node can "
                "have only one with the same key and effect.",
                "Remove it.",
            ),
        ),
        (
            {"extraTaints": [{"key": "a", "effect": "NoSchedule"}, {"key": "a", "value": "b", "effect": "NoSchedule"}]},
            (
                "POOL-05",
                ("extraTaints", 1),
                "Duplicate taint a=b:NoSchedule: first at [0], and a node can have only one with the same key "
                "and effect.",
                "Remove it.",
            ),
        ),
        (
            {"extraTaints": [{"key": "team a", "value": "ml", "effect": "NoSchedule"}]},
            (
                "POOL-14",
                ("extraTaints", 0, "key"),
                f"'team a' is not a valid taint key: it must be {QUALIFIED_NAME}.",
                "Rename the taint.",
            ),
        ),
        (
            {"extraTaints": [{"key": "team", "value": "a/b", "effect": "NoSchedule"}]},
            (
                "POOL-14",
                ("extraTaints", 0, "value"),
                f"'a/b' is not a valid taint value: it must be {LABEL_VALUE}.",
                "Change the value.",
            ),
        ),
        (
            {"labels": {"team a": "ml"}},
            (
                "POOL-07",
                ("labels", "team a"),
                f"'team a' is not a valid label key: it must be {QUALIFIED_NAME}.",
                "Rename the label.",
            ),
        ),
        (
            {"labels": {"team": "a/b"}},
            (
                "POOL-07",
                ("labels", "team"),
                f"'a/b' is not a valid label value: it must be {LABEL_VALUE}.",
                "Change the value.",
            ),
        ),
        (
            {"diskGib": 99},
            (
                "POOL-06",
                ("diskGib",),
                "A disk of 99 GiB soon fills up with GPU images, and pods are evicted.",
                "Set 100 or more.",
            ),
        ),
        (
            {"upgrade": {"maxUnavailable": 0}},
            (
                "POOL-08",
                ("upgrade", "maxUnavailable"),
                "maxSurge and maxUnavailable are both 0, so no node could be upgraded.",
                "Set it to 1, which needs no spare GPUs.",
            ),
        ),
        ({"cluster": ""}, ("POOL-09", ("cluster",), "The value is empty.", "Set it, or remove the key.")),
        (
            {"gpuResource": "amd.com/gpu"},
            (
                "POOL-11",
                ("gpuResource",),
                "The cloud's machines have whole GPUs, nvidia.com/gpu, not amd.com/gpu.",
                "Remove it, or use a pool of provider `existing`.",
            ),
        ),
    ],
)
def test_mistake_is_reported_with_its_fix(changed: dict[str, Any], refusal: Any) -> None:
    assert refusals(GkePool, {**POOL, **changed}) == [refusal]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"labels": {"team": "ml", "example.com/tier": ""}},
        {"labels": {"node.kubernetes.io/tier": "gpu", "mykubernetes.io/a": "b", "kubernetes.azure.com/a": "b"}},
        {"size": {"min": 4, "max": 4}},
        {"size": {"min": 1, "max": 4, "desired": 1}},
        {"size": {"max": 4, "desired": 4}},
        {"machineType": "n2-standard-8", "machineSpec": {"gpus": 1, "accelerator": "nvidia-l4"}},
        {"machineSpec": {"gpus": 8}},
        {"extraTaints": [{"key": "nvidia.com/gpu", "effect": "NoExecute"}]},
        {"extraTaints": [{"key": "a", "effect": "NoSchedule"}, {"key": "a", "effect": "NoExecute"}]},
        {"extraTaints": [{"key": "example.com/team", "value": "", "effect": "NoSchedule"}]},
        {"diskGib": 100},
        {"upgrade": {"maxSurge": 1, "maxUnavailable": 0}},
        {"cluster": pulumi.Output.from_input("train")},
    ],
)
def test_similar_valid_spec_has_no_violations(changed: dict[str, Any]) -> None:
    assert pool(**changed).check() == ()


@pytest.mark.parametrize(
    ("changed", "location", "kind"),
    [
        ({"size": {"max": 0}}, ("size", "max"), "greater_than_equal"),
        ({"timeoutMinutes": 59}, ("timeoutMinutes",), "greater_than_equal"),
        ({"driver": "gpu-operator"}, ("driver",), "literal_error"),
        ({"capacity": {"kind": "capacity-block"}}, ("capacity",), "union_tag_invalid"),
        (
            {"capacity": {"kind": "flex-start", "maxRunHours": 169}},
            ("capacity", "maxRunHours"),
            "less_than_equal",
        ),
        ({"network": {"kind": "efa"}}, ("network",), "union_tag_invalid"),
        ({"cluster": 1}, ("cluster",), "refusal"),
        ({"nodeCount": 4}, ("nodeCount",), "extra_forbidden"),
    ],
)
def test_invalid_values_are_rejected(changed: dict[str, Any], location: tuple[str, ...], kind: str) -> None:
    with pytest.raises(ValidationError) as refused:
        pool(**changed)
    assert [(details["loc"], details["type"]) for details in refused.value.errors()] == [(location, kind)]


def test_all_violations_are_reported_together() -> None:
    with pytest.raises(ValidationError) as refused:
        pool(size={"min": 5, "max": 4}, diskGib=20, zones=[], nodeCount=4)
    found = [(details["loc"], details.get("ctx", {}).get("rule")) for details in refused.value.errors()]
    assert found == [
        (("nodeCount",), None),
        (("size", "min"), "POOL-03"),
        (("diskGib",), "POOL-06"),
        (("zones",), "GKE-01"),
    ]


@pytest.mark.parametrize(
    ("driver", "labels"),
    [("cloud", {"nvidia.com/gpu.deploy.operands": "false"}), ("none", {})],
)
def test_gpu_operator_label_is_set_if_the_cloud_installs_the_driver(driver: str, labels: dict[str, str]) -> None:
    assert pool(driver=driver).node_labels("gpu") == {**labels, "training-platform/node-pool": "gpu"}
    own = {"nvidia.com/gpu.deploy.operands": "true"}
    assert pool(driver=driver, labels=own).node_labels("gpu") == {**own, "training-platform/node-pool": "gpu"}


def test_machine_spec_completes_the_table() -> None:
    machine = pool(machineType="a4x-highgpu-4g", machineSpec={"gpus": 4, "cpus": 140, "memoryGib": 884.5}).machine
    assert (machine.gpus, machine.cpus, machine.memory_gib, machine.arch) == (4, 140, 884.5, "arm64")


def test_machine_spec_describes_an_unknown_machine_type() -> None:
    spec = Machine(gpus=2, accelerator="nvidia-x")
    assert pool(machineType="x1-2g", machineSpec=spec).machine == spec

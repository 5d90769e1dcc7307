"""What a pool's spec means: labels, taints, placement, Node objects, patches. No Pulumi runs here."""

from typing import Any

import pytest
from pydantic import ValidationError

from components.gpu_node_pool.existing.pool import ExistingPool
from components.gpu_node_pool.simulated.spec import SimulatedPool
from components.validation.invalid import InvalidSpecError
from components.validation.violation import Severity

from .assertions import refusals

SIMULATED: dict[str, Any] = {"provider": "simulated", "nodes": 4, "gpusPerNode": 8}
EXISTING: dict[str, Any] = {"provider": "existing", "nodes": ["a", "b.example.com"], "gpusPerNode": 4}
GPU_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def wire(spec: SimulatedPool | ExistingPool) -> dict[str, Any]:
    return spec.placement("gpu").model_dump(mode="json", by_alias=True, exclude_none=True)


def test_placement_has_the_pool_label_and_tolerates_its_taint() -> None:
    assert wire(SimulatedPool.model_validate(SIMULATED)) == {
        "nodeSelector": {"training-platform/node-pool": "gpu"},
        "tolerations": [GPU_TOLERATION],
        "gpuResource": "nvidia.com/gpu",
        "gpusPerNode": 8,
        "cpuPerNode": "64",
        "memoryPerNode": "512Gi",
        "maxNodes": 4,
    }


def test_pool_label_is_the_same_on_every_provider() -> None:
    assert wire(ExistingPool.model_validate(EXISTING)) == {
        "nodeSelector": {"training-platform/node-pool": "gpu"},
        "tolerations": [GPU_TOLERATION],
        "gpuResource": "nvidia.com/gpu",
        "gpusPerNode": 4,
        "maxNodes": 2,
    }


def test_placement_has_the_gpu_resource_of_the_pool() -> None:
    assert (
        wire(SimulatedPool.model_validate({**SIMULATED, "gpuResource": "amd.com/gpu"}))["gpuResource"] == "amd.com/gpu"
    )


@pytest.mark.parametrize(
    ("changed", "location", "kind"),
    [
        ({"nodes": 0}, ("nodes",), "greater_than_equal"),
        ({"nodes": 1001}, ("nodes",), "less_than_equal"),
        ({"nodes": "4"}, ("nodes",), "int_type"),
        ({"gpusPerNode": 0}, ("gpusPerNode",), "greater_than_equal"),
        ({"gpuResource": "gpu"}, ("gpuResource",), "refusal"),
        ({"pods": 0}, ("pods",), "greater_than_equal"),
        ({"size": 4}, ("size",), "extra_forbidden"),
        ({"labels": {"training-platform/node-pool": "x"}}, ("labels", "training-platform/node-pool"), "refusal"),
        ({"labels": {"a/b/c": "x"}}, ("labels", "a/b/c"), "refusal"),
        ({"labels": {"team": "a b"}}, ("labels", "team"), "refusal"),
    ],
)
def test_a_wrong_simulated_pool_is_refused(changed: dict[str, Any], location: tuple[str, ...], kind: str) -> None:
    with pytest.raises(ValidationError) as refused:
        SimulatedPool.model_validate({**SIMULATED, **changed})
    assert [(details["loc"], details["type"]) for details in refused.value.errors()] == [(location, kind)]


def test_unknown_keys_and_violations_are_reported_together() -> None:
    with pytest.raises(ValidationError) as refused:
        ExistingPool.model_validate(
            {**EXISTING, "nodes": [], "size": 4, "labels": {"training-platform/node-pool": "x"}}
        )
    assert [(details["loc"], details["type"]) for details in refused.value.errors()] == [
        (("size",), "extra_forbidden"),
        (("labels", "training-platform/node-pool"), "refusal"),
        (("nodes",), "refusal"),
    ]


def test_the_name_of_a_pool_is_a_dns_label() -> None:
    with pytest.raises(InvalidSpecError) as error:
        SimulatedPool.model_validate(SIMULATED).placement("GPU pool")
    assert str(error.value) == (
        "SimulatedPool.placement is invalid:\n"
        '  pool: "GPU pool" is not a valid name in Kubernetes. Fix: Use at most 63 lowercase letters, digits and '
        "hyphens, beginning and ending with a letter or digit. [NAME-01]"
    )


def test_invalid_taints_of_existing_nodes_are_reported_at_their_key() -> None:
    twice = [{"key": "a", "effect": "NoSchedule"}, {"key": "a", "value": "b c", "effect": "NoSchedule"}]
    assert refusals(ExistingPool, {**EXISTING, "taints": twice}) == [
        (
            "POOL-14",
            ("taints", 1, "value"),
            "'b c' is not a valid taint value: it must be empty, or at most 63 letters, digits, '-', '_' or '.', "
            "beginning and ending with a letter or digit.",
            "Change the value.",
        ),
        (
            "POOL-05",
            ("taints", 1),
            "Duplicate taint a=b c:NoSchedule: first at [0], "
            "and a node can have only one with the same key and effect.",
            "Remove it.",
        ),
    ]


def test_hostname_label_is_rejected_and_other_labels_of_existing_nodes_are_accepted() -> None:
    found = refusals(SimulatedPool, {**SIMULATED, "labels": {"kubernetes.io/hostname": "a"}})
    assert [(rule, place) for rule, place, *_ in found] == [("POOL-12", ("labels", "kubernetes.io/hostname"))]
    kept = {"node-role.kubernetes.io/gpu": "", "topology.kubernetes.io/zone": "a"}
    assert ExistingPool.model_validate({**EXISTING, "labels": kept}).check() == ()


def test_message_explains_resource_names() -> None:
    assert refusals(SimulatedPool, {**SIMULATED, "gpuResource": "gpu"}) == [
        (
            "POOL-13",
            ("gpuResource",),
            '"gpu" is not a valid name of a node resource.',
            "Use the device plugin's name, a domain and a name: `nvidia.com/gpu`, `rdma/shared_ib`.",
        )
    ]


def test_mig_resource_is_a_warning() -> None:
    warned = ExistingPool.model_validate({**EXISTING, "gpuResource": "nvidia.com/mig-1g.5gb"}).check()
    assert [(found.rule, found.severity, found.path, found.message) for found in warned] == [
        (
            "POOL-10",
            Severity.WARNING,
            "gpuResource",
            "Trainer does not count nvidia.com/mig-1g.5gb, so torch starts one process per CPU.",
        )
    ]
    assert ExistingPool.model_validate(EXISTING).check() == ()

"""The layers of a stack: which, in which order, on which cluster, under which names."""

from typing import Any

import pulumi
import pytest

from ..conftest import CLUSTER_ID
from ..monitor import STACK_URN, Monitor
from ..stack_deployment import INSIDE, JOBSET, PREFIX, RUNTIMES, TRAINER, TYPES, deployed

PLATFORM = f"{PREFIX}training-platform:index:TrainingPlatform::platform"
STASH = f"{INSIDE}pulumi:index:Stash::platform-identity"
CLUSTER = f"{INSIDE}pulumi:providers:kubernetes::platform-cluster"
OPERATORS = f"{INSIDE}pulumi:providers:kubernetes::platform-operators"
RUNTIMES_PROVIDER = f"{INSIDE}pulumi:providers:kubernetes::platform-runtimes"

POOLS = [
    f"{TYPES}:GpuNodePool$kubernetes:core/v1:Node::gpu-0",
    f"{TYPES}:GpuNodePool$kubernetes:core/v1:Node::gpu-1",
    f"{TYPES}:GpuNodePool$kubernetes:core/v1:NodePatch::old-a",
    f"{TYPES}:GpuNodePool$kubernetes:core/v1:NodePatch::old-a/taint",
    f"{TYPES}:GpuNodePool$kubernetes:core/v1:NodePatch::old-b",
    f"{TYPES}:GpuNodePool$kubernetes:core/v1:NodePatch::old-b/taint",
]
GATE = f"{TYPES}:TrainingGate$kubernetes:core/v1:ConfigMap::platform-gate"
COMPONENTS = [
    f"{TYPES}:GpuNodePool::gpu",
    f"{TYPES}:GpuNodePool::old",
    f"{TYPES}:JobSet::platform-jobset",
    f"{TYPES}:KubeflowTrainer::platform-trainer",
    f"{TYPES}:TrainingRuntimes::platform-runtimes",
    f"{TYPES}:TrainingGate::platform-gate",
]


def dependencies(monitor: Monitor, urn: str) -> list[str]:
    return sorted(monitor.registered[urn].dependencies)


def test_urns_are_stable() -> None:
    assert sorted(deployed().registered) == sorted(
        [
            PLATFORM,
            STASH,
            CLUSTER,
            OPERATORS,
            RUNTIMES_PROVIDER,
            *COMPONENTS,
            *POOLS,
            *JOBSET,
            *TRAINER,
            *RUNTIMES,
            GATE,
        ]
    )


def test_preview_declares_the_same_resources_as_up() -> None:
    preview, up = deployed(preview=True).registered, deployed().registered
    assert preview == up


def test_layers_depend_on_each_other_in_order() -> None:
    monitor = deployed()
    gpu, old, jobset, trainer, runtimes, gate = COMPONENTS
    assert dependencies(monitor, gpu) == []
    assert dependencies(monitor, old) == []
    assert dependencies(monitor, jobset) == sorted(POOLS)
    assert dependencies(monitor, trainer) == sorted([*POOLS, *JOBSET])
    assert dependencies(monitor, runtimes) == sorted([*POOLS, *JOBSET, *TRAINER])
    assert dependencies(monitor, gate) == sorted([*POOLS, *JOBSET, *TRAINER, *RUNTIMES])


@pytest.mark.parametrize(
    ("without", "before_runtimes"),
    [
        (["jobset"], [*POOLS, *TRAINER]),
        (["trainer"], [*POOLS, *JOBSET]),
        (["jobset", "trainer"], POOLS),
    ],
)
def test_absent_layer_is_not_a_dependency(without: list[str], before_runtimes: list[str]) -> None:
    assert dependencies(deployed(*without), COMPONENTS[-2]) == sorted(before_runtimes)


def test_layers_are_children_of_the_platform() -> None:
    monitor = deployed()
    assert {urn: monitor.registered[urn].parent for urn in COMPONENTS} == dict.fromkeys(COMPONENTS, PLATFORM)
    assert monitor.registered[PLATFORM].parent == STACK_URN


CONNECTION = {"kubeconfig": ".local/kubeconfig", "context": "local", "clusterIdentifier": CLUSTER_ID}


def test_all_resources_have_the_provider_of_the_named_cluster() -> None:
    monitor = deployed()
    connections = {urn: monitor.registered[urn].inputs for urn in (CLUSTER, OPERATORS, RUNTIMES_PROVIDER)}
    assert connections == {
        CLUSTER: CONNECTION,
        OPERATORS: {**CONNECTION, "upsertExistingObjects": "true"},
        RUNTIMES_PROVIDER: {**CONNECTION, "enableServerSideApply": "false"},
    }
    wanted = {
        **dict.fromkeys(POOLS, CLUSTER),
        **dict.fromkeys([*JOBSET, *TRAINER, GATE], OPERATORS),
        **dict.fromkeys(RUNTIMES, RUNTIMES_PROVIDER),
    }
    assert {urn: monitor.registered[urn].provider for urn in wanted} == wanted


def test_only_children_of_charts_have_transformed_options() -> None:
    for registered in deployed().registered.values():
        assert (registered.protect, registered.retain_on_delete, registered.aliases) == (False, False, ())
        assert len(registered.transforms) == (registered.type == "kubernetes:helm.sh/v4:Chart"), registered.urn


def test_external_jobset_is_not_installed() -> None:
    monitor = deployed(jobset={"mode": "external"})
    assert not monitor.of_type("training-platform:index:JobSet")
    assert [chart.name for chart in monitor.of_type("kubernetes:helm.sh/v4:Chart")] == ["platform-trainer"]
    assert monitor.registered[GATE].inputs["metadata"]["namespace"] == "kubeflow-system"


def test_namespaces_and_runtimes_have_hooks_for_creation_and_deletion() -> None:
    monitor = deployed()
    assert monitor.registered[JOBSET[0]].hooks == {
        "before_create": ["platform-jobset:preflight"],
        "before_update": ["platform-jobset:preflight"],
        "before_delete": ["platform-jobset:check-destroy"],
    }
    assert monitor.registered[TRAINER[0]].hooks == {
        "before_create": ["platform-trainer:preflight"],
        "before_update": ["platform-trainer:preflight"],
        "before_delete": ["platform-trainer:remove-finalizers", "platform-trainer:check-destroy"],
    }
    for runtime in RUNTIMES:
        assert monitor.registered[runtime].hooks == {
            "before_create": ["platform-runtimes:preflight"],
            "before_update": ["platform-runtimes:check-admission"],
            "before_delete": ["platform-runtimes:delete-blocked"],
        }


@pytest.mark.parametrize(
    "without", [[], ["runtimes"], ["trainer", "runtimes"], ["jobset"], ["jobset", "trainer", "runtimes"]], ids=str
)
def test_hooks_of_removed_layers_are_registered(without: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[str] = []
    register = pulumi.ResourceHook.__init__

    def noted(self: pulumi.ResourceHook, name: str, *arguments: Any) -> None:
        known.append(name)
        register(self, name, *arguments)

    monkeypatch.setattr(pulumi.ResourceHook, "__init__", noted)
    deployed(*without)
    assert {
        *(
            "platform-runtimes:delete-blocked",
            "platform-trainer:remove-finalizers",
            "platform-gate:own",
            "platform-gate:check-destroy",
        ),
        *(
            "platform-jobset:own",
            "platform-jobset:check-destroy",
            "platform-trainer:own",
            "platform-trainer:check-destroy",
        ),
    } <= {*known}
    assert len({*known}) == len(known)


def test_untested_versions_are_a_warning() -> None:
    monitor = deployed(jobset={"version": "0.13.0"})
    assert monitor.log.warnings == [
        (
            "",
            "1 warning about stacks/Pulumi.test.yaml.\n\n  jobset.version [VER-01]\n"
            "    Trainer 2.3.0 is built and tested with JobSet 0.12, not with 0.13.0.\n    Fix: Use JobSet 0.12.",
        )
    ]


def test_runtimes_are_bound_to_their_pools() -> None:
    monitor = deployed()
    bound: dict[str, Any] = {}
    for urn in RUNTIMES:
        registered = monitor.registered[urn]
        for job in registered.inputs["spec"]["template"]["spec"]["replicatedJobs"]:
            pod = job["template"]["spec"]["template"]["spec"]
            limits = pod["containers"][0]["resources"]["limits"]
            bound[f"{registered.inputs['metadata']['name']} {job['name']}"] = (pod["nodeSelector"], limits)
    gpu, old = {"training-platform/node-pool": "gpu"}, {"training-platform/node-pool": "old"}
    assert bound == {
        "deepspeed-distributed node": (gpu, {"nvidia.com/gpu": "8"}),
        "deepspeed-distributed launcher": (gpu, {"nvidia.com/gpu": "8"}),
        "mine node": (old, {"nvidia.com/gpu": "4"}),
        "mine launcher": (old, {"nvidia.com/gpu": "4"}),
    }


def test_validation_is_an_output_of_the_stack_and_the_last_layer() -> None:
    monitor = deployed(validation={"strict": True})
    (validation,) = monitor.of_type("training-platform:index:TrainingValidation")
    assert GATE in validation.dependencies
    reports = sorted(each.name for each in monitor.registered.values() if each.parent == validation.urn)
    assert reports == ["platform-validation:deepspeed-distributed", "platform-validation:mine"]
    assert "validation" in monitor.exports
    assert "validation" not in deployed().exports

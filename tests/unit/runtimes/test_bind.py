"""Placement: a pool's labels, taints and GPUs on the pods that need them, and on no other."""

from typing import Any

import pytest

from components.k8s.containers import Container, ResourceRequirements, VolumeMount
from components.k8s.invalid import InvalidRuntimeError
from components.k8s.scheduling import Toleration
from components.k8s.security import Capabilities, SecurityContext
from components.k8s.volumes import EmptyDirVolumeSource, HostPathVolumeSource, Volume
from components.runtimes.bind import bind_to_pool
from components.runtimes.catalog import deepspeed, torch, torch_with_cache, torchtune
from components.runtimes.editing import evolve, with_container, with_pod
from components.runtimes.placement import Placement, PodNetwork
from components.runtimes.runtime import ClusterTrainingRuntime
from components.validation.invalid import InvalidSpecError

TOLERATION = Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule")
POOL = Placement(node_selector={"pool.example.com/name": "h100"}, tolerations=(TOLERATION,), gpus_per_node=8)
TOLERATIONS = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
SPEC = "template.spec.template.spec"


def pods(runtime: ClusterTrainingRuntime) -> dict[str, dict[str, Any]]:
    jobs = runtime.to_manifest()["spec"]["template"]["spec"]["replicatedJobs"]
    return {job["name"]: job["template"]["spec"]["template"]["spec"] for job in jobs}


def limits(pod: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = pod["containers"][0].get("resources", {}).get("limits", {})
    return found


def test_placement_has_defaults_and_rejects_invalid_values() -> None:
    assert Placement(gpus_per_node=8).model_dump() == {
        "nodeSelector": {},
        "tolerations": (),
        "gpuResource": "nvidia.com/gpu",
        "gpusPerNode": 8,
        "cpuPerNode": None,
        "memoryPerNode": None,
        "maxNodes": None,
        "architecture": None,
        "network": None,
    }
    with pytest.raises(InvalidSpecError, match="gpus_per_node: -1 is not allowed"):
        Placement(gpus_per_node=-1)


def test_launcher_and_nodes_of_an_mpi_training_get_all_gpus_of_a_node() -> None:
    runtime = deepspeed()
    before = runtime.to_manifest()

    for pod in pods(bind_to_pool(runtime, POOL)).values():
        assert pod["nodeSelector"] == {"pool.example.com/name": "h100"}
        assert pod["tolerations"] == TOLERATIONS
        assert limits(pod) == {"nvidia.com/gpu": "8"}
    assert (
        pods(bind_to_pool(runtime, POOL))["launcher"]["initContainers"] == pods(runtime)["launcher"]["initContainers"]
    )
    assert runtime.to_manifest() == before


def test_launcher_that_is_not_a_node_is_not_bound() -> None:
    manifest = deepspeed().to_manifest()
    manifest["spec"]["mlPolicy"]["mpi"]["runLauncherAsNode"] = False
    runtime = ClusterTrainingRuntime.from_manifest(manifest)

    after = pods(bind_to_pool(runtime, POOL))

    assert after["node"]["nodeSelector"] == {"pool.example.com/name": "h100"}
    assert after["launcher"] == pods(runtime)["launcher"]


def test_initializers_are_bound_if_requested_and_get_no_gpus() -> None:
    runtime = torch_with_cache()

    nodes_only, all_jobs = pods(bind_to_pool(runtime, POOL)), pods(bind_to_pool(runtime, POOL, initializers=True))

    assert nodes_only["dataset-initializer"] == pods(runtime)["dataset-initializer"]
    assert all_jobs["dataset-initializer"]["nodeSelector"] == {"pool.example.com/name": "h100"}
    assert all_jobs["dataset-initializer"]["tolerations"] == TOLERATIONS
    assert limits(all_jobs["dataset-initializer"]) == {}
    assert nodes_only["node"] == all_jobs["node"]
    assert limits(all_jobs["node"]) == {"nvidia.com/gpu": "8"}


def test_every_job_that_requests_gpus_is_bound() -> None:
    manifest = torch().to_manifest()
    evaluation = {"containers": [{"name": "evaluate", "image": "registry.example.com/evaluate:1"}]}
    job = {"name": "evaluate", "template": {"spec": {"template": {"spec": evaluation}}}}
    manifest["spec"]["template"]["spec"]["replicatedJobs"].append(job)
    without = ClusterTrainingRuntime.from_manifest(manifest)
    asking = with_container(
        without, "evaluate", container="evaluate", resources=ResourceRequirements(limits={"nvidia.com/gpu": "1"})
    )

    assert "nodeSelector" not in pods(bind_to_pool(without, POOL))["evaluate"]
    assert pods(bind_to_pool(asking, POOL))["evaluate"]["nodeSelector"] == {"pool.example.com/name": "h100"}
    assert limits(pods(bind_to_pool(asking, POOL))["evaluate"]) == {"nvidia.com/gpu": "1"}


def test_existing_values_of_a_runtime_are_kept_and_completed() -> None:
    runtime = with_pod(
        torch(gpus_per_node=2, memory_per_node="64Gi"),
        node_selector={"zone": "a", "pool.example.com/name": "h100"},
        tolerations=(Toleration(key="spot", operator="Exists"), TOLERATION),
    )

    pod = pods(bind_to_pool(runtime, POOL))["node"]

    assert pod["nodeSelector"] == {"zone": "a", "pool.example.com/name": "h100"}
    assert pod["tolerations"] == [{"key": "spot", "operator": "Exists"}, *TOLERATIONS]
    assert limits(pod) == {"memory": "64Gi", "nvidia.com/gpu": "2"}


def test_pool_without_gpus_adds_no_gpus() -> None:
    pod = pods(bind_to_pool(torch(), Placement(gpus_per_node=0)))["node"]

    assert limits(pod) == {}
    assert "nodeSelector" not in pod
    assert "tolerations" not in pod


def test_all_misfits_are_reported_at_once() -> None:
    runtime = with_pod(torchtune(gpus_per_node=4), "node", node_selector={"pool.example.com/name": "a100"})
    small = Placement(node_selector={"pool.example.com/name": "h100"}, gpus_per_node=2)
    other = Placement(node_selector={"pool.example.com/name": "mi300"}, gpu_resource="amd.com/gpu", gpus_per_node=8)
    node = f"spec.template.spec.replicatedJobs[2].{SPEC}"

    with pytest.raises(InvalidRuntimeError) as too_small:
        bind_to_pool(runtime, small)
    with pytest.raises(InvalidRuntimeError) as another_kind:
        bind_to_pool(runtime, other)

    assert [(found.rule, found.path, found.message) for found in too_small.value.violations] == [
        (
            "PLC-01",
            f"{node}.nodeSelector",
            "pool.example.com/name is 'a100', but the pool's nodes have 'h100', so no node matches.",
        ),
        (
            "PLC-02",
            f"{node}.containers[0].resources.limits[nvidia.com/gpu]",
            "Container node requests nvidia.com/gpu: 4, but a node of the pool has 2.",
        ),
    ]
    assert [(found.rule, found.message) for found in another_kind.value.violations] == [
        ("PLC-01", "pool.example.com/name is 'a100', but the pool's nodes have 'mi300', so no node matches."),
        ("PLC-03", "Container node requests nvidia.com/gpu: 4, but the pool's nodes have amd.com/gpu."),
    ]


NETWORK = PodNetwork(
    resources={"vpc.amazonaws.com/efa": 32},
    env={"FI_PROVIDER": "efa", "NCCL_DEBUG": "WARN"},
    volumes=(Volume(name="drivers", host_path=HostPathVolumeSource(path="/opt/drivers")),),
    mounts=(VolumeMount(name="drivers", mount_path="/usr/local/nvidia"),),
    annotations={"example.com/interfaces": "all"},
    capabilities=("IPC_LOCK",),
    sidecars=(Container(name="daemon", image="r.example.com/daemon:1", restart_policy="Always"),),
)
FAST = evolve(POOL, network=NETWORK)


def test_containers_with_gpus_get_the_network_settings_of_the_pool() -> None:
    manifest = bind_to_pool(torch(), FAST).to_manifest()
    template = manifest["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    pod, (container,) = template["spec"], template["spec"]["containers"]
    assert template["metadata"]["annotations"] == {"example.com/interfaces": "all"}
    assert limits(pod) == {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}
    assert container["env"] == [{"name": "FI_PROVIDER", "value": "efa"}, {"name": "NCCL_DEBUG", "value": "WARN"}]
    assert container["volumeMounts"] == [{"name": "drivers", "mountPath": "/usr/local/nvidia"}]
    assert container["securityContext"] == {"capabilities": {"add": ["IPC_LOCK"]}}
    assert pod["volumes"] == [{"name": "drivers", "hostPath": {"path": "/opt/drivers"}}]
    assert pod["initContainers"] == [{"name": "daemon", "image": "r.example.com/daemon:1", "restartPolicy": "Always"}]


def test_network_settings_of_a_runtime_are_kept() -> None:
    scratch = Volume(name="mine", empty_dir=EmptyDirVolumeSource())
    runtime = with_container(
        torch(env={"NCCL_DEBUG": "INFO"}, volumes={"/usr/local/nvidia": scratch}),
        security_context=SecurityContext(capabilities=Capabilities(add=("SYS_PTRACE", "IPC_LOCK"))),
        resources=ResourceRequirements(limits={"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 4}),
    )

    pod = pods(bind_to_pool(runtime, FAST))["node"]

    (container,) = pod["containers"]
    assert container["env"] == [{"name": "NCCL_DEBUG", "value": "INFO"}, {"name": "FI_PROVIDER", "value": "efa"}]
    assert container["volumeMounts"] == [{"name": "mine", "mountPath": "/usr/local/nvidia"}]
    assert container["securityContext"] == {"capabilities": {"add": ["SYS_PTRACE", "IPC_LOCK"]}}
    assert limits(pod) == {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 4}
    assert [volume["name"] for volume in pod["volumes"]] == ["mine", "drivers"]


@pytest.mark.parametrize(("gpus", "cards"), [(4, "16"), (1, "4")])
def test_fewer_gpus_get_a_share_of_the_network_cards(gpus: int, cards: str) -> None:
    assert limits(pods(bind_to_pool(torch(gpus_per_node=gpus), FAST))["node"])["vpc.amazonaws.com/efa"] == cards


def test_share_of_less_than_one_card_adds_no_card() -> None:
    one = evolve(POOL, network=PodNetwork(resources={"vpc.amazonaws.com/efa": 1}))
    assert limits(pods(bind_to_pool(torch(gpus_per_node=4), one))["node"]) == {"nvidia.com/gpu": "4"}


def test_environment_of_the_pool_reaches_processes_started_by_mpirun() -> None:
    after = pods(bind_to_pool(deepspeed(env={"MINE": "1"}), FAST))
    names = ["MINE", "FI_PROVIDER", "NCCL_DEBUG"]
    for pod in after.values():
        assert [variable["name"] for variable in pod["containers"][0]["env"]] == names
        assert limits(pod)["vpc.amazonaws.com/efa"] == "32"
    assert after["node"]["containers"][0]["args"] == names
    assert "args" not in after["launcher"]["containers"][0]


def test_environment_is_added_to_an_sshd_without_variables() -> None:
    args = pods(bind_to_pool(deepspeed(), FAST))["node"]["containers"][0]["args"]
    assert args[-2:] == ["-o", 'SetEnv=FI_PROVIDER="$(FI_PROVIDER)" NCCL_DEBUG="$(NCCL_DEBUG)"']


def test_initializers_get_no_network_settings() -> None:
    initializer = pods(bind_to_pool(torch_with_cache(), FAST, initializers=True))["dataset-initializer"]
    assert initializer == pods(bind_to_pool(torch_with_cache(), POOL, initializers=True))["dataset-initializer"]

"""GPU node pools on the real scheduler: pods land in their pool and nowhere else, and nodes of others stay theirs."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from .conftest import Platform, copy_project

POOL = "training-platform/node-pool"
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
POOLS = {
    # So many that no training lands in the other pool by chance.
    "large": {"provider": "simulated", "nodes": 20, "gpusPerNode": 8},
    "small": {"provider": "simulated", "nodes": 2, "gpusPerNode": 4},
}
RUNTIMES = {
    "torch-large": {"framework": "torch", "nodePool": "large", "nodes": 2},
    "deepspeed-small": {"framework": "deepspeed", "nodePool": "small", "nodes": 2},
}
RUNTIME = ("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime")
TRAINJOB = ("trainer.kubeflow.org/v1alpha1", "TrainJob")


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """A platform of two pools, with a runtime for each."""
    platform = copy_project(tmp_path_factory.mktemp("pools"))
    platform.edit(gpuNodePools=POOLS, runtimes=RUNTIMES)
    platform.succeed("up")
    yield platform
    platform.run("down")


def of_kind(platform: Platform, api_version: str, kind: str) -> Any:
    return platform.cluster().resources.get(api_version=api_version, kind=kind)


def submit(platform: Platform, runtime: str) -> str:
    name = f"of-{runtime}"
    spec = {"runtimeRef": {"name": runtime}, "trainer": {"numNodes": 2, "command": ["true"]}}
    body = {"apiVersion": TRAINJOB[0], "kind": TRAINJOB[1], "metadata": {"name": name}, "spec": spec}
    of_kind(platform, *TRAINJOB).create(body=body, namespace="default")
    return name


def nodes_of_pods(platform: Platform, trainjob: str, pods: int) -> dict[str, str | None]:
    """Where the pods of a TrainJob are, as soon as so many have been seen; a pod that waits is on no node."""
    seen: dict[str, str | None] = {}
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (len(seen) < pods or None in seen.values()):
        selector = f"jobset.sigs.k8s.io/jobset-name={trainjob}"
        for pod in of_kind(platform, "v1", "Pod").get(namespace="default", label_selector=selector).items:
            role, index = (pod.metadata.labels[f"{key}"] for key in LABELS)
            seen[f"{role}-{index}"] = pod.spec.nodeName
        time.sleep(0.2)
    return seen


LABELS = ("jobset.sigs.k8s.io/replicatedjob-name", "batch.kubernetes.io/job-completion-index")


@pytest.mark.parametrize(
    ("runtime", "pool", "pods"),
    [("torch-large", "large", ["node-0", "node-1"]), ("deepspeed-small", "small", ["launcher-0", "node-0"])],
)
def test_training_runs_only_in_the_pool_of_its_runtime(
    pools: Platform, runtime: str, pool: str, pods: list[str]
) -> None:
    seen = nodes_of_pods(pools, submit(pools, runtime), len(pods))
    assert sorted(seen) == pods
    assert {str(node).rpartition("-")[0] for node in seen.values()} == {pool}
    # sshd keeps the node of MPI's worker. torch's first pod may be done, and its node free, before the second comes.
    assert runtime != "deepspeed-small" or len(set(seen.values())) == len(pods)


def test_more_gpus_than_a_node_has_are_rejected_before_anything_changes(pools: Platform) -> None:
    before, written = pools.names(*RUNTIME), pools.stack_file.read_text()
    greedy = {"framework": "torch", "nodePool": "small", "gpusPerNode": 8}
    pools.edit(runtimes={**RUNTIMES, "greedy": greedy})
    done = pools.run("up")
    pools.stack_file.write_text(written)
    assert done.returncode != 0
    assert "runtimes.greedy.gpusPerNode" in done.stdout
    assert "The runtime requests 8 GPUs per node, but a node of the pool has 4." in done.stdout
    assert "Traceback" not in done.stdout
    assert pools.names(*RUNTIME) == before == sorted(RUNTIMES)


def test_training_without_the_toleration_stays_pending(pools: Platform) -> None:
    runtimes = of_kind(pools, *RUNTIME)
    there = runtimes.get(name="torch-large").to_dict()
    (job,) = there["spec"]["template"]["spec"]["replicatedJobs"]
    tolerations = job["template"]["spec"]["template"]["spec"].pop("tolerations")
    assert tolerations == [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    metadata = {"name": "intolerant", "labels": there["metadata"]["labels"]}
    runtimes.create(body={**there, "metadata": metadata, "status": None})

    trainjob = submit(pools, "intolerant")

    selector = f"jobset.sigs.k8s.io/jobset-name={trainjob}"
    deadline = time.monotonic() + 30
    reasons: set[str] = set()
    while time.monotonic() < deadline and not reasons:
        for pod in of_kind(pools, "v1", "Pod").get(namespace="default", label_selector=selector).items:
            reasons |= {condition.message for condition in pod.status.conditions or [] if condition.status == "False"}
        time.sleep(0.2)
    assert [reason for reason in reasons if "untolerated taint" not in reason] == []
    assert reasons
    time.sleep(3)
    pods = of_kind(pools, "v1", "Pod").get(namespace="default", label_selector=selector).items
    assert [(pod.status.phase, pod.spec.nodeName) for pod in pods] == [("Pending", None)] * 2


def node(name: str, *taints: dict[str, str]) -> dict[str, Any]:
    room = {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "8"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"team": "vision"}, "annotations": {"kwok.x-k8s.io/node": "fake"}},
        "spec": {"taints": list(taints)},
        "status": {"capacity": room, "allocatable": room},
    }


def labels_and_taints(platform: Platform, name: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Of a node: its labels that Kubernetes did not put there, and its taints."""
    there = of_kind(platform, "v1", "Node").get(name=name).to_dict()
    labels = {key: value for key, value in there["metadata"]["labels"].items() if "kubernetes.io/" not in key}
    taints = [taint for taint in there["spec"].get("taints", []) if "kubernetes.io/" not in taint["key"]]
    return labels, taints


def test_existing_nodes_get_a_label_and_a_taint_and_keep_everything_else(checkout: Platform) -> None:
    dedicated = {"key": "dedicated", "value": "vision", "effect": "NoSchedule"}
    checkout.succeed("start")
    for body in (node("bare"), node("tainted", dedicated)):
        of_kind(checkout, "v1", "Node").create(body=body)
    pool = {"provider": "existing", "gpusPerNode": 8}
    checkout.edit(
        gpuNodePools={
            "ours": {**pool, "nodes": ["bare"]},
            "theirs": {**pool, "nodes": ["tainted"], "taints": [dedicated]},
        },
        jobset=None,
        trainer=None,
        runtimes=None,
    )

    checkout.succeed("up")
    assert labels_and_taints(checkout, "bare") == ({"team": "vision", POOL: "ours"}, [GPU_TAINT])
    assert labels_and_taints(checkout, "tainted") == ({"team": "vision", POOL: "theirs"}, [dedicated])

    someone = {"metadata": {"labels": {"rack": "7"}}}
    for name in ("bare", "tainted"):
        of_kind(checkout, "v1", "Node").patch(
            name=name, body=someone, content_type="application/strategic-merge-patch+json"
        )
    checkout.succeed("up")
    assert labels_and_taints(checkout, "bare") == ({"team": "vision", "rack": "7", POOL: "ours"}, [GPU_TAINT])

    theirs = {**pool, "nodes": ["tainted"], "taints": [dedicated]}
    checkout.edit(gpuNodePools={"ours": {**pool, "nodes": ["bare"], "gpuTaint": False}, "theirs": theirs})
    checkout.succeed("up")
    assert labels_and_taints(checkout, "bare") == ({"team": "vision", "rack": "7", POOL: "ours"}, [])

    # Taints that the file does not name are kept: the deployment fails rather than that it takes them away.
    checkout.edit(gpuNodePools={"ours": {**pool, "nodes": ["bare"]}, "theirs": {**pool, "nodes": ["tainted"]}})
    assert checkout.run("up").returncode != 0
    assert labels_and_taints(checkout, "bare")[1] == [GPU_TAINT]
    assert labels_and_taints(checkout, "tainted")[1] == [dedicated]

    checkout.succeed("destroy")
    assert labels_and_taints(checkout, "bare") == ({"team": "vision", "rack": "7"}, [])
    assert labels_and_taints(checkout, "tainted") == ({"team": "vision", "rack": "7"}, [dedicated])

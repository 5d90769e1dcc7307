"""What a stack deploys: runtimes in their pools, and the stacks of this project."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from components.gpu_node_pool import SimulatedPool
from components.k8s.scheduling import Toleration
from components.runtimes import deepspeed, mlx
from components.runtimes.editing import pod_of, replicated_jobs
from components.runtimes.placement import Placement
from stacks.settings.load import load_sections
from stacks.settings.resolve import ResolvedStack, resolve
from stacks.settings.stack_file import StackFile

STACKS = Path(__file__).parent.parent.parent.parent.parent / "stacks"
CLUSTER = "cluster: {context: local, kubeconfig: kubeconfig}\n"


def test_catalogue_runtime_is_named_by_its_key_and_bound_to_its_pool(
    read: Callable[[str], ResolvedStack],
) -> None:
    settings = read(
        CLUSTER
        + """\
gpuNodePools:
  big: {provider: existing, nodes: [a, b, c], gpusPerNode: 4}
runtimes:
  mine: {framework: deepspeed, nodePool: big, nodes: 3, env: {NCCL_DEBUG: INFO}, sharedMemory: 16Gi}
"""
    )
    expected = deepspeed(
        name="mine",
        nodes=3,
        env={"NCCL_DEBUG": "INFO"},
        shared_memory="16Gi",
        placement=Placement(
            node_selector={"training-platform/node-pool": "big"},
            tolerations=(Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule"),),
            gpus_per_node=4,
            max_nodes=3,
        ),
    )
    assert settings.runtimes["mine"].to_manifest() == expected.to_manifest()


def test_runtime_in_a_pool_of_another_stack_is_built_when_the_pool_is_known(
    read: Callable[[str], ResolvedStack],
) -> None:
    pools = "gpuNodePools:\n  theirs: {provider: stack, stack: a/b/c}\n"
    runtimes = "runtimes:\n  mine: {framework: torch, nodePool: theirs}\n  other: {framework: mlx}"
    settings = read(CLUSTER + pools + runtimes)
    assert (list(settings.runtimes), settings.unbound) == (["other"], ("mine",))
    bound = settings.bind({"theirs": Placement(gpus_per_node=4)})
    assert (list(bound.runtimes), bound.unbound) == (["mine", "other"], ())
    assert bound.runtimes["other"] is settings.runtimes["other"]
    (pod,) = filter(None, map(pod_of, replicated_jobs(bound.runtimes["mine"])))
    assert pod.containers[0].resources
    assert pod.containers[0].resources.limits == {"nvidia.com/gpu": "4"}


def manifest() -> dict[str, Any]:
    return mlx(name="theirs").to_manifest()


def test_a_manifest_is_bound_to_its_pool_too(read: Callable[[str], ResolvedStack]) -> None:
    pools = "gpuNodePools:\n  gpu: {provider: simulated, nodes: 4, gpusPerNode: 8}\n"
    runtimes = f"runtimes:\n  theirs: {{nodePool: gpu, manifest: {json.dumps(manifest())}}}"
    made = read(CLUSTER + pools + runtimes).runtimes["theirs"].to_manifest()
    for job in made["spec"]["template"]["spec"]["replicatedJobs"]:
        pod = job["template"]["spec"]["template"]["spec"]
        assert pod["nodeSelector"] == {"training-platform/node-pool": "gpu"}


def checked_in(stack: str, project: Path, kubeconfig: str) -> ResolvedStack:
    """The settings of a stack of this project, where the context exists that it names."""
    shutil.copy(STACKS / "base.yaml", project / "stacks")
    config = yaml.safe_load((STACKS / f"Pulumi.{stack}.yaml").read_text())["config"]
    sections = {key.removeprefix("training-platform:"): value for key, value in config.items()}
    (project / kubeconfig).parent.mkdir(parents=True, exist_ok=True)
    text = (project / "kubeconfig").read_text().replace("name: local", f"name: {sections['cluster']['context']}")
    (project / kubeconfig).write_text(text)
    return resolve(load_sections(sections, StackFile(stack, "training-platform")))


def test_local_stack_has_four_simulated_nodes_and_two_runtimes(project: Path) -> None:
    for chart in ("jobset-0.12.0", "kubeflow-trainer-2.3.0"):
        (project / ".local" / "charts" / chart).mkdir(parents=True)
        version = chart.rpartition("-")[2]
        (project / ".local" / "charts" / chart / "Chart.yaml").write_text(f"version: {version}\n")
    settings = checked_in("local", project, ".local/kubeconfig")
    (pool,) = settings.pools.values()
    assert pool == SimulatedPool(provider="simulated", nodes=4, gpus_per_node=8)
    assert list(settings.runtimes) == ["deepspeed-distributed", "mlx-distributed"]


def test_dev_stack_has_upstream_charts_and_existing_nodes(project: Path) -> None:
    settings = checked_in("dev", project, "home/.kube/config")
    (pool,) = settings.pools.values()
    assert pool.provider == "existing"
    assert [(spec.chart, spec.version) for spec in settings.operators.values()] == [
        ("oci://registry.k8s.io/jobset/charts/jobset", "0.12.0"),
        ("oci://ghcr.io/kubeflow/charts/kubeflow-trainer", "2.3.0"),
    ]
    assert list(settings.runtimes) == ["deepspeed-distributed", "mlx-distributed", "torch-distributed"]

"""Stack files that are right: what they mean."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.gpu_node_pool import SimulatedPool
from components.jobset import ExternalJobSet, JobSetOperatorSpec
from components.k8s.scheduling import Toleration
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.runtimes import ClusterTrainingRuntime, TrainingRuntime, deepspeed, mlx
from components.runtimes.editing import pod_of, replicated_jobs
from components.runtimes.placement import Placement
from stacks.settings.images import Images
from stacks.settings.load import load_sections
from stacks.settings.resolve import ResolvedStack, resolve
from stacks.settings.stack_file import StackFile

STACKS = Path(__file__).parent.parent.parent.parent.parent / "stacks"
CLUSTER = "cluster: {context: local, kubeconfig: kubeconfig}\n"


def test_missing_section_is_absent(read: Callable[[str], ResolvedStack]) -> None:
    settings = read(CLUSTER + "jobset: none\ntrainer: {}")
    assert settings.config.model_fields_set == {"cluster", "trainer"}
    assert (settings.jobset, settings.pools, settings.runtimes) == (None, {}, {})
    assert settings.trainer == KubeflowTrainerSpec(version="2.3.0")


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


@pytest.mark.parametrize(
    ("framework", "label"),
    [
        ("torch", "torch"),
        ("torch-with-cache", "torch"),
        ("torchtune", "torchtune"),
        ("deepspeed", "deepspeed"),
        ("mlx", "mlx"),
        ("jax", "jax"),
        ("xgboost", "xgboost"),
        ("flux", "flux"),
    ],
)
def test_every_framework_of_the_catalogue_is_accepted(
    framework: str, label: str, read: Callable[[str], ResolvedStack]
) -> None:
    made = read(CLUSTER + f"runtimes:\n  mine: {{framework: {framework}}}").runtimes["mine"]
    assert made.metadata.name == "mine"
    assert (made.metadata.labels or {})["trainer.kubeflow.org/framework"] == label


def manifest() -> dict[str, Any]:
    return mlx(name="theirs").to_manifest()


@pytest.mark.parametrize("inline", [True, False], ids=["in the stack's file", "in a file of its own"])
def test_a_runtime_can_be_a_manifest(inline: bool, project: Path, read: Callable[[str], ResolvedStack]) -> None:
    (project / "theirs.yaml").write_text(yaml.safe_dump_all([deepspeed().to_manifest(), manifest()]))
    given = json.dumps(manifest()) if inline else "theirs.yaml"
    made = read(CLUSTER + f"runtimes:\n  theirs: {{manifest: {given}}}").runtimes["theirs"]
    assert made == ClusterTrainingRuntime.from_manifest(manifest())


def test_inline_manifest_can_have_a_namespace(read: Callable[[str], ResolvedStack]) -> None:
    given = manifest() | {"kind": "TrainingRuntime", "metadata": manifest()["metadata"] | {"namespace": "team"}}
    made = read(CLUSTER + f"runtimes:\n  theirs: {{manifest: {json.dumps(given)}}}").runtimes["theirs"]
    assert made == TrainingRuntime.from_manifest(given)


def test_a_manifest_is_bound_to_its_pool_too(read: Callable[[str], ResolvedStack]) -> None:
    pools = "gpuNodePools:\n  gpu: {provider: simulated, nodes: 4, gpusPerNode: 8}\n"
    runtimes = f"runtimes:\n  theirs: {{nodePool: gpu, manifest: {json.dumps(manifest())}}}"
    made = read(CLUSTER + pools + runtimes).runtimes["theirs"].to_manifest()
    for job in made["spec"]["template"]["spec"]["replicatedJobs"]:
        pod = job["template"]["spec"]["template"]["spec"]
        assert pod["nodeSelector"] == {"training-platform/node-pool": "gpu"}


def test_local_chart_of_the_configured_version_is_accepted(read: Callable[[str], ResolvedStack]) -> None:
    jobset = read(CLUSTER + "jobset: {chart: charts/jobset, version: 0.8.2}").jobset
    assert isinstance(jobset, JobSetOperatorSpec)
    assert (jobset.chart, jobset.version) == ("charts/jobset", "0.8.2")


@pytest.mark.parametrize(
    ("image", "pulled"),
    [
        ("ghcr.io/kubeflow/x:1", "m.example.com/ghcr/kubeflow/x:1"),
        ("pytorch/pytorch:2", "m.example.com/hub/pytorch/pytorch:2"),
        ("busybox", "m.example.com/hub/library/busybox"),
        ("docker.io/library/busybox", "m.example.com/hub/library/busybox"),
        ("localhost/x", "localhost/x"),
        ("localhost:5000/x", "m.example.com/local/x"),
        ("quay.io/x@sha256:0", "quay.io/x@sha256:0"),
    ],
)
def test_an_image_comes_from_the_mirror_of_its_registry(image: str, pulled: str) -> None:
    mirrors = {
        "ghcr.io": "m.example.com/ghcr",
        "docker.io": "m.example.com/hub",
        "localhost:5000": "m.example.com/local",
    }
    assert Images(mirrors=mirrors).image(image) == pulled


def test_an_operator_that_names_a_registry_keeps_it() -> None:
    images = Images(mirrors={"registry.k8s.io": "m.example.com"})
    mirrored = images.operator(JobSetOperatorSpec(image_registry="mine.example.com", chart=".local/charts/jobset"))
    assert (mirrored.image_registry, mirrored.chart) == ("mine.example.com", ".local/charts/jobset")


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


def test_line_of_a_key_is_found_or_that_of_its_parent(project: Path) -> None:
    for name in ("Pulumi.dev.yaml", "base.yaml"):
        shutil.copy(STACKS / name, project / "stacks")
    file = StackFile("dev", "training-platform")
    assert file.name == "stacks/Pulumi.dev.yaml"
    file.inherit("base")
    for path, (name, there) in {
        "cluster": (file.name, "training-platform:cluster:"),
        "cluster.context": (file.name, "context:"),
        "gpuNodePools.gpu.nodes[1]": (file.name, "nodes:"),
        "gpuNodePools.gpu.labels.x": (file.name, "gpu:"),
        "runtimes.torch-distributed.failurePolicy.maxRestarts": (file.name, "maxRestarts: 0"),
        "runtimes.mlx-distributed.framework": ("stacks/base.yaml", "framework: mlx"),
        "trainer.version": ("stacks/base.yaml", "trainer: {}"),
    }.items():
        place = file.place(path)
        assert place
        assert (place.file, place.inherited) == (name, name != file.name), path
        assert there in (project / name).read_text().splitlines()[place.line - 1], path
    assert str(file.place("cluster")) == "line 5"
    assert str(file.place("trainer")) == "stacks/base.yaml, line 4"


def test_without_a_file_there_are_no_lines(project: Path) -> None:
    assert StackFile("nobody", "training-platform").place("cluster") is None
    (project / "stacks" / "Pulumi.broken.yaml").write_text("config: {")
    assert StackFile("broken", "training-platform").place("cluster") is None
    (project / "stacks" / "Pulumi.latin.yaml").write_bytes(b"config: {training-platform:cluster: \xe9}")
    assert StackFile("latin", "training-platform").place("cluster") is None


def test_external_jobset_is_recognized_by_its_mode(read: Callable[[str], ResolvedStack]) -> None:
    assert read(CLUSTER + "jobset: {mode: external}").jobset == ExternalJobSet(mode="external")
    assert read(CLUSTER + "jobset: {mode: external, version: 0.12.1}").jobset == ExternalJobSet(
        mode="external", version="0.12.1"
    )
    assert isinstance(read(CLUSTER + "jobset: {mode: managed}").jobset, JobSetOperatorSpec)

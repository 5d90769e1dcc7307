"""Stack files that are right: what they mean."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from stacks.settings.images import Images
from stacks.settings.resolve import ResolvedStack
from stacks.settings.stack_file import StackFile

STACKS = Path(__file__).parent.parent.parent.parent.parent / "stacks"
CLUSTER = "cluster: {context: local, kubeconfig: kubeconfig}\n"


def test_missing_section_is_absent(read: Callable[[str], ResolvedStack]) -> None:
    settings = read(CLUSTER + "jobset: none\ntrainer: {}")
    assert settings.config.model_fields_set == {"cluster", "trainer"}
    assert (settings.jobset, settings.pools, settings.runtimes) == (None, {}, {})
    assert settings.trainer == KubeflowTrainerSpec(version="2.3.0")


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

"""TrainJobs that are checked with the runtimes of a stack."""

from pathlib import Path

import pytest

from components.runtimes.train_job import RuntimeRef
from stacks.settings.load import load_stack
from stacks.settings.resolve import ResolvedStack, resolve
from stacks.train_jobs import check_files, runtimes_of_stack, trainer_version

TRAIN_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: {name}}}
spec:
  runtimeRef: {{name: {runtime}}}
  trainer: {{numNodes: {nodes}}}
"""


@pytest.fixture
def stack(project: Path, monkeypatch: pytest.MonkeyPatch) -> ResolvedStack:
    (project / "stacks" / "Pulumi.dev.yaml").write_text(
        "config:\n  training-platform:cluster: {context: far-away}\n"
        "  training-platform:gpuNodePools:\n    gpu: {provider: simulated, gpusPerNode: 8, nodes: 2}\n"
        '  training-platform:trainer: {version: "2.2.1"}\n  training-platform:jobset: {version: "0.11.1"}\n'
        "  training-platform:runtimes:\n    mine: {framework: torch, nodePool: gpu}\n"
    )
    monkeypatch.chdir(project)
    return resolve(load_stack("dev", "training-platform"))


def told(stack: ResolvedStack, folder: Path, **fields: object) -> list[tuple[str, str, str]]:
    values = {"name": "train", "runtime": "mine", "nodes": 2} | fields
    (folder / "job.yaml").write_text(TRAIN_JOB.format(**values))
    report = check_files(stack, "dev", [folder / "job.yaml"])
    return [(each.rule, str(each.severity), each.path) for each in report.violations]


def test_train_jobs_are_checked_with_the_runtime_on_its_pool(stack: ResolvedStack, tmp_path: Path) -> None:
    assert told(stack, tmp_path) == []
    assert told(stack, tmp_path, nodes=3) == [("PLC-07", "error", "spec.trainer.numNodes")]


def test_a_runtime_of_no_stack_is_a_warning(stack: ResolvedStack, tmp_path: Path) -> None:
    (found,) = check_files(stack, "dev", [_written(tmp_path, runtime="other")]).violations
    assert (found.rule, str(found.severity)) == ("TJC-05", "warning")
    assert found.message == (
        "The ClusterTrainingRuntime other is neither in the files nor in stack dev: "
        "only what needs no runtime is checked."
    )
    assert found.fix == "Pass its file too, or use a runtime of the stack."


def test_what_is_valid_names_the_stack(stack: ResolvedStack, tmp_path: Path) -> None:
    report = check_files(stack, "dev", [_written(tmp_path)])
    assert [each["runtime"] for each in report.valid] == ["ClusterTrainingRuntime mine (stack dev)"]


def test_a_training_runtime_is_not_a_cluster_training_runtime(stack: ResolvedStack) -> None:
    source = runtimes_of_stack(stack, "dev")
    assert source.find(RuntimeRef(name="mine", kind="TrainingRuntime"), "default") is None
    found = source.find(RuntimeRef(name="mine"), "anywhere")
    assert found is not None
    assert (found.runtime.metadata.name, found.pool is not None) == ("mine", True)
    assert [*source.names()] == ["mine"]


def test_the_version_of_trainer_is_the_stacks(stack: ResolvedStack) -> None:
    assert trainer_version(stack) == "2.2.1"


def _written(folder: Path, **fields: object) -> Path:
    (folder / "job.yaml").write_text(TRAIN_JOB.format(**{"name": "train", "runtime": "mine", "nodes": 2} | fields))
    return folder / "job.yaml"

"""The example projects, each run as it stands."""

import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

import components
from components.cluster.client import ClusterClient
from components.cluster.context import StackContext
from components.runtimes import deepspeed, torch
from components.training_runtimes import with_annotations

from .monitor import PROJECT, STACK, Monitor, Outside, run

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
CLUSTER_RUNTIME = "kubernetes:trainer.kubeflow.org/v1alpha1:ClusterTrainingRuntime"
PLATFORM = "acme/training-platform/prod"
POOL = {
    "nodeSelector": {"training-platform/node-pool": "gpu"},
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "gpuResource": "nvidia.com/gpu",
    "gpusPerNode": 8,
    "maxNodes": 2,
}
OWNED = StackContext(ClusterClient("mine"), f"{PROJECT}/{STACK}")
LAYERS = ["training-jobset", "training-trainer", "training-runtimes", "training-gate"]
TESTED = {"own-program", "team-runtime", "adopt-runtimes", "namespaced-runtime"}


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The components under the name that they have where they are installed."""
    before, attributes = set(sys.modules), dict(vars(components))
    monkeypatch.setitem(sys.modules, "training_platform", components)
    yield
    for module in set(sys.modules) - before:
        if module.startswith("training_platform."):
            del sys.modules[module]
    # What was imported under the other name is an attribute of the same package.
    for name in vars(components).keys() - attributes.keys():
        delattr(components, name)
    vars(components).update(attributes)


def example(name: str, monkeypatch: pytest.MonkeyPatch, outside: Outside | None = None) -> Monitor:
    return ran(EXAMPLES / name, monkeypatch, outside)


def ran(folder: Path, monkeypatch: pytest.MonkeyPatch, outside: Outside | None = None) -> Monitor:
    """What the `__main__.py` of a folder declares."""
    monkeypatch.chdir(folder)
    config = {f"{PROJECT}:context": "mine", f"{PROJECT}:platform": PLATFORM}
    asynchronous: list[Callable[[], Any]] = []
    # The mocks' stack is finished before a program starts, and takes no entrypoint any more.
    monkeypatch.setattr(pulumi, "run", asynchronous.append)

    def program() -> Any:
        runpy.run_path("__main__.py")
        return asynchronous[0]() if asynchronous else None

    return run(program, config, monitor=Monitor(outside))


def manifest(monitor: Monitor, name: str) -> dict[str, Any]:
    """The runtime of that name, as it would reach the cluster."""
    (found,) = (each for each in monitor.registered.values() if each.name == f"runtimes:{name}")
    return {key: found.inputs[key] for key in ("apiVersion", "kind", "metadata", "spec")}


def components_of(monitor: Monitor) -> list[str]:
    """Their names, in the order of the program."""
    return [each.name for each in monitor.registered.values() if each.type.startswith("training-platform:")]


def is_whole(monitor: Monitor) -> bool:
    """Whether `up` ends when TrainJobs for the program's runtimes are admitted, and a destroy looks first.

    That the gate comes last and asks, and that runtimes wait for the webhooks, is all that it takes.
    """
    (gate,) = (each for each in monitor.of_type(CONFIG_MAP) if each.name == "training-gate")
    (component,) = monitor.of_type("training-platform:index:TrainingGate")
    name = component.name
    runtimes = monitor.of_type(CLUSTER_RUNTIME)
    assert {each.urn for each in runtimes} <= component.dependencies
    assert gate.inputs["metadata"]["namespace"] == "kubeflow-system"
    assert gate.inputs["metadata"]["annotations"]["training-platform/operators"] == "jobset trainer"
    assert gate.provider.endswith("::training-operators")
    asked = [(each.hooks["before_create"], each.hooks["before_update"]) for each in runtimes]
    return asked == [(["training-runtimes:preflight"], ["training-runtimes:check-admission"])] * 2 and gate.hooks == {
        "before_create": [f"{name}:own", f"{name}:check-admission"],
        "before_update": [f"{name}:own", f"{name}:check-operator-removal", f"{name}:check-admission"],
        "before_delete": [f"{name}:own", f"{name}:check-destroy"],
    }


def test_own_program_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = example("own-program", monkeypatch)
    assert components_of(monitor) == ["training", "gpu", *LAYERS]
    assert is_whole(monitor)
    runtimes = {each.name.partition(":")[2]: each for each in monitor.of_type(CLUSTER_RUNTIME)}
    assert sorted(runtimes) == ["our-deepspeed", "our-torch"]
    (trainer,) = (each for each in monitor.of_type("kubernetes:helm.sh/v4:Chart") if each.name == "training-trainer")
    (component,) = monitor.of_type("training-platform:index:TrainingRuntimes")
    assert trainer.urn in component.dependencies
    assert trainer.provider.endswith("::training-operators")
    (platform,) = monitor.of_type("training-platform:index:TrainingPlatform")
    assert monitor.outputs[platform.urn]["runtimes"] == ["our-deepspeed", "our-torch"]
    assert [*monitor.exports] == ["runtimes"]


def test_program_of_the_readme(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    section = (EXAMPLES.parent / "README.md").read_text().partition("## In a program of your own")[2]
    (tmp_path / "__main__.py").write_text(section.partition("```python\n")[2].partition("```")[0])
    monitor = ran(tmp_path, monkeypatch)
    assert components_of(monitor) == ["training", *LAYERS]
    assert is_whole(monitor)
    names = {each.name.partition(":")[2] for each in monitor.of_type(CLUSTER_RUNTIME)}
    assert names == {"deepspeed-distributed", "torch-distributed"}


def test_team_runtime_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = example("team-runtime", monkeypatch, Outside({PLATFORM: {"gpuNodePools": {"gpu": POOL}}}))
    (runtime,) = monitor.of_type(CLUSTER_RUNTIME)
    for job in runtime.inputs["spec"]["template"]["spec"]["replicatedJobs"]:
        pod = job["template"]["spec"]["template"]["spec"]
        assert pod["nodeSelector"] == POOL["nodeSelector"]
        assert pod["containers"][0]["image"] == "registry.example.com/speech/train:7"
        assert pod["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "8"}
        assert pod["containers"][0].get("workingDir") == ("/workspace" if job["name"] == "launcher" else None)
    assert monitor.exports == {"runtimes": ["speech"]}


def test_adopted_runtimes_are_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = example("adopt-runtimes", monkeypatch)
    for runtime in (deepspeed(like_upstream=True), torch(like_upstream=True)):
        assert manifest(monitor, str(runtime.metadata.name)) == with_annotations(runtime.to_manifest(), OWNED)
    assert monitor.exports == {"runtimes": ["deepspeed-distributed", "torch-distributed"]}


def test_namespaced_runtime_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = example("namespaced-runtime", monkeypatch)
    made = manifest(monitor, "vision/fine-tune")
    assert (made["kind"], made["metadata"]["name"], made["metadata"]["namespace"]) == (
        "TrainingRuntime",
        "fine-tune",
        "vision",
    )
    (namespace,) = monitor.of_type("kubernetes:core/v1:Namespace")
    (component,) = monitor.of_type("training-platform:index:TrainingRuntimes")
    assert component.dependencies == {namespace.urn}


def test_every_example_is_a_project_that_is_explained_and_tested() -> None:
    folders = {folder.name for folder in EXAMPLES.iterdir() if folder.is_dir()}
    assert folders == TESTED
    text = (EXAMPLES / "README.md").read_text()
    for name in folders:
        assert f"[{name}]({name}/__main__.py)" in text
        project = yaml.safe_load((EXAMPLES / name / "Pulumi.yaml").read_text())
        assert (project["name"], project["runtime"]["name"]) == (name, "python")
        assert (EXAMPLES / name / "requirements.txt").read_text() == "../..[pulumi]\n"

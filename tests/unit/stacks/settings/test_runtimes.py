"""Runtimes in a stack file: of the catalogue, or as a manifest."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.runtimes import ClusterTrainingRuntime, TrainingRuntime, deepspeed, mlx
from stacks.settings.resolve import ResolvedStack

CLUSTER = "cluster: {context: local, kubeconfig: kubeconfig}\n"


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

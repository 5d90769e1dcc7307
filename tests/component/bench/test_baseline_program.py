"""The bare program of the benchmarks makes what ours makes, or its figures would say nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import baseline_program, scenarios
from bench.workspaces import Checkout

from ..monitor import Monitor, Registered, run
from ..stack_deployment import deployed

OURS_ALONE = ("training-platform:index:", "pulumi:")
"""Components, which make nothing in a cluster, and providers, which are what a program likes."""


def made(monitor: Monitor) -> list[tuple[str, str, dict[str, Any]]]:
    return [(each.type, each.name, inputs(each)) for each in monitor.by_name() if not each.type.startswith(OURS_ALONE)]


def inputs(registered: Registered) -> dict[str, Any]:
    return {name: value for name, value in registered.inputs.items() if value is not None}


def test_baseline_program_declares_the_same_resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = {"provider": "simulated", "nodes": 2, "gpusPerNode": 8}
    ours = deployed(gpuNodePools={"gpu": nodes}, runtimes={"mine": {"framework": "mlx", "nodePool": "gpu"}})
    recorded = [{"type": each.type, "name": each.name, "inputs": each.inputs} for each in ours.by_name()]
    (tmp_path / "resources.json").write_text(json.dumps(scenarios.bare(Checkout(tmp_path), recorded)))
    monkeypatch.chdir(tmp_path)
    assert made(run(baseline_program.main)) == made(ours)


def test_baseline_programs_have_the_same_order_or_parallel_operators(tmp_path: Path) -> None:
    nodes = {"provider": "simulated", "nodes": 1, "gpusPerNode": 8}
    ours = deployed(gpuNodePools={"gpu": nodes}, runtimes={"mine": {"framework": "mlx"}})
    recorded = [{"type": each.type, "name": each.name, "inputs": each.inputs} for each in ours.by_name()]
    in_order = scenarios.bare(Checkout(tmp_path), recorded)
    assert names(in_order) == [
        ["gpu-0"],
        ["platform-jobset"],
        ["platform-jobset"],
        ["platform-trainer"],
        ["platform-trainer"],
        ["platform-runtimes:mine"],
        ["platform-gate"],
    ]
    assert names(scenarios.operators_in_parallel(in_order)) == [
        ["gpu-0"],
        ["platform-jobset", "platform-trainer"],
        ["platform-jobset", "platform-trainer"],
        ["platform-runtimes:mine"],
        ["platform-gate"],
    ]


def names(resources: dict[str, Any]) -> list[list[str]]:
    return [[each["name"] for each in layer] for layer in resources["layers"]]

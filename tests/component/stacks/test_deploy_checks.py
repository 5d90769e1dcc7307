"""A stack's file is read once, and each check runs once, however many places show or need what it says."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.gpu_node_pool import ExistingPool
from components.runtimes import rules
from stacks.deploy import deploy
from stacks.settings import load, resolve, stack_file
from stacks.settings.load import load_running

from ..monitor import PROJECT, Monitor, Outside, run

CLUSTER_STACK = "acme/training-platform/layers-cluster"
SECTIONS: dict[str, Any] = {
    "cluster": {"kubeconfig": "kubeconfig", "context": "local"},
    "gpuNodePools": {
        "own": {"provider": "existing", "nodes": ["a"], "gpusPerNode": 7, "gpuResource": "nvidia.com/mig-1g.5gb"},
        "theirs": {"provider": "stack", "stack": CLUSTER_STACK},
    },
    "jobset": {"version": "0.13.0"},
    "trainer": {},
    "runtimes": {
        "here": {"framework": "torch", "nodePool": "own"},
        "there": {"framework": "deepspeed", "nodePool": "theirs"},
    },
    "images": {"mirrors": {"ghcr.io": "m.example.com/ghcr", "docker.io": "m.example.com/hub"}},
}
PLACEMENT = {"nodeSelector": {"training-platform/node-pool": "theirs"}, "gpusPerNode": 8, "maxNodes": 2}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each of these ran, and about what."""
    counted: Counter[str] = Counter()

    def count(owner: Any, name: str, about: Callable[..., object] = lambda *_: "") -> None:
        real = getattr(owner, name)

        def counting(*args: Any, **kwargs: Any) -> Any:
            counted[f"{name} {about(*args)}".strip()] += 1
            return real(*args, **kwargs)

        monkeypatch.setattr(owner, name, counting)

    count(stack_file, "_read", lambda file: file)
    count(load, "find_tokens")
    count(load.CompleteConfig, "model_validate")
    count(rules, "check", lambda runtime: runtime.metadata.name)
    count(resolve, "build_runtime", lambda name, *_: name)
    count(resolve, "check_shared_nodes")
    count(resolve, "check_operators")
    count(resolve, "check_schedulable", lambda section, *_: section)
    count(resolve, "check_local_chart", lambda section, *_: section)
    count(resolve, "check_image_policies")
    count(ExistingPool, "violations", lambda pool: pool.provider)
    return counted


def test_each_check_of_a_stack_runs_once_from_its_file_to_its_resources(
    calls: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stacks").mkdir()
    file = {"config": {f"{PROJECT}:{section}": value for section, value in SECTIONS.items()}}
    (tmp_path / "stacks" / "Pulumi.test.yaml").write_text(yaml.safe_dump(file))
    cluster, context = {"server": "https://127.0.0.1:6443"}, {"cluster": "c"}
    kubeconfig = {"clusters": [{"name": "c", "cluster": cluster}], "contexts": [{"name": "local", "context": context}]}
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(kubeconfig))
    config = {f"{PROJECT}:{section}": json.dumps(value) for section, value in SECTIONS.items()}
    outside = Outside({CLUSTER_STACK: {"gpuNodePools": {"theirs": PLACEMENT}}})
    monitor = run(lambda: deploy(resolve.resolve(load_running())), config, monitor=Monitor(outside))
    assert monitor.exports["runtimes"] == ["here", "there"]
    assert dict(calls) == {
        "_read stacks/Pulumi.test.yaml": 1,
        "find_tokens": 1,
        "model_validate": 1,
        "violations existing": 1,
        "build_runtime here": 1,
        "build_runtime there": 1,
        "check here": 1,
        "check there": 1,
        "check_shared_nodes": 1,
        "check_operators": 1,
        "check_schedulable jobset": 1,
        "check_schedulable trainer": 1,
        # Two operators, two runtimes, one pool.
        "check_image_policies": 5,
    }
    # Each warning is shown once: at the resource that it is about, or in the file's keys where it is about several.
    shown = [re.findall(r"\[([A-Z]+-\d+)\]", message) for _, message in monitor.log.warnings]
    assert sorted(rule for found in shown for rule in found) == ["POOL-10", "SIL-22", "VER-01"]

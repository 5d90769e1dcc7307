"""A user's mistake: one readable message, an exit code, and nothing touched in the cluster."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from .conftest import Platform, copy_project
from .identity import objects


def unknown_key(platform: Platform) -> None:
    platform.edit(trainer={"chart": ".local/charts/kubeflow-trainer-2.3.0", "replica": 2})


def missing_pool(platform: Platform) -> None:
    platform.edit(runtimes={"mlx-distributed": {"framework": "mlx", "nodePool": "gpus"}})


def wrong_type(platform: Platform) -> None:
    platform.edit(gpuNodePools={"gpu": {"provider": "simulated", "nodes": "four", "gpusPerNode": 8}})


def two_mistakes(platform: Platform) -> None:
    unknown_key(platform)
    wrong_type(platform)


def no_yaml(platform: Platform) -> None:
    platform.stack_file.write_text("config:\n  training-platform:cluster: {context: [}\n")


def unknown_context(platform: Platform) -> None:
    platform.edit(cluster={"kubeconfig": ".local/kubeconfig", "context": "kwok-training-platfrom"})


def server_down(platform: Platform) -> None:
    kubeconfig = yaml.safe_load(platform.kubeconfig.read_text())
    kubeconfig["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:9"
    (platform.project / ".local" / "down").write_text(yaml.safe_dump(kubeconfig))
    platform.edit(cluster={"kubeconfig": ".local/down", "context": "kwok-training-platform"})


MISTAKES: dict[Callable[[Platform], None], list[str]] = {
    unknown_key: ["trainer.replica", "Did you mean `replicas`?"],
    missing_pool: ["runtimes.mlx-distributed.nodePool", "There is no GPU node pool `gpus`", "Did you mean `gpu`?"],
    wrong_type: ["gpuNodePools.gpu.nodes", "four"],
    two_mistakes: ["2 mistakes", "trainer.replica", "gpuNodePools.gpu.nodes"],
    no_yaml: ["stacks/Pulumi.local.yaml cannot be read", "line 2", "Invalid YAML", "Fix: "],
    unknown_context: ["cluster.context", "kwok-training-platfrom", "Did you mean `kwok-training-platform`?"],
    server_down: ["cluster.context", "the API server at https://127.0.0.1:9 cannot be reached"],
}


@pytest.fixture
def working(platform: Platform, tmp_path: Path) -> Platform:
    """Another checkout of the same environment: the same cluster and state, its own stack file."""
    checkout = copy_project(tmp_path)
    for item in (platform.project / ".local").iterdir():
        if not (checkout.project / ".local" / item.name).exists():
            (checkout.project / ".local" / item.name).symlink_to(item)
    return checkout


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_mistake_is_explained_and_changes_nothing(
    platform: Platform, working: Platform, mistake: Callable[[Platform], None]
) -> None:
    mistake(working)
    before = objects(platform)
    done = working.run("up")
    assert done.returncode != 0
    assert "Traceback" not in done.stdout
    assert [part for part in MISTAKES[mistake] if part not in done.stdout] == [], done.stdout
    assert objects(platform) == before

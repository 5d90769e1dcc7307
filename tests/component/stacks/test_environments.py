"""The environments that share a base, previewed: what each makes, and in what they really differ."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from components.cluster.client import ClusterClient
from stacks.deploy import deploy
from stacks.settings.cluster import ContextCluster
from stacks.settings.load import load_stack
from stacks.settings.resolve import resolve

from ..conftest import CLUSTER_ID
from ..monitor import PROJECT, Monitor, run

ROOT = Path(__file__).parent.parent.parent.parent


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each environment reaches the cluster that it means."""
    monkeypatch.chdir(ROOT)
    meant = [load_stack(stack, PROJECT).config.cluster for stack in ("dev", "staging", "prod")]
    ids = {cluster.context: cluster.id or CLUSTER_ID for cluster in meant if isinstance(cluster, ContextCluster)}
    monkeypatch.setattr(ClusterClient, "uid", lambda access: ids[access.context])


def previewed(stack: str) -> Monitor:
    """An environment's preview, on the cluster that it means."""
    resolved = resolve(load_stack(stack, PROJECT))
    config = yaml.safe_load((ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text())["config"]
    others = {key: value for key, value in config.items() if not key.startswith(f"{PROJECT}:")}
    return run(lambda: deploy(resolved), others, preview=True)


def runtimes(monitor: Monitor) -> dict[str, Any]:
    """The spec of each runtime by its name."""
    found = (each for each in monitor.registered.values() if each.type.endswith(":ClusterTrainingRuntime"))
    return {each.inputs["metadata"]["name"]: each.inputs["spec"] for each in found}


@pytest.mark.parametrize("stack", ["dev", "staging", "prod"])
def test_environment_has_every_layer_and_no_warnings(stack: str) -> None:
    monitor = previewed(stack)
    components = [each for each in monitor.registered.values() if each.type.startswith("training-platform:index:")]
    assert {"gpu", "platform-jobset", "platform-trainer", "platform-runtimes"} <= {each.name for each in components}
    assert monitor.log.warnings == []


def test_dev_labels_existing_nodes_and_has_no_restarts() -> None:
    monitor = previewed("dev")
    patches = monitor.of_type("kubernetes:core/v1:NodePatch")
    assert {each.inputs["metadata"]["name"] for each in patches} == {"gpu-node-1", "gpu-node-2"}
    specs = runtimes(monitor)
    assert sorted(specs) == ["deepspeed-distributed", "mlx-distributed", "torch-distributed"]
    assert specs["torch-distributed"]["template"]["spec"]["failurePolicy"] == {"maxRestarts": 0}


def test_staging_is_small_and_on_spot_machines() -> None:
    (pool,) = previewed("staging").of_type("gcp:container/nodePool:NodePool")
    assert pool.inputs["nodeConfig"]["machineType"] == "g2-standard-48"
    assert pool.inputs["nodeConfig"]["spot"] is True
    assert pool.inputs["autoscaling"]["totalMaxNodeCount"] == 2


def test_prod_has_reserved_machines_two_replicas_and_its_own_registry() -> None:
    monitor = previewed("prod")
    (pool,) = monitor.of_type("gcp:container/nodePool:NodePool")
    assert pool.inputs["nodeConfig"]["reservationAffinity"]["values"] == ["training-a100"]
    charts = monitor.of_type("kubernetes:helm.sh/v4:Chart")
    assert [chart.inputs["chart"].split("/")[2] for chart in charts] == ["us-docker.pkg.dev"] * 2
    pods = [chart.inputs["values"][key] for chart, key in zip(charts, ("controller", "manager"), strict=True)]
    assert [pod["replicas"] for pod in pods] == [2, 2]
    specs = runtimes(monitor)
    assert sorted(specs) == ["deepspeed-distributed", "torch-distributed"]
    for spec in specs.values():
        for job in spec["template"]["spec"]["replicatedJobs"]:
            for container in job["template"]["spec"]["template"]["spec"]["containers"]:
                assert container["image"].startswith("us-docker.pkg.dev/my-project/")

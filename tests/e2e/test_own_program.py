"""A program of one's own that creates its cluster too: the kubeconfig is an Output, unknown in the first preview.

What creates the cluster is played by a ConfigMap of the local cluster, whose id is known only when it exists; the
kubeconfig depends on it. Everything else is real.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
import pytest
import yaml
from kubernetes import client, config
from pulumi import automation

from components.platform import TrainingPlatform
from components.runtimes import torch
from tools import BIN, LOCAL

from ..api_server import ApiServer
from .conftest import Platform, copy_project
from .stack_objects import CRDS, trainjobs
from .submitter import TRAINJOB

CONTEXT = "kwok-training-platform"
RUNTIMES = ("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime")


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """A cluster with nothing on it."""
    platform = copy_project(tmp_path_factory.mktemp("own"))
    platform.succeed("start")
    yield platform
    platform.run("down")


@pytest.fixture
def ambient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    """Another cluster, which the ambient kubeconfig leads to. It must never be asked."""
    with ApiServer() as server:
        kubeconfig = {
            "contexts": [{"name": "ambient", "context": {"cluster": "ambient"}}],
            "clusters": [{"name": "ambient", "cluster": {"server": server.url}}],
            "current-context": "ambient",
        }
        (tmp_path / "ambient").write_text(yaml.safe_dump(kubeconfig))
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "ambient"))
        yield server


@pytest.fixture
def stack(ground: Platform, ambient: ApiServer, monkeypatch: pytest.MonkeyPatch) -> automation.Stack:  # noqa: ARG001
    """The program's stack."""
    state = ground.project / ".local" / "state-of-own"
    state.mkdir(exist_ok=True)
    monkeypatch.setenv("PULUMI_BACKEND_URL", f"file://{state}")
    monkeypatch.setenv("PULUMI_HOME", f"{ground.project}/.local/pulumi")
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "own")
    monkeypatch.setenv("PULUMI_SKIP_UPDATE_CHECK", "true")
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    workspace = automation.LocalWorkspaceOptions(
        work_dir=str(ground.project / ".local"), pulumi_command=automation.PulumiCommand(str(LOCAL))
    )
    return automation.create_or_select_stack("dev", "own", lambda: program(ground), opts=workspace)


KNOWN: list[bool] = []
"""Whether the kubeconfig was known, in each run of the program."""


def program(ground: Platform) -> None:
    """A cluster, and a platform on it."""
    management = kubernetes.Provider("management", kubeconfig=str(ground.kubeconfig), context=CONTEXT)
    created = kubernetes.core.v1.ConfigMap(
        "cluster",
        metadata={"name": "cluster", "namespace": "default"},
        opts=pulumi.ResourceOptions(provider=management),
    )
    content = ground.kubeconfig.read_text()
    known: pulumi.Input[str] = created.id
    kubeconfig = pulumi.Output.secret(known).apply(lambda known: f"# {known}\n{content}")
    sections = ground.sections("jobset", "trainer")
    jobset, trainer = ({"chart": str(ground.project / each["chart"])} for each in sections.values())
    platform = TrainingPlatform(
        "training",
        {
            "kubeconfig": kubeconfig,
            "context": CONTEXT,
            "gpu_node_pools": {"gpu": {"provider": "simulated", "nodes": 2, "gpus_per_node": 8}},
            "jobset": jobset,
            "trainer": trainer,
            "runtimes": [torch(name="ours", gpus_per_node=8)],
        },
        pulumi.ResourceOptions(depends_on=[created]),
    )
    kubernetes.core.v1.ConfigMap(
        "after",
        metadata={"name": "after", "namespace": "default"},
        opts=pulumi.ResourceOptions(provider=management, depends_on=platform.ready),
    )
    pulumi.export("runtimes", platform.runtimes)
    pulumi.export("namespaces", platform.namespaces)

    async def note() -> bool:
        KNOWN.append(await kubeconfig.is_known())
        return KNOWN[-1]

    pulumi.export("known", pulumi.Output.from_input(note()))


def kinds(changes: Any) -> dict[str, int]:
    return {str(getattr(kind, "value", kind)): count for kind, count in changes.items()}


def test_a_cluster_of_the_same_program_has_its_platform_from_the_first_preview_to_the_destroy(
    ground: Platform, ambient: ApiServer, stack: automation.Stack
) -> None:
    KNOWN.clear()
    seen: list[str] = []
    first = stack.preview(on_output=seen.append)
    assert KNOWN == [False]
    assert set(kinds(first.change_summary)) == {"create"}
    shown = "\n".join(seen)
    for component in (
        "TrainingPlatform",
        "GpuNodePool",
        "JobSet",
        "KubeflowTrainer",
        "TrainingRuntimes",
        "TrainingGate",
    ):
        assert f"training-platform:index:{component}" in shown
    assert ground.names("v1", "Namespace") == ["default", "kube-node-lease", "kube-public", "kube-system"]

    done = stack.up(on_output=print)
    assert KNOWN[-1]
    assert {name: output.value for name, output in done.outputs.items()} == {
        "known": True,
        "runtimes": ["ours"],
        "namespaces": {"jobset": "jobset-system", "trainer": "kubeflow-system"},
    }
    assert ground.names(*RUNTIMES) == ["ours"]
    state = (ground.project / ".local" / "state-of-own" / ".pulumi" / "stacks" / "own" / "dev.json").read_text()
    resources = json.loads(state)["checkpoint"]["latest"]["resources"]
    names = [each["urn"].rpartition("::")[2] for each in resources]
    assert names.index("after") > names.index("training-gate")
    assert "certificate-authority" not in state

    again = stack.preview()
    assert set(kinds(again.change_summary)) == {"same"}

    trainjobs(ground).create(
        body={**TRAINJOB, "spec": {"runtimeRef": {"name": "ours"}, "suspend": True}}, namespace="default"
    )
    refused: list[str] = []
    with pytest.raises(automation.CommandError):
        stack.destroy(on_output=refused.append, on_error=refused.append, run_program=True)
    assert "1 unfinished TrainJob would stop" in "\n".join(refused)
    assert ground.names(*RUNTIMES) == ["ours"]
    assert "jobset-controller" in ground.names("apps/v1", "Deployment")

    trainjobs(ground).delete(name=TRAINJOB["metadata"]["name"], namespace="default")
    stack.destroy(on_output=print, run_program=True)
    assert ground.names(*RUNTIMES) == []
    assert ground.names("apps/v1", "Deployment") == []
    core = client.CoreV1Api(config.new_client_from_config(str(ground.kubeconfig)))
    assert "cluster" not in [each.metadata.name for each in core.list_namespaced_config_map("default").items]
    assert [
        name for name in ground.names("apiextensions.k8s.io/v1", "CustomResourceDefinition") if name in CRDS
    ] == CRDS
    assert ambient.asked == []

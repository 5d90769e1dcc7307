"""The program as the engine runs it: config in, resources out; or one message and no resource."""

import json
import runpy
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pulumi
import pytest

from components.cluster.client import ClusterClient
from components.runtimes import rules
from stacks.settings.error_report import InvalidSettingsError

from ..api_server import ApiServer
from .monitor import PROJECT, Monitor, run

ASKS_THE_CLUSTER = ClusterClient.uid
"""What the fixture replaces."""
PROGRAM = Path(__file__).parent.parent.parent / "__main__.py"


@pytest.fixture
def server() -> Iterator[str]:
    """Where an API server answers."""
    with ApiServer() as server:
        yield server.url


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str) -> Path:
    """The project's folder, with a kubeconfig."""
    monkeypatch.chdir(tmp_path)
    cluster = {"name": "c", "cluster": {"server": server}}
    context = {"name": "local", "context": {"cluster": "c"}}
    (tmp_path / "kubeconfig").write_text(json.dumps({"clusters": [cluster], "contexts": [context]}))
    return tmp_path


def config(**sections: Any) -> dict[str, str]:
    """Config as the engine hands it to a program: text, JSON where it is structured; `none` where it is left out."""
    everything = {"cluster": {"kubeconfig": "kubeconfig", "context": "local"}, "runtimes": "none", **sections}
    return {
        f"{PROJECT}:{section}": value if isinstance(value, str) else json.dumps(value)
        for section, value in everything.items()
    }


def program(given: Mapping[str, str], monitor: Monitor | None = None, secret: Sequence[str] = ()) -> Monitor:
    return run(runpy.run_path(str(PROGRAM))["main"], given, monitor=monitor, secret=secret)


def test_section_with_a_misspelled_namespace_stops_the_program() -> None:
    monitor = Monitor()
    with pytest.raises(InvalidSettingsError, match="Did you mean `training-platform:runtimes`"):
        program(config() | {"training-plattform:runtimes": "{}", "gcp:project": "mine"}, monitor)
    assert monitor.registered == {}


def test_program_deploys_and_exports_its_config() -> None:
    monitor = program(config(jobset={"replicas": 2}, gpuNodePools="none"))
    assert [registered.type for registered in monitor.of_type("training-platform:index:JobSet")] == [
        "training-platform:index:JobSet"
    ]
    (chart,) = monitor.of_type("kubernetes:helm.sh/v4:Chart")
    assert chart.inputs["values"] == {"controller": {"replicas": 2}}
    assert monitor.exports == {"jobset": {"version": "0.12.0", "namespace": "jobset-system"}}


def test_rules_check_each_runtime_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str | None] = []
    check = rules.check

    def noted(runtime: Any) -> Any:
        seen.append(runtime.metadata.name)
        return check(runtime)

    monkeypatch.setattr(rules, "check", noted)
    pools = {"gpu": {"provider": "simulated", "nodes": 2, "gpusPerNode": 8}}
    runtimes = {"a": {"framework": "deepspeed"}, "b": {"framework": "torch", "nodePool": "gpu"}}
    monitor = program(config(runtimes=runtimes, gpuNodePools=pools))
    assert monitor.exports["runtimes"] == ["a", "b"]
    assert seen == ["a", "b"]


def test_config_of_other_projects_is_ignored() -> None:
    assert program({**config(jobset={}), "kubernetes:context": "ambient", "aws:region": "x"}).of_type(
        "training-platform:index:JobSet"
    )


def test_nothing_is_registered_for_an_invalid_config() -> None:
    monitor = Monitor()
    with pytest.raises(InvalidSettingsError, match=r"`jobset` has no key `replica`"):
        program(config(jobset={"replica": 2}), monitor)
    assert monitor.registered == {}


def test_secret_section_is_rejected_and_not_shown() -> None:
    monitor = Monitor()
    given = config(jobset={"replica": 2}, trainer="hunter2", images={"mirrors": {"ghcr.io": "hunter2"}})
    with pytest.raises(InvalidSettingsError) as refused:
        program(given, monitor, [f"{PROJECT}:trainer", f"{PROJECT}:images", "aws:secretKey"])
    assert str(refused.value) == (
        "2 mistakes in stacks/Pulumi.test.yaml. Nothing was changed.\n\n"
        "  trainer [STK-10]\n"
        "    `trainer` is encrypted, but what is deployed of it is not: previews and the cluster show it to all.\n"
        "    Fix: Take out `secure:`, or set it without `--secret`. Where a secret is needed, name a Secret of the "
        "cluster.\n\n"
        "  images [STK-10]\n"
        "    `images` is encrypted, but what is deployed of it is not: previews and the cluster show it to all.\n"
        "    Fix: Take out `secure:`, or set it without `--secret`. Where a secret is needed, name a Secret of the "
        "cluster."
    )
    assert monitor.registered == {}


def test_nothing_is_registered_if_no_api_server_answers(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = f"https://127.0.0.1:{gone.getsockname()[1]}"
    kubeconfig = json.loads((project / "kubeconfig").read_text())
    kubeconfig["clusters"][0]["cluster"]["server"] = address
    (project / "kubeconfig").write_text(json.dumps(kubeconfig))
    monkeypatch.setattr(ClusterClient, "uid", ASKS_THE_CLUSTER)
    monitor = Monitor()
    with pytest.raises(pulumi.RunError) as failed:
        program(config(jobset={}), monitor)
    assert str(failed.value) == (
        "1 mistake in stacks/Pulumi.test.yaml. Nothing was changed.\n\n  cluster.context [STK-05]\n"
        f"    No API server answers for context `local`: the API server at {address} cannot be reached: "
        "Connection refused.\n    Fix: Start the cluster or the tunnel to it, or set another context."
    )
    assert [each.type for each in monitor.registered.values()] == ["training-platform:index:TrainingPlatform"]


def test_provider_reads_a_list_of_kubeconfigs(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "kubeconfig").rename(project / "second")
    (project / "first").write_text("current-context: another")
    monkeypatch.setenv("KUBECONFIG", "first:second")
    monitor = program(config(cluster={"context": "local"}, jobset={}))
    for provider in monitor.of_type("pulumi:providers:kubernetes"):
        assert {key: provider.inputs[key] for key in ("kubeconfig", "context")} == {
            "kubeconfig": "",
            "context": "local",
        }

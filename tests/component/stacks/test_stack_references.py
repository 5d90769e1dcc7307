"""Stacks of three teams: each uses what the others export."""

from collections.abc import Mapping
from typing import Any

import pytest
from pulumi.runtime import rpc

from components.admission.checks import AdmissionCheck
from components.cluster.client import ClusterClient
from components.training_gate import TrainingGate
from components.training_runtimes import TrainingRuntimes
from stacks.settings.error_report import InvalidSettingsError

from ..monitor import Monitor, Outside
from ..team_stacks import PROVIDER, deployed, kinds

pytestmark = pytest.mark.usefixtures("shared_cluster")

POOLS, PLATFORM, CLUSTERS = (
    "acme/training-platform/layers-cluster",
    "acme/training-platform/layers-platform",
    "acme/clusters/shared",
)
KUBECONFIG = "apiVersion: v1\nkind: Config\n"
RUNTIME = "kubernetes:trainer.kubeflow.org/v1alpha1:ClusterTrainingRuntime"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"


def outside(**changed: Any) -> Outside:
    """What the other stacks export, as the stacks of this project do it."""
    exports = {
        CLUSTERS: {"teamKubeconfig": KUBECONFIG},
        POOLS: deployed("layers-cluster").exports,
        PLATFORM: deployed("layers-platform").exports,
    }
    return Outside({**exports, **changed}, secret=["teamKubeconfig"])


def test_stack_of_each_team_declares_only_its_layers() -> None:
    mine = "training-platform:index"
    stash = "pulumi:index:Stash"
    assert kinds(deployed("layers-cluster")) == [
        "kubernetes:core/v1:NodePatch",
        stash,
        PROVIDER,
        f"{mine}:GpuNodePool",
        f"{mine}:TrainingPlatform",
    ]
    assert kinds(deployed("layers-platform")) == [
        "kubernetes:core/v1:ConfigMap",
        "kubernetes:core/v1:Namespace",
        "kubernetes:helm.sh/v4:Chart",
        stash,
        PROVIDER,
        f"{mine}:JobSet",
        f"{mine}:KubeflowTrainer",
        f"{mine}:TrainingGate",
        f"{mine}:TrainingPlatform",
    ]
    assert kinds(deployed("layers-team", outside())) == [
        RUNTIME,
        stash,
        PROVIDER,
        f"{mine}:TrainingPlatform",
        f"{mine}:TrainingRuntimes",
    ]


def test_runtimes_are_bound_to_the_pool_of_another_stack() -> None:
    (runtime,) = deployed("layers-team", outside()).of_type(RUNTIME)
    for job in runtime.inputs["spec"]["template"]["spec"]["replicatedJobs"]:
        pod = job["template"]["spec"]["template"]["spec"]
        assert pod["nodeSelector"] == {"training-platform/node-pool": "h100"}
        assert [each["key"] for each in pod["tolerations"]] == ["nvidia.com/gpu"]
        assert pod["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "8"}


def test_runtimes_on_the_pool_of_another_stack_are_validated() -> None:
    (report,) = deployed("layers-team", outside(), validation={"namespace": "speech"}).of_type(CONFIG_MAP)
    assert report.name == "platform-validation:speech-deepspeed"
    assert report.inputs["metadata"]["namespace"] == "speech"


def test_validation_must_fit_on_the_pool_of_another_stack() -> None:
    with pytest.raises(InvalidSettingsError, match="500 nodes of `speech-deepspeed` do not fit on pool `h100`"):
        deployed("layers-team", outside(), validation={"nodes": 500})


def test_pool_can_have_another_name_in_the_other_stack() -> None:
    pools = {"fast": {"provider": "stack", "stack": POOLS, "pool": "h100"}}
    runtimes = {"mine": {"framework": "torch", "nodePool": "fast"}}
    (runtime,) = deployed("layers-team", outside(), gpuNodePools=pools, runtimes=runtimes).of_type(RUNTIME)
    (job,) = runtime.inputs["spec"]["template"]["spec"]["replicatedJobs"]
    pod = job["template"]["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"training-platform/node-pool": "h100"}


def test_preview_declares_the_same_resources_as_up() -> None:
    there = outside()
    up, preview = deployed("layers-team", there), deployed("layers-team", there, preview=True)
    assert preview.registered == up.registered
    assert preview.exports == up.exports == {"runtimes": ["speech-deepspeed"]}


def test_preview_declares_the_same_resources_without_a_known_kubeconfig() -> None:
    unknown = outside(**{CLUSTERS: {"teamKubeconfig": rpc.UNKNOWN}})
    preview, up = deployed("layers-team", unknown, preview=True), deployed("layers-team", outside())
    assert sorted(preview.registered) == sorted(up.registered)
    assert preview.of_type(RUNTIME) == up.of_type(RUNTIME)


@pytest.mark.parametrize("exported", [KUBECONFIG, {"kind": "Config"}], ids=["text", "mapping"])
def test_the_kubeconfig_of_another_stack_stays_a_secret(exported: Any) -> None:
    monitor = deployed("layers-team", outside(**{CLUSTERS: {"teamKubeconfig": exported}}))
    providers = monitor.of_type(PROVIDER)
    assert [each.name for each in providers] == ["platform-cluster", "platform-operators", "platform-runtimes"]
    for provider in providers:
        kubeconfig = provider.inputs["kubeconfig"]
        assert rpc.is_rpc_secret(kubeconfig)
        assert rpc.unwrap_rpc_secret(kubeconfig) == (exported if isinstance(exported, str) else '{"kind": "Config"}')


@pytest.mark.parametrize(
    ("exported", "read"),
    [(KUBECONFIG, KUBECONFIG), ({"kind": "Config"}, '{"kind": "Config"}'), (rpc.UNKNOWN, "{}")],
    ids=["text", "mapping", "not known yet"],
)
def test_cluster_of_another_stack_is_read_with_its_kubeconfig(
    exported: Any, read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str | None, str | None]] = []

    def access(context: str | None, kubeconfig: str | None) -> ClusterClient:
        asked.append((context, kubeconfig))
        return ClusterClient(context, kubeconfig)

    monkeypatch.setattr("components.platform.connection.ClusterClient", access)
    deployed("layers-team", outside(**{CLUSTERS: {"teamKubeconfig": exported}}), preview=exported is rpc.UNKNOWN)
    assert asked[-1] == (None, read)


def refusal(there: Outside, preview: bool = False, **changed: Any) -> str:
    """The message with which the team's stack is refused, having declared none of its layers."""
    monitor = Monitor(there)
    with pytest.raises(InvalidSettingsError) as refused:
        deployed("layers-team", preview=preview, monitor=monitor, **changed)
    assert [each.type for each in monitor.registered.values() if each.type != PROVIDER] == []
    return str(refused.value).partition("\n\n")[2]


NO_POOL = """\
  gpuNodePools.h100.stack [STK-13]
    The stack acme/training-platform/layers-cluster exports no GPU node pool `h100`.
    Fix: Deploy it there first. Pools there: {known}."""


@pytest.mark.parametrize(
    ("exports", "known"),
    [({}, "none"), ({"gpuNodePools": {"b": {}, "a": {}}}, "`a`, `b`"), ({"gpuNodePools": "x"}, "none")],
)
@pytest.mark.parametrize("preview", [False, True])
def test_missing_pool_is_reported_before_anything_is_declared(
    exports: Mapping[str, Any], known: str, preview: bool
) -> None:
    assert refusal(outside(**{POOLS: exports}), preview) == NO_POOL.format(known=known)


def test_all_missing_outputs_of_other_stacks_are_reported_at_once() -> None:
    there = outside(**{POOLS: {"gpuNodePools": {"h100": {"gpusPerNode": "8"}}}, PLATFORM: {"jobset": {"version": "1"}}})
    assert refusal(there) == (
        "  gpuNodePools.h100.stack [STK-13]\n"
        "    What the stack acme/training-platform/layers-cluster exports of its pool `h100` is not understood at "
        "`gpusPerNode`.\n"
        "    Fix: Deploy both stacks with one version of this project.\n\n"
        "  trainer.stack [STK-13]\n"
        "    The stack acme/training-platform/layers-platform exports no `trainer`: "
        "it has not installed the operator.\n"
        "    Fix: Deploy it there first, or name the stack that did."
    )


def test_runtimes_are_checked_against_the_pool_of_the_other_stack() -> None:
    runtimes = {"mine": {"framework": "deepspeed", "nodePool": "h100", "gpusPerNode": 16}}
    assert refusal(outside(), runtimes=runtimes) == (
        "  runtimes.mine.gpusPerNode [CAT-04]\n"
        "    The runtime requests 16 GPUs per node, but a node of the pool has 8.\n"
        "    Fix: Request fewer GPUs per node and more nodes."
    )


ID = "6c0d3c0e-3a0f-4d2c-9b57-0f8a1c2d3e4f"


def providers(monitor: Monitor) -> dict[str, str]:
    """The id of the cluster that each provider is told, by which it knows that another address is no other cluster."""
    return {each.name: each.inputs["clusterIdentifier"] for each in monitor.of_type(PROVIDER)}


def test_empty_kubeconfig_of_another_stack_is_rejected_with_the_key() -> None:
    there = outside(**{CLUSTERS: {"teamKubeconfig": ""}})
    with pytest.raises(InvalidSettingsError) as refused:
        deployed("layers-team", there)
    assert str(refused.value).partition("\n\n")[2] == (
        "  cluster.output [STK-05]\n"
        "    `cluster.output` is empty, so it names no cluster.\n"
        "    Fix: Set `cluster.output`."
    )


def test_id_of_a_future_cluster_is_not_read_in_a_preview(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: ClusterClient) -> str:
        raise AssertionError

    there = outside(**{CLUSTERS: {"teamKubeconfig": rpc.UNKNOWN}})
    monkeypatch.setattr(ClusterClient, "uid", unknown)
    cluster = {"stack": CLUSTERS, "output": "teamKubeconfig", "id": ID}
    assert [each.name for each in deployed("layers-team", there, preview=True, cluster=cluster).of_type(RUNTIME)] == [
        "platform-runtimes:speech-deepspeed"
    ]


@pytest.mark.parametrize(
    ("stack", "changed", "asked"),
    [
        ("layers-team", {}, [(True, 120)]),
        ("layers-team", {"trainer": {"stack": PLATFORM, "readyTimeoutSeconds": 7}}, [(True, 7)]),
        (
            "layers-team",
            {"trainer": {"stack": PLATFORM, "readyTimeoutSeconds": 7}, "jobset": {}},
            [(True, 7), (True, 7)],
        ),
        ("layers-platform", {}, [(False, 120)]),
    ],
    ids=["team", "said", "jobset", "platform"],
)
def test_trainer_of_another_stack_is_checked_by_runtimes_and_gate_with_its_timeout(
    stack: str, changed: dict[str, Any], asked: list[tuple[bool, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[tuple[bool, int]] = []

    def noted(*args: Any) -> AdmissionCheck:
        admission = AdmissionCheck(*args)
        found.append((admission.requires_trainer, admission.external_timeout_seconds))
        return admission

    others = outside()
    for component in (TrainingRuntimes, TrainingGate):
        monkeypatch.setitem(component.__init__.__globals__, "AdmissionCheck", noted)
    deployed(stack, others, **changed)
    assert found == asked

"""The providers of a platform's layers: which cluster they may change, whose state it is, and manifests without one."""

import pytest

from components.cluster.client import ClusterClient, ClusterReadError, Response
from stacks.settings.error_report import InvalidSettingsError

from ..conftest import CLUSTER_ID, STACK_ID
from ..monitor import Monitor, Outside
from ..team_stacks import PROVIDER, deployed, kinds

pytestmark = pytest.mark.usefixtures("shared_cluster")

ID = "6c0d3c0e-3a0f-4d2c-9b57-0f8a1c2d3e4f"
GUARDED = {"context": "shared", "id": ID}


def answering(monkeypatch: pytest.MonkeyPatch, uid: str) -> None:
    monkeypatch.setattr(ClusterClient, "uid", lambda _: uid)


def providers(monitor: Monitor) -> dict[str, str]:
    """The id of the cluster that each provider is told, by which it knows that another address is no other cluster."""
    return {each.name: each.inputs["clusterIdentifier"] for each in monitor.of_type(PROVIDER)}


def test_expected_cluster_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, ID)
    monitor = deployed("layers-platform", cluster=GUARDED)
    assert [each.name for each in monitor.of_type("training-platform:index:JobSet")] == ["platform-jobset"]
    assert providers(monitor) == dict.fromkeys(["platform-cluster", "platform-operators", "platform-runtimes"], ID)


@pytest.mark.parametrize("preview", [False, True])
def test_unexpected_cluster_is_rejected_before_anything_is_declared(preview: bool) -> None:
    monitor = Monitor()
    with pytest.raises(InvalidSettingsError) as refused:
        deployed("layers-platform", preview=preview, monitor=monitor, cluster=GUARDED)
    assert str(refused.value) == (
        "1 mistake in stacks/Pulumi.test.yaml. Nothing was changed.\n\n"
        "  cluster.id [STK-17]\n"
        f"    The cluster that answers has the id {CLUSTER_ID}, not {ID}: it is not the one that is meant.\n"
        "    Fix: Name the context that leads to the one that is meant. If it was created anew, write its new id here."
    )
    assert kinds(monitor) == ["training-platform:index:TrainingPlatform"]


@pytest.mark.parametrize("preview", [False, True])
def test_cluster_that_differs_from_the_state_is_rejected_before_any_provider(preview: bool) -> None:
    monitor = Monitor(Outside(identity={"id": "mine", "cluster": ID}))
    with pytest.raises(InvalidSettingsError) as refused:
        deployed("layers-platform", preview=preview, monitor=monitor, cluster={"context": "shared"})
    assert str(refused.value) == (
        "1 mistake in stacks/Pulumi.test.yaml. Nothing was changed.\n\n"
        "  cluster [STK-17]\n"
        f"    This stack's state belongs to the cluster {ID}, but the cluster {CLUSTER_ID} answers. Its objects would "
        "be mistaken for this stack's.\n"
        "    Fix: Name the context that leads to the cluster of the state. If that one is gone and this one took its "
        f"place, write `cluster: {{id: {CLUSTER_ID}, replaces: {ID}}}`, and run `pulumi refresh` first."
    )
    assert kinds(monitor) == ["pulumi:index:Stash", "training-platform:index:TrainingPlatform"]


def test_replaced_cluster_is_accepted_if_the_settings_name_both() -> None:
    cluster = {"context": "shared", "id": CLUSTER_ID, "replaces": ID}
    monitor = deployed("layers-platform", Outside(identity={"id": "mine", "cluster": ID}), cluster=cluster)
    # To the provider it is the same one, or it would replace what a refresh has left.
    assert providers(monitor) == dict.fromkeys(["platform-cluster", "platform-operators", "platform-runtimes"], ID)
    namespaces = monitor.of_type("kubernetes:core/v1:Namespace")
    assert {each.name: each.inputs["metadata"]["annotations"]["training-platform/cluster"] for each in namespaces} == {
        "platform-jobset": CLUSTER_ID,
        "platform-trainer": CLUSTER_ID,
    }


def test_nothing_is_declared_if_the_cluster_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: ClusterClient) -> str:
        raise ClusterReadError("you may not get it")

    monkeypatch.setattr(ClusterClient, "uid", unknown)
    monkeypatch.setattr(ClusterClient, "request", lambda *_: Response(200, {}))
    monitor = Monitor()
    with pytest.raises(
        InvalidSettingsError, match=r"\[STK-21\]\n    Which cluster answers is unknown.*you may not get it"
    ):
        deployed("layers-platform", monitor=monitor)
    assert kinds(monitor) == ["training-platform:index:TrainingPlatform"]


def test_stack_id_is_that_of_the_state() -> None:
    monitor = deployed("layers-platform", Outside(identity={"id": "mine", "cluster": CLUSTER_ID}))
    marks = {
        each.inputs["metadata"]["annotations"]["training-platform/stack-id"]
        for each in monitor.registered.values()
        if each.type.startswith("kubernetes:core")
    }
    assert marks == {"mine"}
    (stash,) = monitor.of_type("pulumi:index:Stash")
    assert (stash.ignore_changes, stash.inputs["input"]) == (("input",), {"id": STACK_ID, "cluster": CLUSTER_ID})
    assert all(stash.urn in each.dependencies for each in monitor.of_type(PROVIDER))


def test_rendered_manifests_need_no_cluster() -> None:
    monitor = deployed("layers-platform", cluster={"renderTo": "rendered"})
    assert {each.name: each.inputs for each in monitor.of_type(PROVIDER)} == {
        name: {"kubeconfig": "", "renderYamlToDirectory": "rendered", "alwaysRender": "true", **more}
        for name, more in {
            "platform-cluster": {},
            "platform-operators": {"upsertExistingObjects": "true"},
            "platform-runtimes": {"enableServerSideApply": "false"},
        }.items()
    }


def test_rendered_manifests_are_not_checked_in_a_cluster() -> None:
    monitor = deployed("layers-platform", cluster={"renderTo": "rendered"})
    assert "training-platform:index:TrainingGate" not in kinds(monitor)
    assert [each.name for each in monitor.registered.values() if any(each.hooks.values())] == []


def test_warnings_are_one_message_with_the_keys_of_the_file() -> None:
    pools = {"mig": {"provider": "existing", "nodes": ["a"], "gpusPerNode": 7, "gpuResource": "nvidia.com/mig-1g.5gb"}}
    warnings = deployed("layers-cluster", gpuNodePools=pools).log.warnings
    assert warnings == [
        (
            "",
            "1 warning about stacks/Pulumi.test.yaml.\n\n  gpuNodePools.mig.gpuResource [POOL-10]\n"
            "    Trainer does not count nvidia.com/mig-1g.5gb, so torch starts one process per CPU.\n"
            "    Fix: Set the number of processes in runtimes, or use whole GPUs.",
        )
    ]

"""Before an operator or a runtime comes: what is there, whose it is, whether the version goes back."""

from typing import Any

import pytest

from components.cluster.hook_error import PreflightError
from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.install_checks import (
    report_upgrade,
    require_no_downgrade,
    require_not_installed,
    require_refreshed,
)

from ..fake_cluster import Cluster, thing
from .cluster_objects import AT, CRD, NAMESPACE, OURS, WEBHOOKS, deployment, stack_context, webhook

RELEASE = {"meta.helm.sh/release-name": "jobset"}
INSTALLED = {
    CRD: thing("jobsets.jobset.x-k8s.io"),
    f"{WEBHOOKS}/jobset": webhook(annotations=RELEASE),
    "/apis/apps/v1/namespaces/elsewhere/deployments/controller": deployment("a/jobset:v0.12.0"),
}


def said(cluster: Cluster, spec: JobSetOperatorSpec) -> str:
    with pytest.raises(PreflightError) as refused:
        require_not_installed("jobset", spec, stack_context(cluster))
    return str(refused.value)


def test_existing_operator_is_not_adopted_without_adopt() -> None:
    assert said(Cluster(INSTALLED), JobSetOperatorSpec()) == (
        "jobset.adopt: JobSet is already installed in the cluster:\n"
        "  customresourcedefinition/jobsets.jobset.x-k8s.io: owner unknown\n"
        "  validatingwebhookconfiguration/jobset-webhooks: owned by Helm release jobset\n"
        "  Fix: Set `jobset: {adopt: true}` to take it over, `mode: external` to leave it to its owner, or "
        "remove these objects. [OPR-02]"
    )


def test_existing_operator_is_adopted_with_adopt() -> None:
    require_not_installed("jobset", JobSetOperatorSpec(adopt=True), stack_context(Cluster(INSTALLED)))


def test_objects_kept_by_a_destroy_of_the_same_stack_are_adopted() -> None:
    left = {
        CRD: thing("jobsets.jobset.x-k8s.io", annotations=OURS | AT),
        NAMESPACE: thing("jobset-system", annotations=OURS),
    }
    require_not_installed("jobset", JobSetOperatorSpec(), stack_context(Cluster(left)))


def test_adopting_a_newer_version_is_a_downgrade() -> None:
    assert said(Cluster(INSTALLED), JobSetOperatorSpec(adopt=True, version="0.11.1")) == (
        "jobset.version: 0.11.1 is older than the installed JobSet 0.12.0, whose objects may lose fields. Fix: "
        "Set 0.12.0 or a newer version, or set `allowDowngrade: true`. [OPR-03]"
    )


def test_unreadable_cluster_stops_the_installation() -> None:
    cluster = Cluster()
    cluster.down = True
    assert said(cluster, JobSetOperatorSpec()).startswith("jobset: Cannot check whether JobSet is already installed:")


@pytest.mark.parametrize(("installed", "version"), [(None, "2.3.0"), ("2.3.0", "2.3.0"), ("2.2.1", "2.3.0")])
def test_upgrade_or_same_version_is_allowed(installed: str | None, version: str) -> None:
    require_no_downgrade("trainer", KubeflowTrainerSpec(version=version), installed)


def test_downgrade_needs_allow_downgrade() -> None:
    with pytest.raises(PreflightError, match=r"2\.2\.1 is older than the installed .* 2\.3\.0.*OPR-03"):
        require_no_downgrade("trainer", KubeflowTrainerSpec(version="2.2.1"), "2.3.0")
    require_no_downgrade("trainer", KubeflowTrainerSpec(version="2.2.1", allow_downgrade=True), "2.3.0")


def test_unknown_version_is_not_replaced() -> None:
    left = {CRD: thing("jobsets.jobset.x-k8s.io", annotations=OURS)}
    assert said(Cluster(left), JobSetOperatorSpec()) == (
        "jobset.version: The installed version of JobSet is unknown: neither its image nor its CRDs state one. "
        "Fix: Record it: `kubectl --context here annotate crd jobsets.jobset.x-k8s.io "
        "training-platform/version=<version>`. Or set `jobset: {allowDowngrade: true}` to let 0.12.0 replace any "
        "version. [OPR-15]"
    )
    require_not_installed("jobset", JobSetOperatorSpec(allow_downgrade=True), stack_context(Cluster(left)))


def test_version_older_than_kept_crds_is_a_downgrade() -> None:
    left = {CRD: thing("jobsets.jobset.x-k8s.io", annotations=OURS | AT)}
    assert "0.8.2 is older than the installed JobSet 0.12.0" in said(Cluster(left), JobSetOperatorSpec(version="0.8.2"))


BEFORE = OURS | {"training-platform/operator": "jobset", "training-platform/namespace": "created"}
RENAMED = {"/api/v1/namespaces/old": thing("old", annotations=BEFORE)}
JOBSETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces"
TRAINJOBS = "/apis/trainer.kubeflow.org/v1alpha1/namespaces"


@pytest.mark.parametrize(
    ("there", "rule"),
    [
        ({f"{TRAINJOBS}/a/trainjobs/mine": thing("mine", "a")}, "OPR-05"),
        ({f"{JOBSETS}/a/jobsets/bare": thing("bare", "a")}, "OPR-05"),
        ({"/api/v1/namespaces/old/secrets/keys": thing("keys", "old")}, "OPR-16"),
    ],
    ids=["trainjob", "jobset", "contents"],
)
def test_namespace_rename_is_rejected_while_trainjobs_are_unfinished(there: dict[str, Any], rule: str) -> None:
    assert said(Cluster(RENAMED | there), JobSetOperatorSpec()).endswith(f"[{rule}]")


def test_namespace_of_an_unused_operator_can_be_renamed() -> None:
    require_not_installed("jobset", JobSetOperatorSpec(), stack_context(Cluster(RENAMED)))


def test_kept_namespace_is_not_checked_by_a_rename() -> None:
    found = {"/api/v1/namespaces/old": thing("old", annotations=BEFORE | {"training-platform/namespace": "found"})}
    secret = {"/api/v1/namespaces/old/secrets/keys": thing("keys", "old")}
    require_not_installed("jobset", JobSetOperatorSpec(), stack_context(Cluster(found | secret)))


def test_state_of_a_replaced_cluster_must_be_refreshed_first() -> None:
    for there in ({}, {NAMESPACE: thing("jobset-system", uid="another")}):
        with pytest.raises(PreflightError) as refused:
            require_refreshed("jobset", JobSetOperatorSpec(), "of the state", stack_context(Cluster(there)))
        assert str(refused.value) == (
            "jobset: The state still describes objects of the cluster that here replaces. Fix: Run `pulumi refresh` "
            "first, to remove them from the state. [OPR-18]"
        )
    there = {NAMESPACE: thing("jobset-system", uid="of the state")}
    require_refreshed("jobset", JobSetOperatorSpec(), "of the state", stack_context(Cluster(there)))


def test_upgrade_is_reported_as_one_warning_with_the_train_jobs_that_it_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("pulumi.log.warn", said.append)
    report_upgrade(KubeflowTrainerSpec(), "2.2.0", stack_context(Cluster()))
    assert len(said) == 1
    assert said[0].startswith("Trainer is upgraded from 2.2.0 to 2.3.0:\n  trainer.version: Trainer 2.3, ")
    assert "UPG-02" in said[0]


@pytest.mark.parametrize("installed", ["2.3.0", None])
def test_same_version_is_not_reported(installed: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("pulumi.log.warn", said.append)
    report_upgrade(KubeflowTrainerSpec(), installed, stack_context(Cluster()))
    assert said == []


def test_upgrade_that_skips_a_release_line_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulumi.log.warn", lambda _: None)
    with pytest.raises(PreflightError, match=r"2\.3 must not be skipped"):
        report_upgrade(KubeflowTrainerSpec(version="2.4.0"), "2.2.0", stack_context(Cluster()))

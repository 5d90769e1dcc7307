"""Training runtimes as resources: names, parents, inputs, the options for their updates, warnings."""

from typing import Any

import pytest

from components.admission.checks import AdmissionCheck
from components.cluster.client import ClusterClient
from components.cluster.context import StackContext
from components.runtimes import ClusterTrainingRuntime, TrainingRuntime, catalog
from components.training_runtimes import TrainingRuntimes
from components.validation.merge import deep_merge
from components.validation.violation import Severity, Violation

from .monitor import STACK_URN, run

PREFIX = "urn:pulumi:test::training-platform::training-platform:index:TrainingRuntimes"
KIND = "kubernetes:trainer.kubeflow.org/v1alpha1"
DEEPSPEED = catalog.deepspeed(gpus_per_node=8)
NAMESPACED = TrainingRuntime.from_manifest(
    {
        **catalog.mlx(name="mine").to_manifest(),
        "kind": "TrainingRuntime",
        "metadata": {"name": "mine", "namespace": "team-a", "labels": {"my_label": "x"}},
    }
)


def test_each_runtime_is_a_resource_named_after_it_and_its_namespace() -> None:
    monitor = run(lambda: TrainingRuntimes("runtimes", {"runtimes": [DEEPSPEED, NAMESPACED]}))
    component, cluster_wide, namespaced = monitor.by_name()
    assert [component.urn, cluster_wide.urn, namespaced.urn] == [
        f"{PREFIX}::runtimes",
        f"{PREFIX}${KIND}:ClusterTrainingRuntime::runtimes:deepspeed-distributed",
        f"{PREFIX}${KIND}:TrainingRuntime::runtimes:team-a/mine",
    ]
    assert [component.parent, cluster_wide.parent, namespaced.parent] == [STACK_URN, component.urn, component.urn]
    assert monitor.outputs[component.urn] == {"names": ["deepspeed-distributed", "mine"]}


@pytest.mark.parametrize(
    ("runtimes", "namespace"),
    [([NAMESPACED], "team-a"), ([DEEPSPEED], None), ([DEEPSPEED, NAMESPACED], None), ([], None)],
    ids=["one namespace", "none", "both", "nothing"],
)
def test_trainer_is_probed_in_the_common_namespace_of_runtimes(runtimes: list[Any], namespace: str | None) -> None:
    asked: list[AdmissionCheck] = []

    def noted(*args: Any) -> AdmissionCheck:
        asked.append(AdmissionCheck(*args))
        return asked[-1]

    def program() -> None:
        stack_context = StackContext(ClusterClient("here"), "training-platform/team")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("components.training_runtimes.AdmissionCheck", noted)
            TrainingRuntimes("runtimes", {"runtimes": runtimes, "stack_context": stack_context})

    run(program)
    assert [each.namespace for each in asked] == [namespace]


def test_manifest_is_unchanged_and_deleted_in_the_background() -> None:
    _, cluster_wide, namespaced = run(
        lambda: TrainingRuntimes("runtimes", {"runtimes": [DEEPSPEED, NAMESPACED]})
    ).by_name()
    background = {"metadata": {"annotations": {"pulumi.com/deletionPropagationPolicy": "background"}}}
    assert cluster_wide.inputs == deep_merge(DEEPSPEED.to_manifest(), background)
    assert namespaced.inputs == deep_merge(NAMESPACED.to_manifest(), background)


def test_immutable_changes_replace_a_runtime_and_delete_the_old_one_first() -> None:
    _, runtime = run(lambda: TrainingRuntimes("runtimes", {"runtimes": [DEEPSPEED]})).by_name()
    assert runtime.delete_before_replace
    assert runtime.replace_on_changes == (
        "spec.template.spec.network",
        "spec.template.spec.successPolicy",
        "spec.template.spec.failurePolicy",
        "spec.template.spec.startupPolicy",
        "spec.template.spec.volumeClaimPolicies",
        "spec.template.spec.replicatedJobs[*].dependsOn",
    )


def test_warnings_of_a_runtime_are_shown_for_its_resource(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [
        Violation("SIL-99", "spec.mlPolicy", "it trains, slowly.", "Use more nodes.", Severity.WARNING),
        Violation("UPD-99", "metadata", "it has no label.", "Add one.", Severity.WARNING),
    ]
    monkeypatch.setattr(ClusterTrainingRuntime, "check", lambda _: tuple(said))
    monitor = run(lambda: TrainingRuntimes("runtimes", {"runtimes": [DEEPSPEED]}))
    urn = f"{PREFIX}${KIND}:ClusterTrainingRuntime::runtimes:deepspeed-distributed"
    assert sorted(monitor.log.warnings) == [
        (urn, "metadata: it has no label. Fix: Add one. [UPD-99]"),
        (urn, "spec.mlPolicy: it trains, slowly. Fix: Use more nodes. [SIL-99]"),
    ]


def test_valid_runtime_has_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClusterTrainingRuntime, "check", lambda _: ())
    assert run(lambda: TrainingRuntimes("runtimes", {"runtimes": [DEEPSPEED]})).log.warnings == []

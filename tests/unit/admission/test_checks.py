"""The gate: what is asked of which operators, in which namespace, and how long they may take."""

import time
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import pulumi
import pytest

from components.admission.checks import AdmissionCheck
from components.admission.field_pruning import FieldPruningCheck
from components.admission.probes import AdmissionTimeoutError
from components.admission.runtime_hooks import RuntimeHooks
from components.admission.told_once import RepeatedFailureError
from components.cluster.client import Response
from components.cluster.context import Run, StackContext
from components.cluster.hook_error import PreflightError
from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.chart import child_hook
from components.operators.chart_children import ChartChildren
from components.operators.spec import OperatorSpec
from components.runtimes import catalog
from components.training_gate import destroy_hook, goes, opening_hook, operator_removal_hook

from ..fake_cluster import Cluster, thing
from ..fake_hooks import Hook, run_at_once, run_hook

JOBSET, TRAINER = JobSetOperatorSpec(), KubeflowTrainerSpec()
STACK_CONTEXT = StackContext(Cluster(), "training-platform/dev")
RUNTIMES = [{"kind": "ClusterTrainingRuntime", "metadata": {"name": "mine"}}]


class Slow(Cluster):
    """A cluster that answers when everyone has asked."""

    def request(self, method: str, path: str, *args: Any, **more: Any) -> Response:
        time.sleep(0.05)
        return super().request(method, path, *args, **more)


def jobsets(namespace: str) -> list[str]:
    return [f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{namespace}/jobsets"] * 2


def trainjobs(namespace: str) -> list[str]:
    api = "/apis/trainer.kubeflow.org/v1alpha1"
    return [f"{api}/clustertrainingruntimes"] * 2 + [f"{api}/namespaces/{namespace}/trainjobs"] * 2


@pytest.mark.parametrize("requires_trainer", [True, False])
@pytest.mark.parametrize(
    ("operators", "asked", "of_runtimes"),
    [
        ({"jobset": JOBSET, "trainer": TRAINER}, jobsets("kubeflow-system") + trainjobs("kubeflow-system"), []),
        ({"trainer": TRAINER}, jobsets("kubeflow-system") + trainjobs("kubeflow-system"), []),
        ({"jobset": JOBSET}, jobsets("jobset-system"), trainjobs("jobset-system")),
        ({}, [], trainjobs("default")),
    ],
    ids=["both", "trainer", "jobset", "neither"],
)
def test_probes_use_the_namespace_of_the_last_operator_and_include_trainer_for_runtimes(
    operators: Mapping[str, OperatorSpec], asked: list[str], of_runtimes: list[str], requires_trainer: bool
) -> None:
    admission = AdmissionCheck(operators, STACK_CONTEXT, requires_trainer=requires_trainer)
    paths = asked + (of_runtimes if requires_trainer else [])
    assert [probe.path for probe in admission.probes(RUNTIMES)] == paths


@pytest.mark.parametrize("operators", [{}, {"jobset": JOBSET}], ids=["neither", "jobset"])
def test_external_trainer_is_probed_in_the_one_namespace_of_all_runtimes(
    operators: Mapping[str, OperatorSpec],
) -> None:
    admission = AdmissionCheck(operators, STACK_CONTEXT, requires_trainer=True, namespace="team-a")
    mine = [{"kind": "TrainingRuntime", "metadata": {"name": "mine", "namespace": "team-a"}}]
    api = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/team-a"
    asked = [f"{api}/trainingruntimes"] * 2 + [f"{api}/trainjobs"] * 2
    assert [probe.path for probe in admission.probes(mine)][-4:] == asked
    own = AdmissionCheck({"trainer": TRAINER}, STACK_CONTEXT, requires_trainer=True, namespace="team-a")
    assert [probe.path for probe in own.probes(())] == jobsets("kubeflow-system") + trainjobs("kubeflow-system")[:-1]


@pytest.mark.parametrize(
    ("jobset", "trainer", "seconds"), [(5, 200, 200), (120, 0, 0), (0, 120, 0)], ids=["longest", "trainer", "jobset"]
)
def test_timeout_is_the_longest_of_both_operators_and_zero_disables_the_check(
    jobset: int, trainer: int, seconds: int
) -> None:
    operators = {
        "jobset": JobSetOperatorSpec(ready_timeout_seconds=jobset),
        "trainer": KubeflowTrainerSpec(ready_timeout_seconds=trainer),
    }
    assert AdmissionCheck(operators, STACK_CONTEXT).seconds == seconds


@pytest.mark.parametrize(
    ("operators", "of_others", "seconds"),
    [
        ({}, 7, 7),
        ({}, 0, 0),
        ({"jobset": JOBSET}, 200, 200),
        ({"jobset": JOBSET}, 0, 0),
        ({"jobset": JobSetOperatorSpec(ready_timeout_seconds=0)}, 200, 0),
        ({"trainer": TRAINER}, 0, 120),
        ({"jobset": JOBSET, "trainer": TRAINER}, 200, 120),
    ],
    ids=str,
)
def test_timeout_of_an_external_trainer_applies_to_runtimes(
    operators: Mapping[str, OperatorSpec], of_others: int, seconds: int
) -> None:
    assert (
        AdmissionCheck(operators, STACK_CONTEXT, requires_trainer=True, external_timeout_seconds=of_others).seconds
        == seconds
    )
    own = max((spec.ready_timeout_seconds for spec in operators.values()), default=0)
    assert AdmissionCheck(operators, STACK_CONTEXT, external_timeout_seconds=of_others).seconds == own


@pytest.mark.parametrize(
    ("before", "stopped"),
    [("jobset trainer", True), ("jobset", True), ("trainer", False), ("", False)],
)
def test_removing_one_of_two_operators_is_rejected_while_trainjobs_are_unfinished(
    before: str, stopped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)
    path = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/a/trainjobs/mine"
    stack_context = StackContext(Cluster({path: thing("mine", "a")}), "training-platform/dev")
    hook: Any = operator_removal_hook("gate", {"trainer": TRAINER}, stack_context)
    changed = {"metadata": {"annotations": {"training-platform/operators": before} if before else {}}}
    asked = pulumi.ResourceHookArgs("urn", "id", "gate", "type", old_inputs=changed)
    with pytest.raises(PreflightError, match="1 unfinished TrainJob would stop") if stopped else nullcontext():
        run_hook(hook, asked)


GATE = {
    "training-platform/operators": "jobset trainer",
    "training-platform/namespaces": "jobset-system kubeflow-system",
}
OLD_GATE = {"training-platform/operators": "jobset trainer"}


@pytest.mark.parametrize(
    ("gate", "operators", "going"),
    [
        (GATE, {"jobset": JOBSET, "trainer": TRAINER}, {}),
        (GATE, {"trainer": TRAINER}, {"jobset": "jobset-system"}),
        (GATE, {}, {"jobset": "jobset-system", "trainer": "kubeflow-system"}),
        (GATE, {"jobset": JobSetOperatorSpec(namespace="batch"), "trainer": TRAINER}, {"jobset": "jobset-system"}),
        (OLD_GATE, {"jobset": JobSetOperatorSpec(namespace="batch"), "trainer": TRAINER}, {}),
        (OLD_GATE, {}, {"jobset": None, "trainer": None}),
        ({}, {}, {}),
    ],
    ids=["stays", "one-goes", "both-go", "renamed", "unknown-namespace", "of-before", "none"],
)
def test_gate_knows_which_operators_are_removed_and_their_namespaces(
    gate: dict[str, str], operators: dict[str, OperatorSpec], going: dict[str, str | None]
) -> None:
    assert goes({"metadata": {"annotations": gate}}, operators) == going


def test_replaced_gate_deletes_no_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)
    done = {"conditions": [{"type": "Complete", "status": "True"}]}
    path = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/a/trainjobs/mine"
    operators = {
        "trainer": KubeflowTrainerSpec(
            namespace="other", ready_timeout_seconds=0, destroy_crds=True, confirmed_object_loss=1
        )
    }
    args = pulumi.ResourceHookArgs("urn", "id", "gate", "type", old_inputs={"metadata": {"annotations": GATE}})
    for replaced in (True, False):
        cluster = Cluster({path: thing("mine", "a", status=done)})
        stack_context = StackContext(cluster, "training-platform/dev", "mine")
        monkeypatch.setattr(AdmissionCheck, "_violations", lambda _: ())
        if replaced:
            created = pulumi.ResourceHookArgs("urn", "id", "gate", "type", new_inputs={})
            run_hook(opening_hook("gate", AdmissionCheck(operators, stack_context), (), None), created)
        run_hook(destroy_hook("gate", operators, (), stack_context), args)
        assert [*cluster.objects] == ([path] if replaced else [])


@pytest.mark.parametrize("section", ["jobset", "trainer"])
def test_operator_without_a_gate_is_not_removed_over_unfinished_trainjobs(
    section: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: False)
    inputs = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "controller", "namespace": "x"}}
    deleted = pulumi.ResourceHookArgs("urn", "id", "controller", "kubernetes:apps/v1:Deployment", old_inputs=inputs)
    path = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/a/trainjobs/mine"

    def delete(children: ChartChildren | None, **run: Any) -> None:
        stack_context = StackContext(
            Cluster({path: thing("mine", "a")}), "training-platform/dev", "mine", run=Run(**run)
        )
        run_hook(child_hook(section, section, stack_context, children=children), deleted)

    registered = ChartChildren()
    registered.note(deleted.type, deleted.name, inputs)
    registered.is_complete = True
    for children in (registered, None):
        with pytest.raises(PreflightError, match=r"1 unfinished TrainJob would stop:\n  TrainJob a/mine\n.*OPR-05"):
            delete(children)
        delete(children, checked={section})
        delete(children, interrupts=True)
    delete(ChartChildren())


def test_gate_records_the_operators_it_has_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)
    args = pulumi.ResourceHookArgs("urn", "id", "gate", "type", old_inputs={"metadata": {"annotations": GATE}})
    for shrinks in (True, False):
        stack_context, operators = StackContext(Cluster(), "training-platform/dev", "mine"), {"jobset": JOBSET}
        shrinking, leaving = (
            operator_removal_hook("gate", operators, stack_context),
            destroy_hook("gate", operators, (), stack_context),
        )
        run_hook(shrinking if shrinks else leaving, args)
        assert stack_context.run.checked == {"jobset", "trainer"}


@pytest.mark.parametrize("right", [True, False])
def test_checks_before_each_runtime_run_once(right: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)
    asked: list[float] = []

    def wait(_access: Any, _probes: Any, seconds: float) -> None:
        asked.append(seconds)
        if not right:
            raise AdmissionTimeoutError

    monkeypatch.setattr("components.admission.checks.wait_until_admitted", wait)
    cluster = Slow()
    manifests = {f"runtimes:{number}": catalog.deepspeed(name=f"n{number}").to_manifest() for number in range(20)}
    admission = AdmissionCheck({"jobset": JOBSET}, StackContext(cluster, "training-platform/dev"))
    hooks: Any = RuntimeHooks("runtimes", manifests, (), admission, FieldPruningCheck(cluster)).binding
    each = [pulumi.ResourceHookArgs("urn", "id", name, "type") for name in manifests]
    (entering,), (asking,) = hooks.before_create, hooks.before_update
    # The first one tells why, the others refer to it.
    made, changed = (Counter(type(error) for error in run_at_once(hook, *each)) for hook in (entering, asking))
    assert made == ({type(None): 20} if right else {AdmissionTimeoutError: 1, RepeatedFailureError: 19})
    assert changed == {type(None) if right else RepeatedFailureError: 20}
    assert asked == [120]
    once = [path for method, path in cluster.calls if (method, path.count("/")) != ("GET", 5)]
    assert sorted(path.rpartition("/")[2] for path in once) == (
        ["clustertrainingruntimes", "jobsets", "trainjobs"] if right else []
    )


def test_runtime_is_neither_created_nor_changed_before_the_webhooks_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)

    def wait(*_: Any) -> None:
        raise AdmissionTimeoutError

    monkeypatch.setattr("components.admission.checks.wait_until_admitted", wait)
    cluster = Cluster()
    admission = AdmissionCheck({"jobset": JOBSET}, StackContext(cluster, "training-platform/dev"))
    runtime = catalog.deepspeed(name="mine").to_manifest()
    hooks: Any = RuntimeHooks("runtimes", {"runtimes:mine": runtime}, (), admission, FieldPruningCheck(cluster)).binding
    (entering,), (asking,) = hooks.before_create, hooks.before_update
    for hook, error in ((entering, AdmissionTimeoutError), (asking, RepeatedFailureError)):
        with pytest.raises(error):
            run_hook(hook, pulumi.ResourceHookArgs("urn", "id", "runtimes:mine", "type"))
    assert not [path for method, path in cluster.calls if "dry run" in method]


def test_a_warning_about_the_cluster_is_shown_once_in_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)
    monkeypatch.setattr("pulumi.log.warn", said.append)
    monkeypatch.setattr("components.admission.checks.wait_until_admitted", lambda *_: None)
    operators = {"jobset": JOBSET, "trainer": TRAINER}
    cluster = Cluster({"/version": {"gitVersion": "v1.99.0"}})
    created = pulumi.ResourceHookArgs("urn", "id", "gate", "type", new_inputs={})
    for runs in (1, 2):
        stack_context = StackContext(cluster, "training-platform/dev")
        # Runtimes and gate each ask.
        for requires_trainer in (True, False):
            admission = AdmissionCheck(operators, stack_context, requires_trainer=requires_trainer)
            run_hook(opening_hook("gate", admission, (), None), created)
        assert [warning.partition(": ")[2][:36] for warning in said] == [
            "Kubernetes v1.99.0 is newer than 1.37"[:36]
        ] * runs

"""Before runtimes come, change and go: what is asked before anything is deleted."""

from collections.abc import Callable, Collection
from typing import Any

import pulumi
import pytest

from components.admission.checks import AdmissionCheck
from components.admission.field_pruning import FieldPruningCheck
from components.admission.probes import AdmissionTimeoutError
from components.admission.runtime_hooks import RuntimeHooks, before_delete_hook
from components.cluster.client import Response
from components.cluster.hook_error import PreflightError
from components.cluster.objects import ObjectRef
from components.jobset import JobSetOperatorSpec
from components.runtimes import catalog
from components.runtimes.api import IN_USE_FINALIZER

from ..fake_cluster import Cluster, thing
from ..fake_hooks import Hook, run_hook
from ..operators.cluster_objects import OURS, SAME_NAME, stack_context

TRAINER = "/apis/trainer.kubeflow.org/v1alpha1"
MINE = catalog.deepspeed(name="mine").to_manifest()
PATH = ObjectRef.of(MINE).path
RELEASE = {"meta.helm.sh/release-name": "jobset"}
DONE = {"conditions": [{"type": "Complete", "status": "True"}]}


@pytest.fixture(autouse=True)
def _hooks_without_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)
    monkeypatch.setattr("components.admission.checks.wait_until_admitted", lambda *_: None)


@pytest.fixture
def preview(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: True)


@pytest.fixture(autouse=True)
def _up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: False)


def hooks(cluster: Cluster, adopted: Collection[str] = (), interrupt: bool = False) -> RuntimeHooks:
    operators = {"jobset": JobSetOperatorSpec()}
    admission = AdmissionCheck(operators, stack_context(cluster))
    manifests = {"runtimes:mine": MINE}
    return RuntimeHooks("runtimes", manifests, adopted, admission, FieldPruningCheck(cluster), interrupt=interrupt)


def step(name: str = "runtimes:mine", uid: str | None = None) -> pulumi.ResourceHookArgs:
    outputs = {"metadata": {"uid": uid}} if uid else None
    return pulumi.ResourceHookArgs("urn", "id", name, "type", old_inputs=MINE, old_outputs=outputs)


def run(binding: Any, args: pulumi.ResourceHookArgs) -> None:
    (hook,) = binding
    run_hook(hook, args)


def runtime(**metadata: Any) -> dict[str, Any]:
    return {PATH: thing("mine", **metadata)}


def job(**fields: Any) -> dict[str, Any]:
    return {f"{TRAINER}/namespaces/a/trainjobs/j": thing("j", "a", spec={"runtimeRef": {"name": "mine"}}, **fields)}


def deletions(cluster: Cluster) -> list[str]:
    return [path for method, path in cluster.calls if method == "DELETE"]


def no_webhooks(_: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(*_: Any) -> None:
        raise AdmissionTimeoutError("webhooks do not answer")

    monkeypatch.setattr("components.admission.checks.wait_until_admitted", wait)


def dropped_fields(cluster: Cluster, _: pytest.MonkeyPatch) -> None:
    cluster.answer = lambda _path, body: Response(201, {**body, "spec": {}})


def refused(cluster: Cluster, _: pytest.MonkeyPatch) -> None:
    cluster.answer = lambda _path, _body: Response(403, {"message": "you may not create it"})


WRONG = pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (no_webhooks, "webhooks do not answer"),
        (dropped_fields, "The cluster would silently drop"),
        (refused, "mine was not replaced, because its successor would be rejected: you may not create it"),
    ],
)
Wrong = Callable[[Cluster, pytest.MonkeyPatch], None]


@WRONG
@pytest.mark.parametrize("owner", [RELEASE, OURS], ids=["adopted", "own"])
def test_existing_runtime_is_kept_until_its_successor_can_be_created(
    wrong: Wrong, said: str, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(runtime(annotations=owner))
    wrong(cluster, monkeypatch)
    monkeypatch.setattr("components.admission.field_pruning.CRD_SETTLE_SECONDS", 0)
    with pytest.raises((PreflightError, AdmissionTimeoutError), match=said):
        run(hooks(cluster, ["mine"]).binding.before_create, step())
    assert (deletions(cluster), [*cluster.objects]) == ([], [PATH])


@WRONG
def test_replaced_runtime_is_kept_until_its_successor_can_be_created(
    wrong: Wrong, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(runtime(annotations=OURS, finalizers=[IN_USE_FINALIZER]))
    wrong(cluster, monkeypatch)
    monkeypatch.setattr("components.admission.field_pruning.CRD_SETTLE_SECONDS", 0)
    with pytest.raises((PreflightError, AdmissionTimeoutError), match=said):
        run(hooks(cluster).binding.before_delete, step(uid="uid of mine"))
    assert deletions(cluster) == []


def changed_right_before_its_deletion(cluster: Cluster, **metadata: Any) -> None:
    """Lets someone change the runtime once, after it was looked at and before it is deleted."""
    remove, left = cluster.remove, [metadata]

    def late(path: str, preconditions: Any) -> Response:
        while left:
            cluster.objects[path]["metadata"] |= {"resourceVersion": "2", **left.pop()}
        return remove(path, preconditions)

    cluster.remove = late  # type: ignore[method-assign]


@pytest.mark.parametrize("change", [{}, {"labels": {"a": "b"}}])
def test_replaced_runtime_is_deleted_by_uid_and_version(change: Any) -> None:
    cluster = Cluster(runtime(annotations=OURS))
    changed_right_before_its_deletion(cluster, **change)
    run(hooks(cluster).binding.before_delete, step(uid="uid of mine"))
    assert (deletions(cluster), cluster.objects) == ([PATH, PATH], {})


@pytest.mark.parametrize("change", [{"annotations": RELEASE}, {"annotations": SAME_NAME, "uid": "another"}])
def test_runtime_taken_over_right_before_its_deletion_is_kept(change: Any) -> None:
    cluster = Cluster(runtime(annotations=OURS))
    changed_right_before_its_deletion(cluster, **change)
    with pytest.raises(PreflightError, match="OPR-13"):
        run(hooks(cluster).binding.before_delete, step())
    assert (deletions(cluster), [*cluster.objects]) == ([PATH], [PATH])


def test_runtime_that_keeps_changing_is_kept() -> None:
    cluster = Cluster(runtime(annotations=OURS))

    def refuse(path: str, preconditions: Any) -> Response:  # noqa: ARG001 - whatever is asked
        return Response(409, {"message": "Precondition failed"})

    cluster.remove = refuse  # type: ignore[method-assign]
    with pytest.raises(PreflightError, match="OPR-19"):
        run(hooks(cluster).binding.before_delete, step(uid="uid of mine"))
    assert [*cluster.objects] == [PATH]


def test_adopted_runtime_is_deleted_after_all_checks_passed() -> None:
    cluster = Cluster(runtime(annotations=RELEASE))
    run(hooks(cluster, ["mine"]).binding.before_create, step())
    assert (deletions(cluster), cluster.objects) == ([PATH], {})


def test_foreign_runtime_is_not_replaced_without_adopt() -> None:
    for annotations, whose in ((RELEASE, "owned by Helm release jobset"), (SAME_NAME, "(id theirs)")):
        cluster = Cluster(runtime(annotations=annotations))
        with pytest.raises(
            PreflightError, match=r"Set `runtimes: \{mine: \{adopt: true\}\}` to replace it.*OPR-08"
        ) as said:
            run(hooks(cluster).binding.before_create, step())
        assert whose in str(said.value)
        assert deletions(cluster) == []


@pytest.mark.usefixtures("preview")
def test_preview_reports_a_foreign_runtime_and_deletes_nothing() -> None:
    with pytest.raises(PreflightError, match="OPR-08"):
        run(hooks(Cluster(runtime(annotations=RELEASE))).binding.before_create, step())
    cluster = Cluster(runtime(annotations=RELEASE))
    run(hooks(cluster, ["mine"]).binding.before_create, step())
    assert cluster.calls == [("GET", PATH)]


def test_runtime_that_changes_during_the_checks_is_kept() -> None:
    cluster = Cluster(runtime(annotations=OURS))

    def changes(_path: str, body: Any) -> Response:
        cluster.objects[PATH]["metadata"]["resourceVersion"] = "2"
        return Response(201, body)

    cluster.answer = changes
    with pytest.raises(PreflightError, match=r"mine was not deleted: it keeps changing while it is checked.*OPR-19"):
        run(hooks(cluster).binding.before_create, step())
    assert [*cluster.objects] == [PATH]


def test_runtime_with_another_owner_by_now_is_neither_changed_nor_deleted() -> None:
    for binding in ("before_update", "before_delete"):
        cluster = Cluster(runtime(annotations=SAME_NAME, finalizers=[IN_USE_FINALIZER]))
        with pytest.raises(
            PreflightError, match=r"mine is in this stack's state, but in the cluster it is owned by stack.*OPR-13"
        ):
            run(getattr(hooks(cluster).binding, binding), step(uid="uid of mine"))
        assert {method for method, _ in cluster.calls} == {"GET"}


def test_runtime_of_unfinished_trainjobs_is_not_removed() -> None:
    cluster = Cluster(runtime(annotations=OURS, finalizers=[IN_USE_FINALIZER]) | job())
    made = hooks(cluster)
    made.settled.add("runtimes:mine")
    with pytest.raises(PreflightError) as said:
        run(made.binding.before_delete, step(uid="uid of mine"))
    assert str(said.value) == (
        "runtimes.mine: 1 unfinished TrainJob would lose runtime mine:\n  TrainJob a/j\n"
        "  Fix: Wait for them, delete them, or set `trainer: {interruptTrainJobs: true}` to delete it anyway. "
        "[OPR-14]"
    )
    assert deletions(cluster) == []


def test_trainjob_without_a_spec_uses_no_runtime() -> None:
    cluster = Cluster(runtime(annotations=OURS) | {f"{TRAINER}/namespaces/a/trainjobs/j": thing("j", "a")})
    run([before_delete_hook("runtimes", stack_context(cluster))], step("runtimes:gone", "uid of mine"))
    assert deletions(cluster) == []


def test_runtime_of_finished_trainjobs_or_with_interrupt_is_removed() -> None:
    for fields, interrupt in (({"status": DONE}, False), ({}, True)):
        cluster = Cluster(runtime(annotations=OURS, finalizers=[IN_USE_FINALIZER]) | job(**fields))
        run([before_delete_hook("runtimes", stack_context(cluster), interrupt)], step("runtimes:gone", "uid of mine"))
        assert deletions(cluster) == [PATH]
        assert PATH not in cluster.objects


def test_destroy_does_not_check_a_successor() -> None:
    cluster = Cluster(runtime(annotations=OURS))
    made = hooks(cluster)
    made.settled.add("runtimes:mine")
    run(made.binding.before_delete, step(uid="uid of mine"))
    assert [method for method, _ in cluster.calls if "dry run" in method] == []


def test_runtime_whose_trainjobs_cannot_be_listed_is_kept() -> None:
    cluster = Cluster(runtime(annotations=OURS))
    cluster.down = True
    for name in ("runtimes:mine", "runtimes:gone"):
        with pytest.raises(PreflightError, match="OPR-07"):
            run(hooks(cluster).binding.before_delete, step(name, "uid of mine"))


@pytest.mark.usefixtures("preview")
@pytest.mark.parametrize("replaced", [False, True])
def test_a_preview_notes_what_changes_for_train_jobs(replaced: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[tuple[str, Any]] = []
    monkeypatch.setattr(pulumi.log, "info", lambda text, resource: notes.append((text, resource)))
    cluster = Cluster(runtime(annotations=OURS))
    made = hooks(cluster)
    made.resources["runtimes:mine"] = resource = object()  # type: ignore[assignment]
    monkeypatch.setattr(
        "components.admission.runtime_hooks.train_job_changes",
        lambda old, new, version: (f"{old['metadata']['name']}, {new['metadata']['name']}, {version}",),
    )
    run(made.binding.before_create if replaced else made.binding.before_update, step())
    assert notes == [("What changes for TrainJobs that are created after `up`:\nmine, mine, 2.3.0", resource)]


@pytest.mark.parametrize("binding", ["before_create", "before_update"])
def test_up_notes_no_changes(binding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.admission.runtime_hooks.train_job_changes", lambda *_: pytest.fail("it was asked"))
    run(getattr(hooks(Cluster(runtime(annotations=OURS))).binding, binding), step())

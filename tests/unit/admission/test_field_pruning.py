"""What the cluster's CRDs would drop of a runtime: what counts as lost, what is asked, what is said."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pulumi
import pytest
from pulumi import ResourceHookArgs

from components.admission.checks import AdmissionCheck
from components.admission.field_pruning import CRD_SETTLE_SECONDS, FieldPruningCheck, dropped
from components.admission.runtime_hooks import RuntimeHooks
from components.admission.told_once import RepeatedFailureError
from components.cluster.client import ClusterReadError, Response
from components.cluster.context import StackContext
from components.cluster.hook_error import PreflightError
from components.cluster.polling import POLL_INTERVAL
from components.jobset import JobSetOperatorSpec
from components.runtimes import catalog
from components.training_gate import opening_hook

from ..fake_cluster import Cluster
from ..fake_hooks import Hook, run_hook
from ..operators.cluster_objects import WEBHOOKS, deployment, webhook
from .clock import Time

RUNTIME = catalog.deepspeed(name="mine").to_manifest()
NAMESPACED = {**RUNTIME, "kind": "TrainingRuntime", "metadata": {"name": "mine", "namespace": "team-a"}}
TRAINER, JOBSET = "/apis/trainer.kubeflow.org/v1alpha1", "/apis/jobset.x-k8s.io/v1alpha2"
JAX = catalog.jax(name="mine").to_manifest()

Edit = Callable[[dict[str, Any]], Any]


def jobs_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    spec = body["spec"] if body["kind"] == "JobSet" else body["spec"]["template"]["spec"]
    return list(spec["replicatedJobs"])


def without_order(body: dict[str, Any]) -> None:
    """What a CRD before JobSet 0.8 does."""
    for job in jobs_of(body):
        job.pop("dependsOn", None)


def dropping(edit: Edit, *kinds: str) -> Cluster:
    """A cluster whose CRDs of these kinds make that of an object."""

    def answer(_: str, body: Any) -> Response:
        kept = deepcopy(body)
        if body["kind"] in kinds:
            edit(kept)
        return Response(201, kept)

    cluster = Cluster()
    cluster.answer = answer
    return cluster


def refusal(cluster: Cluster, *manifests: Any) -> list[str]:
    time = Time()
    with pytest.raises(PreflightError) as refused:
        FieldPruningCheck(cluster, time.clock, time.sleep).require(manifests or [RUNTIME])
    assert CRD_SETTLE_SECONDS <= time.now <= CRD_SETTLE_SECONDS + POLL_INTERVAL
    return str(refused.value).splitlines()


def waited(cluster: Cluster, manifest: Any = RUNTIME) -> float:
    time = Time()
    FieldPruningCheck(cluster, time.clock, time.sleep).require([manifest])
    return time.now


@pytest.mark.parametrize(
    ("sent", "kept", "lost"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {}, [("a",)]),
        ({"a": 1}, {"a": None}, [("a",)]),
        ({"a": {"b": {"c": 1}}}, {"a": {}}, [("a", "b")]),
        ({"a": [{"b": 1, "c": 2}, {"c": 3}]}, {"a": [{"b": 1}, {"c": 3}]}, [("a", 0, "c")]),
        ({"a": [1, 2]}, {"a": [1]}, [("a", 1)]),
        ({"a": 1, "b": 2}, {"c": 3}, [("a",), ("b",)]),
        # What servers write in their own way, and add.
        ({"cpu": "1000m", "port": "80"}, {"cpu": "1", "port": 80}, []),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}, []),
        ({"a": [1]}, {"a": [1, 2]}, []),
        # Without a value there is nothing to lose; what is empty may mean something.
        ({"a": None}, {}, []),
        ({"a": {}, "b": [], "c": 0}, {}, [("a",), ("b",), ("c",)]),
    ],
)
def test_only_missing_values_are_lost(sent: Any, kept: Any, lost: list[Any]) -> None:
    assert list(dropped(sent, kept)) == lost


def test_ignorable_values_are_not_lost() -> None:
    sent = {"a": {}, "b": [], "c": 0, "d": "", "e": False, "f": None, "g": 1}
    assert list(dropped(sent, {}, ("spec",), (None, "", 0, [], {}))) == [("spec", "g")]


def test_runtime_and_its_jobset_are_only_dry_run() -> None:
    for manifest, paths in (
        (RUNTIME, [f"{TRAINER}/clustertrainingruntimes", f"{JOBSET}/namespaces/default/jobsets"]),
        (NAMESPACED, [f"{TRAINER}/namespaces/team-a/trainingruntimes", f"{JOBSET}/namespaces/team-a/jobsets"]),
    ):
        bodies: list[Any] = []
        cluster = dropping(bodies.append, "ClusterTrainingRuntime", "TrainingRuntime", "JobSet")
        assert waited(cluster, manifest) == 0
        assert sorted(cluster.calls) == sorted(("POST (dry run)", path) for path in paths)
        jobset, runtime = sorted(bodies, key=lambda body: body["kind"] != "JobSet")
        # A name that is taken would be refused.
        assert runtime == {**manifest, "metadata": {**manifest["metadata"], "name": "training-platform-probe"}}
        assert jobset == {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "training-platform-probe"},
            "spec": manifest["spec"]["template"]["spec"],
        }


def test_a_crd_without_the_order_of_the_jobs_stops_the_runtime() -> None:
    cluster = dropping(without_order, "ClusterTrainingRuntime")
    cluster.objects = {
        f"{WEBHOOKS}/trainer": webhook("validator.trainjob.trainer.kubeflow.org"),
        "/apis/apps/v1/namespaces/elsewhere/deployments/x": deployment("a/trainer-controller-manager:v2.3.0"),
    }
    assert refusal(cluster) == [
        "runtimes.mine: The cluster would silently drop `spec.template.spec.replicatedJobs[1].dependsOn` of the "
        "ClusterTrainingRuntime: CRD `clustertrainingruntimes.trainer.kubeflow.org` does not have this field. "
        "Fix: Update the CRD to that of Trainer 2.3.0 in namespace `elsewhere`: run `pulumi refresh` and `up` if "
        "this stack installs it, otherwise apply the CRD (Helm does not update CRDs). Or remove the field. "
        "[OPR-09]"
    ]


def test_outdated_jobset_crd_stops_the_runtime() -> None:
    (line,) = refusal(dropping(without_order, "JobSet"))
    assert line.startswith(
        "runtimes.mine: The cluster would silently drop `spec.template.spec.replicatedJobs[1].dependsOn` of the "
        "JobSet: CRD `jobsets.jobset.x-k8s.io` does not have this field"
    )
    assert "Update the CRD to that of JobSet: " in line


def test_dropped_fields_of_all_runtimes_are_reported_together() -> None:
    def edit(body: dict[str, Any]) -> None:
        without_order(body)
        jobs_of(body)[0].pop("template")

    other = {**RUNTIME, "metadata": {"name": "other"}}
    lines = refusal(dropping(edit, "ClusterTrainingRuntime", "JobSet"), RUNTIME, other)
    assert [line.partition(":")[0] for line in lines] == ["runtimes.mine"] * 2 + ["runtimes.other"] * 2
    assert all("[0].template`, `spec.template.spec.replicatedJobs[1].dependsOn` of" in line for line in lines)
    assert all("does not have these fields" in line for line in lines)


def test_empty_field_must_be_kept_by_the_runtimes_crd_but_not_by_jobsets_webhook() -> None:
    def empty(body: dict[str, Any]) -> None:
        body["spec"].get("mlPolicy", {}).pop("jax", None)
        for job in jobs_of(body):
            job.pop("groupName", None)

    jax = deepcopy(JAX)
    jobs_of(jax)[0]["groupName"] = ""
    assert jax["spec"]["mlPolicy"]["jax"] == {}
    (line,) = refusal(dropping(lambda body: body["spec"]["mlPolicy"].pop("jax"), "ClusterTrainingRuntime"), jax)
    assert "`spec.mlPolicy.jax` of the ClusterTrainingRuntime" in line
    assert waited(dropping(empty, "JobSet"), jax) == 0


def test_changed_crd_is_waited_for_and_other_dry_runs_are_not_repeated() -> None:
    cluster = Cluster()

    def late(_: str, body: Any) -> Response:
        kept = deepcopy(body)
        if len(cluster.calls) < 6:
            jobs_of(kept)[1].pop("dependsOn" if body["kind"] == "JobSet" else "nothing", None)
        return Response(201, kept)

    cluster.answer = late
    assert waited(cluster) == POLL_INTERVAL * 4
    assert sorted(path.rpartition("/")[2] for _, path in cluster.calls) == ["clustertrainingruntimes"] + ["jobsets"] * 5


def test_settle_time_of_crds_is_spent_once_in_a_run() -> None:
    time = Time()
    pruning_check = FieldPruningCheck(dropping(without_order, "JobSet"), time.clock, time.sleep)
    for _ in range(2):
        with pytest.raises(PreflightError, match="OPR-09"):
            pruning_check.require([RUNTIME])
        assert CRD_SETTLE_SECONDS <= time.now <= CRD_SETTLE_SECONDS + POLL_INTERVAL


def test_rejected_dry_run_is_left_to_the_real_request() -> None:
    cluster = Cluster()
    cluster.answer = lambda *_: Response(403, {"message": "denied"})
    assert waited(cluster) == 0


def test_dry_run_without_a_response_stops_the_runtime() -> None:
    cluster = Cluster()

    def silent(_: str, body: Any) -> Response:
        if body["kind"] == "JobSet":
            raise ClusterReadError("the API server was silent for 15 s")
        return Response(201, deepcopy(body))

    cluster.answer = silent
    assert refusal(cluster) == [
        "runtimes.mine: The CRD `jobsets.jobset.x-k8s.io` could not be checked for the fields of the runtime: the API "
        "server was silent for 15 s. Fix: Fix the connection, and run this again. [OPR-07]"
    ]


def test_dry_run_is_repeated_after_a_failed_connection() -> None:
    cluster = Cluster()

    def late(_: str, body: Any) -> Response:
        if len(cluster.calls) < 4:
            raise ClusterReadError("the API server closed the connection")
        return Response(201, deepcopy(body))

    cluster.answer = late
    assert waited(cluster) <= CRD_SETTLE_SECONDS


def test_missing_permission_is_reported_with_the_rule_that_grants_it() -> None:
    def answer(path: str, body: Any) -> Response:
        if path.endswith("/selfsubjectaccessreviews"):
            allowed = body["spec"]["resourceAttributes"]["resource"] != "jobsets"
            return Response(201, {"status": {"allowed": allowed}})
        return Response(403, {"message": "forbidden"}) if body["kind"] == "JobSet" else Response(201, deepcopy(body))

    cluster = Cluster()
    cluster.answer = answer
    with pytest.raises(PreflightError) as refused:
        FieldPruningCheck(cluster).require([NAMESPACED])
    assert str(refused.value) == (
        "runtimes.mine: Cannot check that CRD `jobsets.jobset.x-k8s.io` has all fields of the runtime: "
        "forbidden. The deploying identity may not create jobsets.jobset.x-k8s.io in namespace team-a. Fix: "
        "Grant this permission (only dry runs are made): a Role in team-a: "
        "{apiGroups: [jobset.x-k8s.io], resources: [jobsets], verbs: [create]}. [OPR-11]"
    )


def test_pruning_is_checked_before_a_runtime_changes_and_before_the_gate_opens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("components.admission.field_pruning.CRD_SETTLE_SECONDS", 0)
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)
    old = StackContext(dropping(without_order, "ClusterTrainingRuntime"), "training-platform/dev")
    pruning_check = FieldPruningCheck(old.access)
    admission = AdmissionCheck({}, old, external_timeout_seconds=0)
    hooks: Any = RuntimeHooks("runtimes", {"runtimes:mine": RUNTIME}, (), admission, pruning_check).binding
    (made,), (changed,) = hooks.before_create, hooks.before_update
    gate: Any = opening_hook(
        "gate", AdmissionCheck({"jobset": JobSetOperatorSpec(ready_timeout_seconds=0)}, old), [RUNTIME], pruning_check
    )
    for hook, error in ((made, PreflightError), (changed, RepeatedFailureError), (gate, PreflightError)):
        with pytest.raises(error, match="OPR-09" if error is PreflightError else None):
            run_hook(hook, ResourceHookArgs("urn", "id", "runtimes:mine", "type"))
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: True)
    for hook in (made, changed):
        run_hook(hook, ResourceHookArgs("urn", "id", "runtimes:mine", "type"))
    assert [bool(hook.opts and hook.opts.on_dry_run) for hook in (made, changed, gate)] == [True, True, False]


def asked(cluster: Cluster) -> list[str]:
    """The paths of what it was asked since, without those of the API."""
    paths = sorted(path.removeprefix(TRAINER).removeprefix(JOBSET) for _, path in cluster.calls)
    cluster.calls.clear()
    return paths


def test_kept_field_is_checked_once_in_a_run() -> None:
    cluster = Cluster()
    pruning_check = FieldPruningCheck(cluster)
    pruning_check.require([RUNTIME])
    assert asked(cluster) == ["/clustertrainingruntimes", "/namespaces/default/jobsets"]
    pruning_check.require([RUNTIME, catalog.deepspeed(name="other", image="example.com/other:1").to_manifest()])
    assert asked(cluster) == []
    pruning_check.require([RUNTIME, NAMESPACED])
    assert asked(cluster) == ["/namespaces/team-a/trainingruntimes"]


def test_runtime_with_a_new_field_is_checked() -> None:
    cluster = Cluster()
    pruning_check = FieldPruningCheck(cluster)
    pruning_check.require([RUNTIME])
    asked(cluster)
    more, order = deepcopy(RUNTIME), deepcopy(RUNTIME)
    more["spec"]["mlPolicy"]["numNodes"] = 3
    jobs_of(order)[1]["dependsOn"][0]["status"] = "Complete"
    pruning_check.require([more, order])
    assert asked(cluster) == []
    jobs_of(more)[0]["groupName"] = "workers"
    pruning_check.require([RUNTIME, more, order])
    assert asked(cluster) == ["/clustertrainingruntimes", "/namespaces/default/jobsets"]
    more["spec"]["mlPolicy"]["torch"] = {}
    pruning_check.require([more])
    assert asked(cluster) == ["/clustertrainingruntimes"]


def test_only_runtimes_with_new_fields_are_checked() -> None:
    cluster = Cluster()
    FieldPruningCheck(cluster).require(
        [RUNTIME, JAX, *(catalog.deepspeed(name=f"n{n}").to_manifest() for n in range(50))]
    )
    assert asked(cluster) == ["/clustertrainingruntimes", "/clustertrainingruntimes", "/namespaces/default/jobsets"]


def test_all_runtimes_that_lose_a_field_are_reported() -> None:
    def without_groups(body: dict[str, Any]) -> None:
        for job in jobs_of(body):
            job.pop("groupName", None)

    grouped = [catalog.deepspeed(name=name).to_manifest() for name in ("first", "second")]
    for runtime in grouped:
        jobs_of(runtime)[0]["groupName"] = "workers"
    lines = refusal(dropping(without_groups, "JobSet"), RUNTIME, *grouped, JAX)
    assert [line.partition(":")[0] for line in lines] == ["runtimes.first", "runtimes.second"]


def test_unanswered_dry_run_does_not_count_as_kept() -> None:
    cluster = Cluster()
    cluster.answer = lambda path, body: Response(404 if "team-a" in path else 201, body)
    pruning_check = FieldPruningCheck(cluster)
    elsewhere = {**NAMESPACED, "metadata": {"name": "mine", "namespace": "team-b"}}
    pruning_check.require([NAMESPACED, elsewhere])
    assert asked(cluster) == [
        "/namespaces/team-a/jobsets",
        "/namespaces/team-a/trainingruntimes",
        "/namespaces/team-b/jobsets",
        "/namespaces/team-b/trainingruntimes",
    ]
    pruning_check.require([NAMESPACED])
    assert asked(cluster) == []


def test_runtime_with_lost_fields_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.admission.field_pruning.CRD_SETTLE_SECONDS", 0)
    pruning_check = FieldPruningCheck(dropping(without_order, "ClusterTrainingRuntime"))
    for _ in range(2):
        with pytest.raises(PreflightError, match="OPR-09"):
            pruning_check.require([RUNTIME])

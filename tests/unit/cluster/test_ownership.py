"""Whose an object is, and what is touched of others: nothing."""

from typing import Any

import pulumi
import pytest

from components.cluster.api_resources import ApiResources
from components.cluster.client import Response
from components.cluster.context import StackContext
from components.cluster.hook_error import PreflightError
from components.cluster.ownership import check_ownership, describe_owner, is_owned_by, marks, ownership_hook

from ..fake_cluster import Cluster, thing
from ..fake_hooks import Hook, run_hook
from ..operators.cluster_objects import OLD, OURS, SAME_NAME, stack_context

ROLE = "/apis/rbac.authorization.k8s.io/v1/clusterroles/jobset-controller"
INPUTS = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRole",
    "metadata": {"name": "jobset-controller"},
}
RELEASE = {"meta.helm.sh/release-name": "jobset"}


def field_manager(name: str) -> dict[str, Any]:
    return thing("x", managedFields=[{"manager": name}, {"manager": "kube-controller-manager"}])


@pytest.mark.parametrize(
    ("there", "owner"),
    [
        (thing("x", annotations=OLD), "owned by stack training-platform/dev"),
        (thing("x", annotations=SAME_NAME), "owned by stack training-platform/dev (id theirs)"),
        (thing("x", annotations=RELEASE), "owned by Helm release jobset"),
        (
            thing("x", annotations={"argocd.argoproj.io/tracking-id": "ml:apps/Deployment:a/b"}),
            "owned by Argo CD application ml",
        ),
        (thing("x", labels={"kustomize.toolkit.fluxcd.io/name": "ml"}), "owned by Flux kustomization ml"),
        (thing("x", labels={"helm.toolkit.fluxcd.io/name": "ml"}), "owned by Flux release ml"),
        (field_manager("pulumi-kubernetes-0a1b"), "owned by another Pulumi stack"),
        (field_manager("pulumi-resource-kubernetes"), "owned by another Pulumi stack"),
        (field_manager("kubectl-client-side-apply"), "created with kubectl"),
        (field_manager("operator"), "created by kube-controller-manager, operator"),
        (thing("x"), "owner unknown"),
        (thing("x", annotations={"meta.helm.sh/release-name": "\x1b[2Ja\nb"}), r"owned by Helm release \x1b[2Ja\nb"),
    ],
)
def test_owner_is_described_by_the_marks_of_tools(there: dict[str, Any], owner: str) -> None:
    assert describe_owner(there) == owner


@pytest.mark.parametrize(
    ("annotations", "uid_in_state", "ours"),
    [
        (OURS, None, True),
        (OURS, "of before it was created anew", True),
        (SAME_NAME, None, False),
        (SAME_NAME, "uid of x", False),
        (OLD, None, False),
        (OLD, "uid of x", True),
        (OLD, "another", False),
        ({}, "uid of x", True),
        ({}, "another", False),
        ({}, None, False),
    ],
)
def test_object_belongs_to_the_stack_by_id_or_else_by_uid(
    annotations: Any, uid_in_state: str | None, ours: bool
) -> None:
    assert is_owned_by(stack_context(Cluster()), thing("x", annotations=annotations), uid_in_state) is ours


def test_program_without_an_id_recognizes_its_objects_by_name() -> None:
    nameless = StackContext(Cluster(), "training-platform/dev")
    assert is_owned_by(nameless, thing("x", annotations=OLD))
    assert not is_owned_by(nameless, thing("x", annotations={"training-platform/stack": "training-platform/prod"}))
    assert marks(nameless) == OLD
    assert marks(stack_context(Cluster())) == OURS
    assert marks(None) == {}


def step(old: str | None, new: bool, inputs: Any = INPUTS) -> pulumi.ResourceHookArgs:
    """A step of the engine: `old` is the uid that the state has."""
    return pulumi.ResourceHookArgs(
        "urn:pulumi:dev::p::t::x",
        "id",
        "x",
        "type",
        new_inputs=inputs if new else None,
        old_inputs=inputs if old else None,
        old_outputs={"metadata": {"uid": old}} if old else None,
    )


CREATE, UPDATE, DELETE = (None, True), ("of the state", True), ("of the state", False)


def checked(there: dict[str, Any], kind: tuple[str | None, bool], adopt: bool = False, inputs: Any = INPUTS) -> str:
    """What is said of a step; nothing when it may be done."""
    cluster = Cluster(there)
    try:
        check_ownership(ApiResources(cluster), stack_context(cluster), "jobset", adopt, step(*kind, inputs))
    except PreflightError as veto:
        return str(veto)
    return ""


@pytest.mark.parametrize("kind", [CREATE, UPDATE, DELETE], ids=["create", "update", "delete"])
def test_missing_and_own_objects_pass_the_ownership_check(kind: Any) -> None:
    assert checked({}, kind) == ""
    assert checked({ROLE: thing("jobset-controller", annotations=OURS)}, kind) == ""


def test_foreign_object_is_not_adopted_without_adopt() -> None:
    theirs = {ROLE: thing("jobset-controller", annotations=RELEASE)}
    assert checked(theirs, CREATE) == (
        "jobset.adopt: ClusterRole jobset-controller already exists in the cluster, owned by Helm release "
        "jobset. Fix: Set `jobset: {adopt: true}` to take it over, or remove it. [OPR-02]"
    )
    assert checked(theirs, CREATE, adopt=True) == ""


def test_object_with_another_owner_by_now_is_neither_updated_nor_deleted() -> None:
    theirs = {ROLE: thing("jobset-controller", annotations=SAME_NAME)}
    where = "in this stack's state, but in the cluster it is owned by stack training-platform/dev (id theirs). Fix: "
    leave = "it to its owner with `pulumi state delete 'urn:pulumi:dev::p::t::x'`. [OPR-13]"
    assert checked(theirs, UPDATE) == (
        f"jobset: ClusterRole jobset-controller is {where}Set `jobset: {{adopt: true}}` to take it over, or leave "
        f"{leave}"
    )
    assert checked(theirs, UPDATE, adopt=True) == ""
    deleted = f"jobset: ClusterRole jobset-controller is {where}Leave {leave}"
    assert checked(theirs, DELETE) == deleted
    assert checked(theirs, DELETE, adopt=True) == deleted


def test_object_recreated_by_someone_else_does_not_belong_to_the_state() -> None:
    for kind in (UPDATE, DELETE):
        assert "[OPR-13]" in checked({ROLE: thing("jobset-controller", annotations=RELEASE)}, kind)
        assert "[OPR-13]" in checked({ROLE: thing("jobset-controller")}, kind)
        assert checked({ROLE: thing("jobset-controller", uid="of the state")}, kind) == ""


def test_crd_kept_by_a_destroy_of_this_stack_is_adopted() -> None:
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lws"
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "lws"}}
    assert checked({path: thing("lws", annotations=SAME_NAME)}, CREATE, inputs=crd) == ""
    assert "[OPR-02]" in checked({path: thing("lws", annotations=RELEASE)}, CREATE, inputs=crd)
    assert "[OPR-13]" in checked({path: thing("lws", annotations=SAME_NAME)}, UPDATE, inputs=crd)


def test_where_the_owner_is_unknown_nothing_is_changed() -> None:
    cluster = Cluster()
    cluster.down = True
    for kind in (CREATE, UPDATE, DELETE):
        with pytest.raises(
            PreflightError,
            match="ClusterRole jobset-controller was not changed, because its owner could not be checked",
        ):
            check_ownership(ApiResources(cluster), stack_context(cluster), "jobset", True, step(*kind))


def test_object_of_an_unknown_kind_does_not_exist() -> None:
    monitor = {"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor", "metadata": {"name": "x"}}
    assert checked({}, CREATE, inputs=monitor) == ""


def deleting(monkeypatch: pytest.MonkeyPatch, answer: Response, successor: Any, kind: Any = DELETE) -> list[Any]:
    """What the API server was asked before the hook let a step go on."""
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)
    cluster = Cluster({ROLE: thing("jobset-controller", annotations=OURS)})
    cluster.answer = lambda *_: answer
    run_hook(ownership_hook("own", stack_context(cluster), "jobset", False, successor=lambda _: successor), step(*kind))
    return [method for method, path in cluster.calls if not path.startswith(ROLE) and method != "GET"]


def test_replaced_object_is_kept_until_its_successor_is_admitted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: False)
    assert deleting(monkeypatch, Response(201, {}), INPUTS) == ["POST (dry run)"]
    no = Response(403, {"message": "a policy denies it"})
    with pytest.raises(PreflightError, match=r"ClusterRole jobset-controller was not replaced.*policy denies.*OPR-17"):
        deleting(monkeypatch, no, INPUTS)
    assert deleting(monkeypatch, no, None) == [], "it is removed"
    assert deleting(monkeypatch, no, INPUTS, UPDATE) == []
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: True)
    assert deleting(monkeypatch, no, INPUTS) == [], "in a preview"

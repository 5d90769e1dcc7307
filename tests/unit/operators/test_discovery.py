"""What is in a cluster of an operator, whose it is, which version runs."""

from typing import Any

import pytest

from components.jobset import JobSetOperatorSpec
from components.operators.discovery import (
    CREATED,
    FOUND,
    KEPT,
    Installed,
    InstalledOperator,
    earlier_namespaces,
    find_foreign_objects,
    find_installed_operator,
    installed,
    namespace_origin,
)

from ..fake_cluster import Cluster, thing
from .cluster_objects import AT, CRD, NAMESPACE, OLD, OURS, SAME_NAME, WEBHOOKS, deployment, stack_context, webhook


def test_foreign_objects_of_an_operator_are_found_and_the_stacks_own_are_not() -> None:
    release = {"meta.helm.sh/release-name": "jobset"}
    cluster = Cluster(
        {
            CRD: thing("jobsets.jobset.x-k8s.io", annotations=OURS),
            NAMESPACE: thing("jobset-system", annotations=release),
            f"{WEBHOOKS}/jobset": webhook(annotations={"training-platform/stack": "training-platform/prod"}),
            f"{WEBHOOKS}/other": webhook("policies.example.com"),
        }
    )
    assert list(map(str, find_foreign_objects(stack_context(cluster), JobSetOperatorSpec()))) == [
        "namespace/jobset-system: owned by Helm release jobset",
        "validatingwebhookconfiguration/jobset-webhooks: owned by stack training-platform/prod",
    ]


def test_empty_cluster_has_no_foreign_objects() -> None:
    assert find_foreign_objects(stack_context(Cluster()), JobSetOperatorSpec()) == []
    assert find_installed_operator(Cluster(), JobSetOperatorSpec.facts.webhooks, "jobset") is None


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("registry.k8s.io/jobset/jobset:v0.12.0", "0.12.0"),
        ("mirror.example.com:5000/k8s/jobset:v0.12.0@sha256:00", "0.12.0"),
        ("mirror.example.com:5000/k8s/jobset", None),
        ("registry.k8s.io/jobset/jobset@sha256:00", None),
        ("example.com/sidecar:1.0", None),
    ],
)
@pytest.mark.parametrize(
    "installed_by", ["vjobset.kb.io", "validate-jobset-x-k8s-io-v1alpha2-jobset.x-k8s.io"], ids=["kustomize", "helm"]
)
def test_operator_is_found_by_its_webhook_and_its_version_by_its_image(
    installed_by: str, image: str, version: str | None
) -> None:
    path = "/apis/apps/v1/namespaces/elsewhere/deployments/controller"
    cluster = Cluster({f"{WEBHOOKS}/jobset": webhook(installed_by), path: deployment(image)})
    assert find_installed_operator(cluster, JobSetOperatorSpec.facts.webhooks, "jobset") == InstalledOperator(
        "elsewhere", version
    )


def test_webhook_outside_the_cluster_is_ignored() -> None:
    cluster = Cluster({f"{WEBHOOKS}/jobset": webhook(client={"url": "https://127.0.0.1:1"})})
    assert find_installed_operator(cluster, JobSetOperatorSpec.facts.webhooks, "jobset") is None


def test_a_stack_of_the_same_name_on_another_backend_is_another_stack() -> None:
    cluster = Cluster(
        {
            NAMESPACE: thing("jobset-system", annotations=SAME_NAME),
            CRD: thing("jobsets.jobset.x-k8s.io", annotations=SAME_NAME),
        }
    )
    assert list(map(str, find_foreign_objects(stack_context(cluster), JobSetOperatorSpec()))) == [
        "namespace/jobset-system: owned by stack training-platform/dev (id theirs)",
        "customresourcedefinition/jobsets.jobset.x-k8s.io: owned by stack training-platform/dev (id theirs)",
    ]


@pytest.mark.parametrize("left", [SAME_NAME, OLD])
def test_crds_kept_by_a_destroy_belong_to_the_stack_again_despite_a_new_id(left: Any) -> None:
    assert (
        find_foreign_objects(
            stack_context(Cluster({CRD: thing("jobsets.jobset.x-k8s.io", annotations=left)})), JobSetOperatorSpec()
        )
        == []
    )


def test_crds_kept_by_a_destroy_of_another_stack_are_foreign() -> None:
    left = {"training-platform/stack": "training-platform/prod", "training-platform/stack-id": "theirs"}
    assert (
        len(
            find_foreign_objects(
                stack_context(Cluster({CRD: thing("jobsets.jobset.x-k8s.io", annotations=left)})), JobSetOperatorSpec()
            )
        )
        == 1
    )


ORIGIN = "training-platform/namespace"


@pytest.mark.parametrize(
    ("annotations", "spec", "origin"),
    [
        (None, JobSetOperatorSpec(), CREATED),
        (None, JobSetOperatorSpec(adopt=True), CREATED),
        (None, JobSetOperatorSpec(keep_namespace=True), KEPT),
        (OURS | {ORIGIN: "created"}, JobSetOperatorSpec(), CREATED),
        (OURS | {ORIGIN: "kept"}, JobSetOperatorSpec(), CREATED),
        (OURS | {ORIGIN: "found"}, JobSetOperatorSpec(), FOUND),
        (OURS | {ORIGIN: "found"}, JobSetOperatorSpec(keep_namespace=True), FOUND),
        ({}, JobSetOperatorSpec(adopt=True), FOUND),
        (SAME_NAME | {ORIGIN: "created"}, JobSetOperatorSpec(adopt=True), FOUND),
        (OLD, JobSetOperatorSpec(), CREATED),
        (OLD, JobSetOperatorSpec(adopt=True), FOUND),
    ],
)
def test_namespace_that_existed_before_is_recorded_as_found(
    annotations: Any, spec: JobSetOperatorSpec, origin: str
) -> None:
    there = {} if annotations is None else {NAMESPACE: thing("jobset-system", annotations=annotations)}
    assert namespace_origin(stack_context(Cluster(there)), spec) == origin


def test_namespace_from_before_a_rename_is_found_by_its_operator() -> None:
    operator = {"training-platform/operator": "jobset"}
    there = {
        f"/api/v1/namespaces/{name}": thing(name, annotations=annotations)
        for name, annotations in {
            "jobset-system": OURS | operator,
            "old": OURS | operator,
            "kubeflow-system": OURS | {"training-platform/operator": "trainer"},
            "theirs": SAME_NAME | operator,
            "default": {},
        }.items()
    }
    found = earlier_namespaces(stack_context(Cluster(there)), JobSetOperatorSpec())
    assert [namespace["metadata"]["name"] for namespace in found] == ["old"]


RUNS = {f"{WEBHOOKS}/jobset": webhook()}
CONTROLLER = "/apis/apps/v1/namespaces/elsewhere/deployments/controller"


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ({}, Installed(None, None)),
        ({CRD: thing("jobsets.jobset.x-k8s.io", annotations=AT)}, Installed("0.12.0", None)),
        ({CRD: thing("jobsets.jobset.x-k8s.io")}, Installed(None, "crd jobsets.jobset.x-k8s.io")),
        (RUNS | {CONTROLLER: deployment("a/jobset:v0.11.1")}, Installed("0.11.1", None)),
        (
            RUNS | {CONTROLLER: deployment("a/jobset:v0.11.1"), CRD: thing("jobsets.jobset.x-k8s.io", annotations=AT)},
            Installed("0.12.0", None),
        ),
        (
            RUNS | {CONTROLLER: deployment("a/jobset:v0.11.1"), CRD: thing("jobsets.jobset.x-k8s.io")},
            Installed("0.11.1", None),
        ),
        (RUNS | {CONTROLLER: deployment("a/jobset:nightly")}, Installed(None, "namespace elsewhere")),
        (RUNS | {CONTROLLER: deployment("a/jobset@sha256:00")}, Installed(None, "namespace elsewhere")),
        (
            RUNS
            | {
                CONTROLLER: deployment("a/jobset@sha256:00"),
                "/api/v1/namespaces/elsewhere": thing("elsewhere", annotations=AT),
            },
            Installed("0.12.0", None),
        ),
    ],
    ids=["nothing", "marked", "unmarked", "runs", "newer-crd", "unmarked-crd", "nightly", "digest", "annotated"],
)
def test_installed_version_is_the_newest_of_controller_and_crds(there: Any, said: Installed) -> None:
    assert installed(Cluster(there), JobSetOperatorSpec()) == said

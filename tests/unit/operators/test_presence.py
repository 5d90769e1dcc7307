"""What is in a cluster of an operator, whose it is, which version runs."""

from typing import Any

import pytest

from components.jobset import JobSetSpec
from components.presence import Running, of_others, owner_of, running

from .cluster import Cluster, thing

CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/jobsets.jobset.x-k8s.io"
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
NAMESPACE = "/api/v1/namespaces/jobset-system"
OURS = {"training-platform/stack": "training-platform/dev"}
SERVICE = {"service": {"namespace": "elsewhere", "name": "webhook"}}


def webhook(
    name: str = "validate-jobset-x-k8s-io-v1alpha2-jobset.x-k8s.io", client: Any = SERVICE, **metadata: Any
) -> dict[str, Any]:
    return thing("jobset-webhooks", webhooks=[{"name": name, "clientConfig": client}], **metadata)


def deployment(image: str) -> dict[str, Any]:
    return thing("controller", "elsewhere", spec={"template": {"spec": {"containers": [{"image": image}]}}})


def field_manager(name: str) -> dict[str, Any]:
    return thing("x", managedFields=[{"manager": name}, {"manager": "kube-controller-manager"}])


@pytest.mark.parametrize(
    ("there", "owner"),
    [
        (thing("x", annotations=OURS), "of the stack training-platform/dev"),
        (thing("x", annotations={"meta.helm.sh/release-name": "jobset"}), "of the Helm release jobset"),
        (
            thing("x", annotations={"argocd.argoproj.io/tracking-id": "ml:apps/Deployment:a/b"}),
            "of the Argo CD application ml",
        ),
        (thing("x", labels={"kustomize.toolkit.fluxcd.io/name": "ml"}), "of the Flux kustomization ml"),
        (thing("x", labels={"helm.toolkit.fluxcd.io/name": "ml"}), "of the Flux release ml"),
        (field_manager("pulumi-kubernetes-0a1b"), "of another Pulumi stack"),
        (field_manager("pulumi-resource-kubernetes"), "of another Pulumi stack"),
        (field_manager("kubectl-client-side-apply"), "made with kubectl"),
        (field_manager("operator"), "made by kube-controller-manager, operator"),
        (thing("x"), "made by nobody who left a name"),
    ],
)
def test_an_object_says_whose_it_is_by_what_tools_leave_on_it(there: dict[str, Any], owner: str) -> None:
    assert owner_of(there) == owner


def test_what_others_made_of_an_operator_is_found_and_what_the_stack_made_is_not() -> None:
    release = {"meta.helm.sh/release-name": "jobset"}
    cluster = Cluster(
        {
            CRD: thing("jobsets.jobset.x-k8s.io", annotations=OURS),
            NAMESPACE: thing("jobset-system", annotations=release),
            f"{WEBHOOKS}/jobset": webhook(annotations={"training-platform/stack": "training-platform/prod"}),
            f"{WEBHOOKS}/other": webhook("policies.example.com"),
        }
    )
    assert list(map(str, of_others(cluster, JobSetSpec(), "training-platform/dev"))) == [
        "namespace/jobset-system: of the Helm release jobset",
        "validatingwebhookconfiguration/jobset-webhooks: of the stack training-platform/prod",
    ]


def test_in_an_empty_cluster_nothing_is_found() -> None:
    assert of_others(Cluster(), JobSetSpec(), "a/b") == []
    assert running(Cluster(), JobSetSpec.webhooks, "jobset") is None


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
def test_an_operator_runs_where_its_webhook_leads_in_the_version_of_its_image(
    installed_by: str, image: str, version: str | None
) -> None:
    path = "/apis/apps/v1/namespaces/elsewhere/deployments/controller"
    cluster = Cluster({f"{WEBHOOKS}/jobset": webhook(installed_by), path: deployment(image)})
    assert running(cluster, JobSetSpec.webhooks, "jobset") == Running("elsewhere", version)


def test_a_webhook_that_leads_out_of_the_cluster_says_nothing() -> None:
    cluster = Cluster({f"{WEBHOOKS}/jobset": webhook(client={"url": "https://127.0.0.1:1"})})
    assert running(cluster, JobSetSpec.webhooks, "jobset") is None

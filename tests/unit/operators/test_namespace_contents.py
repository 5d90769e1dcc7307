"""What a namespace holds that the stack has not created."""

from typing import Any

from components.operators.namespace_contents import contents_violation, foreign_objects

from ..fake_cluster import DISCOVERY, Cluster, thing
from .cluster_objects import OLD, OURS, SAME_NAME, stack_context

NAMESPACE = "/api/v1/namespaces/jobset-system"
OWNED: dict[str, Any] = {"ownerReferences": [{"kind": "ConfigMap", "uid": "uid of owner"}]}
TOKEN = {"type": "kubernetes.io/service-account-token"}


def found(**there: Any) -> list[str]:
    """The foreign ones of objects that are given by their path below the namespace."""
    objects = {f"{NAMESPACE}/{path.replace('__', '/')}": each for path, each in there.items()}
    return [*map(str, foreign_objects("jobset-system", stack_context(Cluster(objects))))]


def test_objects_of_users_are_found_whatever_their_kind() -> None:
    cluster = Cluster(
        {
            f"{NAMESPACE}/secrets/keys": thing("keys", "jobset-system"),
            f"{NAMESPACE}/configmaps/theirs": thing("theirs", "jobset-system", annotations=SAME_NAME),
            "/apis/apps/v1/namespaces/jobset-system/deployments/web": thing("web", "jobset-system"),
            "/apis/jobset.x-k8s.io/v1alpha2/namespaces/jobset-system/jobsets/bare": thing("bare", "jobset-system"),
            "/apis/trainer.kubeflow.org/v1alpha1/namespaces/jobset-system/trainjobs/done": thing("done"),
            "/api/v1/namespaces/default/secrets/elsewhere": thing("elsewhere", "default"),
        }
    )
    assert [*map(str, foreign_objects("jobset-system", stack_context(cluster)))] == [
        "ConfigMap jobset-system/theirs",
        "Secret jobset-system/keys",
        "Deployment jobset-system/web",
        "TrainJob jobset-system/done",
        "JobSet jobset-system/bare",
    ]


def test_objects_of_the_stack_are_not_foreign_even_without_id() -> None:
    assert found(configmaps__new=thing("new", annotations=OURS), configmaps__old=thing("old", annotations=OLD)) == []


def test_owned_objects_and_default_objects_of_namespaces_are_not_foreign() -> None:
    assert (
        found(
            pods__a=thing("a", **OWNED),
            configmaps__owner=thing("owner", annotations=OURS),
            pods__b=thing("b", deletionTimestamp="now"),
            configmaps__ca=thing("kube-root-ca.crt"),
            serviceaccounts__default=thing("default"),
            secrets__token=thing(
                "default-token-x7k2p", annotations={"kubernetes.io/service-account.name": "default"}, **TOKEN
            ),
            events__e=thing("e"),
        )
        == []
    )
    assert found(pods__a=thing("a"), configmaps__default=thing("default")) == [
        "ConfigMap jobset-system/default",
        "Pod jobset-system/a",
    ]


def test_object_with_an_owner_outside_the_namespace_is_listed() -> None:
    outside: dict[str, Any] = {"ownerReferences": [{"kind": "ClusterThing", "uid": "uid of something else"}]}
    assert found(configmaps__a=thing("a", **outside)) == ["ConfigMap jobset-system/a"]


def test_service_account_token_of_a_user_is_listed() -> None:
    for annotations in ({"kubernetes.io/service-account.name": "default"}, {}):
        assert found(secrets__ci=thing("ci", annotations=annotations, **TOKEN)) == ["Secret jobset-system/ci"]


def test_object_of_a_custom_group_is_listed_whatever_its_kind() -> None:
    cluster = Cluster({"/apis/concerts.example.com/v1/namespaces/jobset-system/events/premiere": thing("premiere")})
    group = {"groupVersion": "concerts.example.com/v1", "version": "v1"}
    cluster.discovery_answers = {
        **DISCOVERY,
        "/apis": {"groups": [{"name": "concerts.example.com", "versions": [group], "preferredVersion": group}]},
        "/apis/concerts.example.com/v1": {
            "resources": [{"kind": "Event", "name": "events", "namespaced": True, "verbs": ["list", "delete"]}]
        },
    }
    assert [*map(str, foreign_objects("jobset-system", stack_context(cluster)))] == ["Event jobset-system/premiere"]


def test_violation_lists_foreign_objects_and_how_to_keep_them() -> None:
    objects = foreign_objects("jobset-system", stack_context(Cluster({f"{NAMESPACE}/secrets/keys": thing("keys")})))
    assert str(contents_violation("jobset", "jobset-system", objects)) == (
        "jobset: Namespace jobset-system would be deleted with 1 object that this stack did not create:\n"
        "  Secret jobset-system/keys\n  Fix: Move or delete them, or set `jobset: {keepNamespace: true}` to keep "
        "the namespace and its contents. [OPR-16]"
    )

"""What an API server says of a TrainJob, beside what is predicted."""

from typing import Any

import pytest

from components.cluster.client import ClusterReadError, Response
from components.runtimes import torch
from components.runtimes.train_job import TrainJob
from stacks.dry_run import ask, compare_with_server
from tests.unit.fake_cluster import Cluster

API = "/apis/trainer.kubeflow.org/v1alpha1"
RUNTIME = torch(name="mine", nodes=2)
DENIED = 'admission webhook "validator.trainjob.trainer.kubeflow.org" denied the request: no'


def train_job(**trainer: Any) -> TrainJob:
    spec = {"runtimeRef": {"name": "mine"}, "trainer": trainer}
    metadata = {"name": "train", "namespace": "team"}
    return TrainJob.from_manifest(
        {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": metadata, "spec": spec}
    )


def cluster(rejection: str | None = None, status: int = 403, **options: Any) -> Cluster:
    stored = torch(name="mine", **({"nodes": 2} | options)).to_manifest()
    made = Cluster({f"{API}/clustertrainingruntimes/mine": stored})
    if rejection:
        made.answer = lambda path, body: (
            Response(status, {"message": rejection, "reason": "AlreadyExists" if status == 409 else ""})
            if path.endswith("/trainjobs")
            else Response(201, {**body, "status": {"allowed": "cannot create resource" not in rejection}})
        )
    return made


RESERVED = {"env": [{"name": "PET_NNODES", "value": "2"}]}


def told(there: Cluster, job: TrainJob | None = None) -> list[str]:
    return [*compare_with_server(there, RUNTIME, job or train_job(), "2.3.0")]


def test_the_train_job_is_created_by_dry_run_in_its_namespace() -> None:
    there = cluster()
    assert ask(there, train_job()).rejection is None
    assert there.calls == [("POST (dry run)", f"{API}/namespaces/team/trainjobs")]


def test_nothing_differs() -> None:
    assert told(cluster()) == ["The API server admits the TrainJob."]


def test_a_rejection_that_is_predicted() -> None:
    assert told(cluster(DENIED), train_job(**RESERVED)) == [f"The API server rejects the TrainJob: {DENIED}"]


def test_a_rejection_that_is_not_predicted() -> None:
    assert told(cluster(DENIED)) == [
        f"The API server rejects the TrainJob: {DENIED}",
        "This was not predicted: no rule forbids it.",
    ]


def test_a_predicted_rejection_that_does_not_come() -> None:
    assert told(cluster(), train_job(**RESERVED)) == [
        "The API server admits the TrainJob.",
        "This was not predicted. The rules expect a rejection:",
        "  [TJC-25] spec.trainer.env[0]: Trainer sets PET_NNODES itself, and rejects a TrainJob that sets it.",
    ]


def test_a_runtime_that_differs_in_the_cluster_is_reported() -> None:
    assert told(cluster(nodes=4), train_job()) == [
        "With the runtime in the cluster, instead of the stack's:",
        "  Job node has 4 pods instead of 2.",
        "  Container node of node: PET_NNODES is changed in the environment.",
        "The API server admits the TrainJob.",
    ]


def test_a_runtime_that_is_not_there_is_reported() -> None:
    assert told(Cluster()) == ["The runtime is not in the cluster yet, so the API server cannot judge the TrainJob."]


def test_a_cluster_that_does_not_answer_is_reported() -> None:
    there = cluster()
    there.down = True
    assert told(there) == ["The API server gave no verdict: the API server does not answer: refused."]


def test_a_train_job_that_exists_is_admitted() -> None:
    assert told(cluster('trainjobs.trainer.kubeflow.org "train" already exists', 409)) == [
        "The API server admits the TrainJob.",
        "A TrainJob of this name exists already: choose another name, or delete that one first.",
    ]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (404, 'namespaces "team" not found'),
        (404, "HTTP status 404"),
        (409, "Operation cannot be fulfilled"),
        (429, "too many requests"),
        (500, 'Internal error occurred: failed calling webhook "validator.trainjob": connection refused'),
        (504, "Timeout"),
    ],
)
def test_an_outage_is_not_a_rejection(status: int, message: str) -> None:
    there = cluster()
    there.answer = lambda _path, _body: Response(status, {"message": message})
    assert told(there) == [f"The API server gave no verdict: {message}."]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, 'strict decoding error: unknown field "spec.x"'),
        (422, "spec.trainer: Invalid value"),
        (422, "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"),
        (403, "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"),
        (403, 'trainjobs.trainer.kubeflow.org "train" is forbidden: exceeded quota: q'),
        (500, 'admission webhook "x" denied the request: no'),
    ],
)
def test_schemas_policies_and_quotas_reject(status: int, message: str) -> None:
    assert ask(cluster(message, status), train_job()).rejection == message


def test_missing_permission_is_not_a_rejection() -> None:
    forbidden = 'trainjobs.trainer.kubeflow.org is forbidden: User "me" cannot create resource "trainjobs"'
    there = cluster(forbidden)
    with pytest.raises(ClusterReadError, match="this user cannot create TrainJobs in namespace team: trainjobs"):
        ask(there, train_job())
    assert there.calls == [
        ("POST (dry run)", f"{API}/namespaces/team/trainjobs"),
        ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
    ]


def test_a_runtime_that_cannot_be_read_does_not_keep_the_server_from_being_asked() -> None:
    there = cluster(DENIED)
    there.objects[f"{API}/clustertrainingruntimes/mine"]["spec"]["new"] = 1
    unread = (
        "The runtime in the cluster was not compared: "
        "ClusterTrainingRuntime mine has fields that are not known: spec.new."
    )
    rejected = f"The API server rejects the TrainJob: {DENIED}"
    assert told(there, train_job(**RESERVED)) == [unread, rejected]
    assert told(there) == [unread, rejected, "This was not predicted: no rule forbids it."]


def test_a_runtime_that_cannot_be_explained_is_reported() -> None:
    lines = told(cluster(nodes=20_000))
    assert lines[0].startswith("The runtime in the cluster was not compared: The replicated job node may have 20000")
    assert lines[1:] == ["The API server admits the TrainJob."]

"""What the API server of a stack's cluster says of a TrainJob, by dry run, beside what is predicted."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from components.admission.probes import FORBIDDEN, UNPROCESSABLE, denier
from components.cluster.client import ClusterClient, ClusterReadError, Response
from components.cluster.permissions import Permission
from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.cluster_runtimes import runtimes_of_cluster
from components.runtimes.explain import ExplainError, differences, explain
from components.runtimes.pair_rules import check_train_job
from components.runtimes.train_job import TrainJob
from components.runtimes.train_job_linter import RuntimeSourceError
from components.validation.violation import only_errors

_API = "/apis/trainer.kubeflow.org/v1alpha1"
_BAD_REQUEST, _CONFLICT = 400, 409

AT_CREATION = ("TJC-", "CTR-")
"""How ids of rules begin for what the API server or Trainer's webhook rejects. What others forbid comes later."""


class Answer(NamedTuple):
    """The answer to a dry run."""

    rejection: str | None
    """Why the TrainJob is rejected. None: it is admitted."""

    exists: bool = False
    """Whether a TrainJob of this name exists, so that this one is admitted but cannot be created."""


def ask(client: ClusterClient, train_job: TrainJob) -> Answer:
    """Create a TrainJob by dry run: nothing is stored. Raises ClusterReadError if the API server gives no verdict,
    because it or a webhook does not answer, the namespace or the CRD is missing, or this user may not create TrainJobs.
    """
    namespace = train_job.metadata.namespace or "default"
    path = f"{_API}/namespaces/{quote(namespace, safe='')}/trainjobs"
    response = client.request("POST", path, train_job.to_manifest(), dry_run=True, query={"fieldValidation": "Strict"})
    if response.ok:
        return Answer(None)
    # Storage is asked last, after all admission (apiserver v0.37.2, pkg/registry/generic/registry/store.go).
    if response.status == _CONFLICT and response.body.get("reason") == "AlreadyExists":
        return Answer(None, exists=True)
    if _is_verdict(response):
        return Answer(response.message)
    if response.status == FORBIDDEN:
        if not Permission("TrainJob", namespace).is_denied(client):
            return Answer(response.message)
        raise ClusterReadError(f"this user cannot create TrainJobs in namespace {namespace}: {response.message}")
    raise ClusterReadError(response.message)


def _is_verdict(response: Response) -> bool:
    """Whether a webhook, a policy or the CRD's schema rejects the object."""
    return denier(response) is not None or response.status in (_BAD_REQUEST, UNPROCESSABLE)


def compare_with_server(
    client: ClusterClient, runtime: BaseTrainingRuntime, train_job: TrainJob, trainer: str
) -> Iterator[str]:
    """Lines about the cluster: whether it has the runtime and how that differs from `runtime`, whether it admits the
    TrainJob, and where that is not what is predicted."""
    used, unread = runtime, None
    try:
        found = runtimes_of_cluster(client).find(train_job.spec.runtime_ref, train_job.metadata.namespace or "default")
    except RuntimeSourceError as error:
        unread = str(error)
    else:
        if found is None:
            yield "The runtime is not in the cluster yet, so the API server cannot judge the TrainJob."
            return
        used = found.runtime
        yield from _of_runtimes(runtime, used, train_job, trainer)
    answer, unknown = None, None
    try:
        answer = ask(client, train_job)
    except ClusterReadError as error:
        unknown = str(error)
    if unread and unread != unknown:
        yield f"The runtime in the cluster was not compared: {unread}."
    if answer is None:
        yield f"The API server gave no verdict: {unknown}."
    else:
        yield from _of_verdicts(answer, used, train_job, trainer)


def _of_runtimes(
    expected: BaseTrainingRuntime, there: BaseTrainingRuntime, train_job: TrainJob, trainer: str
) -> Iterator[str]:
    """Lines about what the TrainJob becomes with the runtime that is in the cluster, where that differs."""
    try:
        lines = differences(*(explain(each, train_job, trainer=trainer) for each in (expected, there)))
    except ExplainError as error:
        yield f"The runtime in the cluster was not compared: {error}"
        return
    if lines:
        yield "With the runtime in the cluster, instead of the stack's:"
        yield from (f"  {line}" for line in lines)


def _of_verdicts(answer: Answer, runtime: BaseTrainingRuntime, train_job: TrainJob, trainer: str) -> Iterator[str]:
    """Lines about the verdict of the API server, and the predicted one where it differs."""
    predicted = [
        each
        for each in only_errors(check_train_job(train_job, runtime, trainer=trainer))
        if each.rule.startswith(AT_CREATION)
    ]
    if answer.rejection:
        yield f"The API server rejects the TrainJob: {answer.rejection}"
        if not predicted:
            yield "This was not predicted: no rule forbids it."
        return
    yield "The API server admits the TrainJob."
    if answer.exists:
        yield "A TrainJob of this name exists already: choose another name, or delete that one first."
    if predicted:
        yield "This was not predicted. The rules expect a rejection:"
        yield from (f"  [{each.rule}] {each.path}: {each.message}" for each in predicted)

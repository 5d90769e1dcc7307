"""What the API server of a stack's cluster says of a TrainJob, by dry run, beside what is predicted."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from components.cluster.client import ClusterClient, ClusterReadError
from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.cluster_runtimes import runtimes_of_cluster
from components.runtimes.explain import differences, explain
from components.runtimes.pair_rules import check_train_job
from components.runtimes.train_job import TrainJob
from components.runtimes.train_job_linter import RuntimeSourceError
from components.validation.violation import only_errors

_API = "/apis/trainer.kubeflow.org/v1alpha1"
_FORBIDDEN = 403

AT_CREATION = ("TJC-", "CTR-")
"""How ids of rules begin for what the API server or Trainer's webhook rejects. What others forbid comes later."""


class Answer(NamedTuple):
    """The answer to a dry run."""

    rejection: str | None
    """Why the TrainJob is rejected. None: it is admitted."""


def ask(client: ClusterClient, train_job: TrainJob) -> Answer:
    """Create a TrainJob by dry run: nothing is stored. Raises ClusterReadError if the API server cannot be asked."""
    namespace = quote(train_job.metadata.namespace or "default", safe="")
    query = {"fieldValidation": "Strict"}
    path = f"{_API}/namespaces/{namespace}/trainjobs"
    response = client.request("POST", path, train_job.to_manifest(), dry_run=True, query=query)
    if response.ok:
        return Answer(None)
    if response.status == _FORBIDDEN and "admission webhook" not in response.message:
        raise ClusterReadError(f"this user cannot create TrainJobs in namespace {namespace}: {response.message}")
    return Answer(response.message)


def compare_with_server(
    client: ClusterClient, runtime: BaseTrainingRuntime, train_job: TrainJob, trainer: str
) -> Iterator[str]:
    """Lines about the cluster: whether it has the runtime and how that differs from `runtime`, whether it admits the
    TrainJob, and where that is not what is predicted."""
    try:
        found = runtimes_of_cluster(client).find(train_job.spec.runtime_ref, train_job.metadata.namespace or "default")
        answer = ask(client, train_job)
    except (ClusterReadError, RuntimeSourceError) as error:
        yield f"The API server was not asked: {error}."
        return
    if found is None:
        yield "The runtime is not in the cluster yet, so the API server cannot judge the TrainJob."
        return
    expected = explain(runtime, train_job, trainer=trainer)
    if lines := differences(expected, explain(found.runtime, train_job, trainer=trainer)):
        yield "With the runtime in the cluster, instead of the stack's:"
        yield from (f"  {line}" for line in lines)
    predicted = [
        each
        for each in only_errors(check_train_job(train_job, found.runtime, trainer=trainer))
        if each.rule.startswith(AT_CREATION)
    ]
    yield (
        f"The API server rejects the TrainJob: {answer.rejection}"
        if answer.rejection
        else ("The API server admits the TrainJob.")
    )
    if answer.rejection and not predicted:
        yield "This was not predicted: no rule forbids it."
    elif predicted and not answer.rejection:
        yield "This was not predicted. The rules expect a rejection:"
        yield from (f"  [{each.rule}] {each.path}: {each.message}" for each in predicted)

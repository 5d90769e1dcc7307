"""Reads the runtimes of TrainJobs from a cluster."""

from collections.abc import Callable, Iterable
from typing import TypeVar
from urllib.parse import quote

from pydantic import ValidationError

from ..cluster.client import ClusterClient, ClusterReadError
from ..validation.extras import missing_extra
from .api import BaseTrainingRuntime
from .server_fields import strip_server_fields
from .train_job import RuntimeRef
from .train_job_linter import CLUSTER_KIND, FoundRuntime, RuntimeSource, RuntimeSourceError, UnreadableRuntimeError

T = TypeVar("T")

_API = "/apis/trainer.kubeflow.org/v1alpha1"


def runtimes_of_cluster(client: ClusterClient) -> RuntimeSource:
    """The runtimes of a cluster. Nothing is changed there.

    `find` raises RuntimeSourceError if the cluster cannot be asked, and UnreadableRuntimeError if a runtime has fields
    that are not known.
    """
    place = f"context {client.context}"

    def find(reference: RuntimeRef, namespace: str) -> FoundRuntime | None:
        path = f"{_collection(reference, namespace)}/{quote(reference.name, safe='')}"
        manifest = _asked(lambda: client.get(path))
        if manifest is None:
            return None
        kind = reference.kind or CLUSTER_KIND
        data = {**strip_server_fields(manifest), "kind": kind}
        try:
            runtime = BaseTrainingRuntime.model_validate(data, by_alias=True, by_name=False)
        except ValidationError as error:
            keys = ", ".join(".".join(map(str, each["loc"])) for each in error.errors()[:3])
            raise UnreadableRuntimeError(f"{kind} {reference.name} has fields that are not known: {keys}") from None
        return FoundRuntime(runtime, place)

    def names() -> Iterable[str]:
        try:
            listed = client.list_objects(f"{_API}/clustertrainingruntimes")
        except ClusterReadError:  # whoever may `get` a runtime need not be allowed to list them
            return []
        return [str(each["metadata"]["name"]) for each in listed]

    return RuntimeSource(place, find, names, fix=None)


def _asked(question: Callable[[], T]) -> T:
    try:
        return question()
    except ClusterReadError as error:
        raise RuntimeSourceError(str(error)) from None
    except ModuleNotFoundError as error:
        raise RuntimeSourceError(str(missing_extra("pulumi", error, __name__))) from None


def _collection(reference: RuntimeRef, namespace: str) -> str:
    if reference.kind in (None, CLUSTER_KIND):
        return f"{_API}/clustertrainingruntimes"
    return f"{_API}/namespaces/{quote(namespace, safe='')}/trainingruntimes"

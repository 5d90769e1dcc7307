"""Reads what becomes of a TrainJob, with namespaced permissions."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.objects import collection_path
from .observations import NodeObservation, Observations, PodObservation, RankObservation
from .plan import TrainingPlan
from .rank_reports import ranks_of

JOBSET_NAME = "jobset.sigs.k8s.io/jobset-name"
"""Label of a pod: the JobSet that it belongs to, which has the name of its TrainJob (JobSet 0.12.0)."""

REFUSED = ("FailedCreate", "JobCreationFailed", "TrainJobResourcesCreationFailed")
"""Reasons of events about an object that was not created (Job controller of Kubernetes 1.37.2; JobSet 0.12.0,
`pkg/constants`; Trainer 2.3.0)."""

TAIL_LINES = 2000
"""Number of lines that are read of a log."""


def nodes_of(access: ClusterClient, plan: TrainingPlan) -> tuple[NodeObservation, ...]:
    """The nodes of the plan's pool. Raises ClusterReadError, also without the permission to list nodes."""
    labels = plan.pool.placement.node_selector if plan.pool else {}
    selector = ",".join(f"{key}={value}" for key, value in labels.items())
    nodes = access.list_objects("/api/v1/nodes", {"labelSelector": selector})
    return tuple(NodeObservation.of(node, plan.expected.resources) for node in nodes)


class TrainingObserver:
    """Observes one TrainJob. Remembers the logs of pods that are gone."""

    def __init__(self, access: ClusterClient, plan: TrainingPlan, name: str) -> None:
        self._access, self._plan, self._name = access, plan, name
        self._core = f"/api/v1/namespaces/{plan.namespace}"
        self._seen: dict[str, PodObservation] = {}
        self._logs: dict[str, str] = {}
        self._ranks: dict[int, RankObservation] = {}
        self._texts: dict[tuple[str, str, str], str] = {}
        self.has_all_logs = True
        """Whether the last observation could read the logs of all containers that have run."""

    def observe(self) -> Observations:
        """What there is now. Raises ClusterReadError."""
        # First the TrainJob: if it has ended, its logs are complete.
        train_job = self._access.get(f"{collection_path('TrainJob', self._plan.namespace)}/{self._name}")
        ending, message = _ending(train_job)
        # Before the logs, which take the time that is left if kubelets do not answer.
        refusals = tuple(dict.fromkeys(self._refusals()))
        pods = self._access.list_objects(f"{self._core}/pods", {"labelSelector": f"{JOBSET_NAME}={self._name}"})
        present, self.has_all_logs = {}, True
        for pod in pods:
            observation = PodObservation.of(pod, self._log(pod))
            present[observation.name] = observation
        gone = [
            replace(each, waiting=(), unschedulable=None) for name, each in self._seen.items() if name not in present
        ]
        self._seen |= present
        # Remembered, because what a framework prints at its end may push the reports out of the lines that are read.
        lines = (line for log in self._logs.values() for line in log.splitlines())
        self._ranks |= {each.rank: each for each in ranks_of(lines)}
        return Observations(
            self._plan.expected,
            refusals=refusals,
            pods=(*present.values(), *gone),
            ranks=tuple(self._ranks[rank] for rank in sorted(self._ranks)),
            ending=ending,
            message=message,
        )

    def _refusals(self) -> Iterable[str]:
        for event in self._access.list_objects(f"{self._core}/events", {"fieldSelector": "type=Warning"}):
            about = (event.get("involvedObject") or {}).get("name") or ""
            is_ours = about == self._name or about.startswith(f"{self._name}-")
            if is_ours and event.get("reason") in REFUSED:
                yield str(event.get("message"))

    def _log(self, pod: Mapping[str, Any]) -> str:
        """The logs of all containers of a pod, one after the other; also of their previous attempts."""
        status = pod.get("status") or {}
        containers = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
        name, texts = pod["metadata"]["name"], []
        for container in containers:
            for previous in ("true", "false") if container.get("restartCount") else ("false",):
                key = (name, container["name"], previous)
                text = self._read(*key)
                if text is None and previous == "false" and _has_run(container):
                    self.has_all_logs = False
                self._texts[key] = text or self._texts.get(key, "")
                texts.append(self._texts[key])
        log = "\n".join(filter(None, texts))
        if log:
            self._logs[name] = log
        return self._logs.get(name, "")

    def _read(self, pod: str, container: str, previous: str) -> str | None:
        query = {"container": container, "previous": previous, "tailLines": str(TAIL_LINES)}
        try:
            return self._access.read_log(f"{self._core}/pods/{pod}/log", query)
        except ClusterReadError:
            return None  # the kubelet may be away for a while; its last log counts


def _has_run(container: Mapping[str, Any]) -> bool:
    """Whether a container has a log: it runs, or has ended."""
    return not {"running", "terminated"}.isdisjoint(container.get("state") or {})


def _ending(train_job: Mapping[str, Any] | None) -> tuple[str | None, str]:
    """How a TrainJob ended, and what its last condition says."""
    if train_job is None:
        return "Deleted", "it was deleted"
    conditions = (train_job.get("status") or {}).get("conditions") or ()
    true = {each.get("type"): each.get("message", "") for each in conditions if each.get("status") == "True"}
    for ending in ("Complete", "Failed"):
        if ending in true:
            return ending, true[ending]
    return None, "it is suspended" if (train_job.get("spec") or {}).get("suspend") else ""

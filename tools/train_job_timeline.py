"""Records what happens in a TrainJob, in the order in which the API server stored it."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class TimelineEvent:
    """An observed event.

    Attributes:
        revision: The API server's revision at which it was stored. All objects of a cluster share one counter, so the
            event with the greater revision is the later one, whatever the clocks say.
        seconds: Seconds since the timeline began.
        kind: `Pod`, `Job` or `TrainJob`.
        name: Name of the object.
        what: `created`, `Ready`, or the type of a condition that became true.
    """

    revision: int
    seconds: float
    kind: str
    name: str
    what: str


class Timeline:
    """Watches all pods, Jobs and TrainJobs of a namespace.

    Args:
        kubeconfig: Kubeconfig of the cluster.
        namespace: The namespace.
        on_moment: Called from the watching thread with each event.
    """

    def __init__(
        self, kubeconfig: Path, namespace: str, on_moment: Callable[[TimelineEvent], None] | None = None
    ) -> None:
        from kubernetes import client, config

        api = config.new_client_from_config(str(kubeconfig))
        self._custom = client.CustomObjectsApi(api)
        self._namespace = namespace
        self._on_moment = on_moment
        self._begin = time.monotonic()
        self._changed = threading.Condition()
        self._moments: dict[tuple[str, str, str], TimelineEvent] = {}
        core, batch = client.CoreV1Api(api), client.BatchV1Api(api)
        self._watch("Pod", core.list_namespaced_pod, (namespace,))
        self._watch("Job", batch.list_namespaced_job, (namespace,))
        trainjobs = ("trainer.kubeflow.org", "v1alpha1", namespace, "trainjobs")
        self._watch("TrainJob", self._custom.list_namespaced_custom_object, trainjobs)

    def _watch(self, kind: str, listing: Callable[..., Any], arguments: tuple[str, ...]) -> None:
        found = listing(*arguments)
        metadata = found["metadata"] if isinstance(found, dict) else found.metadata.to_dict()
        start = metadata.get("resourceVersion") or metadata["resource_version"]
        threading.Thread(target=self._follow, args=(kind, listing, arguments, start), daemon=True).start()

    def _follow(self, kind: str, listing: Callable[..., Any], arguments: tuple[str, ...], start: str) -> None:
        from kubernetes import watch
        from urllib3.exceptions import HTTPError

        # If the cluster is deleted while it is watched, no more events arrive and `wait` times out.
        with suppress(HTTPError):
            for event in watch.Watch().stream(listing, *arguments, resource_version=start):
                self._note(kind, event["type"], event["raw_object"])

    def _note(self, kind: str, change: str, found: dict[str, Any]) -> None:
        name, revision = found["metadata"]["name"], int(found["metadata"]["resourceVersion"])
        if change == "ADDED":
            self._see(kind, name, "created", revision)
        for condition in found.get("status", {}).get("conditions", []):
            if condition["status"] == "True":
                self._see(kind, name, condition["type"], revision)

    def _see(self, kind: str, name: str, what: str, revision: int) -> None:
        with self._changed:
            if (kind, name, what) in self._moments:
                return
            moment = TimelineEvent(revision, time.monotonic() - self._begin, kind, name, what)
            self._moments[kind, name, what] = moment
            self._changed.notify_all()
        if self._on_moment:
            self._on_moment(moment)

    def moments(self, trainjob: str) -> list[TimelineEvent]:
        """The events of a TrainJob so far, in the order in which they were stored."""
        with self._changed:
            seen = [m for m in self._moments.values() if m.name == trainjob or m.name.startswith(f"{trainjob}-")]
        return sorted(seen, key=lambda moment: moment.revision)

    def wait(self, kind: str, name: str, what: str, seconds: float) -> bool:
        """Wait for an event. Returns whether it happened in time."""
        with self._changed:
            return self._changed.wait_for(lambda: (kind, name, what) in self._moments, timeout=seconds)

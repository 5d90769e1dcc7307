"""What was observed of one TrainJob: its pods, their logs, the events of its objects, and the nodes of its pool."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ..runtimes.topology import LAUNCHER

REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"
"""Label of a pod: the replicated job that it belongs to (JobSet 0.12.0, `api/jobset/v1alpha2/jobset_types.go`)."""

MAX_LOG_LINES = 200
"""Number of lines that are kept of a log, from its end."""


@dataclass(frozen=True)
class PodObservation:
    """A pod as it is now."""

    name: str
    """Name."""

    hostname: str
    """Hostname inside the pod, by which its ranks report."""

    role: str | None
    """Replicated job that it belongs to: `node` or `launcher`. None: it has no such label."""

    waiting: tuple[tuple[str, str], ...] = ()
    """Reason and message of each container that waits."""

    unschedulable: str | None = None
    """Why the scheduler finds no node. None: it has found one, or has not tried yet."""

    log: tuple[str, ...] = ()
    """Last lines of all its containers."""

    @classmethod
    def of(cls, pod: Mapping[str, Any], log: str = "") -> Self:
        """The observation of a pod of the API.

        Args:
            pod: The pod.
            log: The logs of its containers, one after the other.
        """
        metadata, status = pod["metadata"], pod.get("status") or {}
        containers = [
            *(status.get("initContainerStatuses") or ()),
            *(status.get("containerStatuses") or ()),
        ]
        waiting = [each["state"]["waiting"] for each in containers if (each.get("state") or {}).get("waiting")]
        scheduled = [each for each in status.get("conditions") or () if each["type"] == "PodScheduled"]
        return cls(
            metadata["name"],
            pod.get("spec", {}).get("hostname") or metadata["name"],
            (metadata.get("labels") or {}).get(REPLICATED_JOB),
            tuple((each.get("reason", ""), each.get("message", "")) for each in waiting),
            next((each.get("message", "") for each in scheduled if each.get("reason") == "Unschedulable"), None),
            tuple(log.splitlines()[-MAX_LOG_LINES:]),
        )

    @property
    def is_launcher(self) -> bool:
        """Whether it runs mpirun."""
        return self.role == LAUNCHER


@dataclass(frozen=True)
class RankObservation:
    """What one rank reported."""

    rank: int
    """Its rank, from 0."""

    size: int
    """Number of ranks that it sees."""

    host: str
    """Hostname of its pod."""

    gpus: int
    """GPUs that it sees."""


@dataclass(frozen=True)
class NodeObservation:
    """A node of the pool."""

    name: str
    """Name."""

    allocatable: Mapping[str, int]
    """Number of GPUs and network devices that pods can claim, by resource name."""


@dataclass(frozen=True)
class Expectation:
    """What the runtime and its pool promise."""

    hosts: int
    """Number of pods with ranks."""

    ranks: int
    """Number of ranks."""

    gpus_per_rank: int = 0
    """GPUs that each rank must see."""

    gpus: Mapping[str, int] | None = None
    """GPUs of each node, by resource name. None: the pool promises none."""

    nics: Mapping[str, int] | None = None
    """Network devices of each node, by resource name. None: the pool promises none."""


@dataclass(frozen=True)
class Observations:
    """All that was observed."""

    expected: Expectation
    """What the runtime and its pool promise."""

    nodes: tuple[NodeObservation, ...] = ()
    """The nodes of the pool."""

    refusals: tuple[str, ...] = ()
    """Answers of the API server to the TrainJob, and of its controllers' events to Jobs and pods, that were refused."""

    pods: tuple[PodObservation, ...] = ()
    """The pods of the TrainJob."""

    ranks: tuple[RankObservation, ...] = ()
    """The ranks that reported."""

    is_training_over: bool = False
    """Whether the TrainJob is complete or failed. Until then, missing ranks may still report."""

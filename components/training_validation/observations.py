"""What was observed of one TrainJob: its pods, their logs, the events of its objects, and the nodes of its pool."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from ..k8s.quantities import amount
from ..runtimes.topology import LAUNCHER
from ..validation.secret_detection import without_tokens

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

    has_started: bool = False
    """Whether its containers were started."""

    is_ready: bool = False
    """Whether it is ready, or has succeeded."""

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
        scheduled = [each for each in status.get("conditions") or () if each.get("type") == "PodScheduled"]
        return cls(
            metadata["name"],
            (pod.get("spec") or {}).get("hostname") or metadata["name"],
            (metadata.get("labels") or {}).get(REPLICATED_JOB),
            _has_started(status),
            status.get("phase") == "Succeeded"
            or any(
                (each.get("type"), each.get("status")) == ("Ready", "True") for each in status.get("conditions") or ()
            ),
            tuple((each.get("reason", ""), each.get("message", "")) for each in waiting),
            next((each.get("message", "") for each in scheduled if each.get("reason") == "Unschedulable"), None),
            tuple(_last_lines(log)),
        )

    @property
    def is_launcher(self) -> bool:
        """Whether it runs mpirun."""
        return self.role == LAUNCHER


def _last_lines(log: str) -> list[str]:
    """The last lines of a log. A private key has many lines, so tokens are hidden before the lines are separated."""
    return without_tokens("\n".join(log.splitlines()[-MAX_LOG_LINES:])).splitlines()


def _has_started(status: Mapping[str, Any]) -> bool:
    """Whether the containers of a pod were started. A pod whose init container fails is `Failed` without that."""
    if status.get("phase") == "Failed":
        states = (each.get("state") or {} for each in status.get("containerStatuses") or ())
        return any("terminated" in state for state in states)
    return status.get("phase") in ("Running", "Succeeded")


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

    total: float | None = None
    """Sum of all ranks' numbers, counted from 1, by an allreduce. None: the image has no library for it."""

    megabytes_per_second: int | None = None
    """Size of a large allreduce, divided by its time. None: it was not measured."""

    @property
    def has_right_total(self) -> bool:
        """Whether the sum is right, or there is none."""
        return self.total in (None, self.size * (self.size + 1) / 2)


@dataclass(frozen=True)
class NodeObservation:
    """A node of the pool."""

    name: str
    """Name."""

    allocatable: Mapping[str, int]
    """What pods can claim, by resource name: numbers of GPUs and network devices, bytes of `memory`."""

    @classmethod
    def of(cls, node: Mapping[str, Any], resources: Collection[str]) -> Self:
        """The observation of a node of the API, as far as it is about these resources."""
        allocatable = (node.get("status") or {}).get("allocatable") or {}
        return cls(
            node["metadata"]["name"],
            {name: int(amount(allocatable[name])) for name in resources if name in allocatable},
        )


@dataclass(frozen=True)
class Expectation:
    """What the runtime and its pool promise."""

    hosts: int
    """Number of pods with ranks."""

    ranks: int | None
    """Number of ranks. None: torchrun counts the GPUs or CPUs of each node."""

    pods: Mapping[str, int] = field(default_factory=dict)
    """Number of pods of each replicated job."""

    gpus_per_rank: int = 0
    """GPUs that each rank must see."""

    gpus: Mapping[str, int] | None = None
    """GPUs of each node, by resource name. None: the pool promises none."""

    nics: Mapping[str, int] | None = None
    """Network devices of each node, by resource name. None: the pool promises none."""

    memory: int | None = None
    """Bytes of memory of each node. None: the pool promises none."""

    @property
    def resources(self) -> dict[str, int]:
        """All that each node must have."""
        memory = {} if self.memory is None else {"memory": self.memory}
        return {**(self.gpus or {}), **(self.nics or {}), **memory}


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

    ending: str | None = None
    """How the TrainJob ended: `Complete` or `Failed`. None: it has not, so that missing ranks may still report."""

    message: str = ""
    """What the TrainJob's last condition says."""

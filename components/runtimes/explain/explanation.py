"""What a TrainJob becomes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .jobset_jobs import claims_of, jobs_of, service_of
from .pods import host_of, pod_count, pods_of, with_selector
from .releases import Release
from .stored import Manifest


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a container, and who sets it."""

    job: str
    """The replicated job."""

    container: str
    """The container or init container."""

    name: str

    value: str
    """The value, or in angle brackets where it is from."""

    origin: str
    """Who sets it: runtime, a field of the TrainJob, one of Trainer's plugins, or the Job controller."""


@dataclass(frozen=True, slots=True)
class MountedVolume:
    """A volume of a job's pods, where it is mounted, and who adds it."""

    job: str
    """The replicated job."""

    name: str

    source: str
    """What it is: `emptyDir`, `secret train-mpi-ssh-auth`, `persistentVolumeClaim data`."""

    mounts: tuple[str, ...]
    """Where: `<container>:<path>`."""

    origin: str
    """Who adds it: runtime, a field of the TrainJob, one of Trainer's plugins, or JobSet."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something that is created, and what it waits for."""

    what: str
    """What is created."""

    waits_for: str
    """What must have happened before. Empty: nothing."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the TrainJob or the runtime, and what it does to this TrainJob."""

    of: str
    """What changes."""

    effect: str
    """What it does."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """The nodes of a pool that the training takes."""

    nodes: int
    """Nodes that its pods need at the same time, at least."""

    available: int | None
    """Nodes that the pool can have. None: unknown."""

    @property
    def fits(self) -> bool:
        """Whether the pool can have enough nodes."""
        return self.available is None or self.nodes <= self.available


@dataclass(frozen=True, slots=True)
class ExplainedJob:
    """A Job that JobSet creates."""

    replicated_job: str
    """Name of the replicated job."""

    manifest: Manifest
    """The Job with its selector, and with the labels and annotations of its pods."""

    hosts: tuple[str, ...]
    """The DNS names of its pods, by which pods in the same namespace find them. Empty: they have none."""

    pods: int
    """How many pods it starts with."""

    @property
    def name(self) -> str:
        """Name of the Job."""
        return str(self.manifest["metadata"]["name"])


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the controllers make of a runtime and a TrainJob.

    Values that a cluster chooses, and secrets, are in angle brackets: `<uid of the JobSet>`.
    """

    release: Release
    """The releases of Trainer and JobSet."""

    runtime: str
    """Kind and name of the runtime."""

    name: str
    """Name of the TrainJob."""

    namespace: str
    """Its namespace."""

    failure: str | None = None
    """Why there is no JobSet, or why JobSet refuses it. None: there is one."""

    applied: tuple[Manifest, ...] = ()
    """What Trainer applies: the JobSet first."""

    jobset: Manifest | None = None
    """The JobSet with JobSet's defaults."""

    jobs: tuple[ExplainedJob, ...] = ()
    """The Jobs, in the order of the replicated jobs."""

    environment: tuple[Variable, ...] = ()
    """The variables of each container, in order."""

    volumes: tuple[MountedVolume, ...] = ()
    """The volumes of each job."""

    order: tuple[Step, ...] = ()
    """What is created when."""

    changes: tuple[Change, ...] = ()
    """What later changes do."""

    capacity: Capacity | None = None
    """The nodes that it takes. None: no pool was given."""

    notes: tuple[str, ...] = field(default=())
    """What one would not expect."""

    @property
    def can_start(self) -> bool:
        """Whether there is a JobSet, and the pool can have enough nodes."""
        return self.failure is None and (self.capacity is None or self.capacity.fits)

    def objects(self) -> list[Manifest]:
        """The manifests: JobSet, ConfigMaps, Secrets, PodGroup, Service, claims, Jobs, pods. They have no owner
        references, and nothing that the API server adds but a Job's selector and labels."""
        return [*self.applied, *self._made_by_jobset(), *(job.manifest for job in self.jobs), *self.pods()]

    def pods(self) -> Iterator[Manifest]:
        """The pods that the Jobs start with. A pod's name is `generateName` and five random characters."""
        for job in self.jobs:
            yield from pods_of(self.release, job.manifest)

    def _made_by_jobset(self) -> Iterator[Manifest]:
        if self.jobset is not None:
            service = service_of(self.jobset)
            yield from () if service is None else (service,)
            yield from claims_of(self.jobset)


def explained_jobs(release: Release, jobset: Mapping[str, Any]) -> Iterator[ExplainedJob]:
    """The Jobs of a JobSet with defaults."""
    for name, job in jobs_of(release, jobset):
        stored = with_selector(job)
        count = pod_count(stored)
        hosts = tuple(host for host in (host_of(stored, index) for index in range(count)) if host)
        yield ExplainedJob(name, stored, hosts, count)

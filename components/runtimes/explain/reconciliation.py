"""What Trainer works on while it turns a TrainJob into objects: its `runtime.Info`, with pod sets.

Source: pkg/runtime/runtime.go and pkg/apply/apply.go of Trainer v2.0.0, v2.2.0 and v2.3.0.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..topology import ANCESTOR_STEP
from .releases import Release
from .stored import Manifest

TRAINER = "trainer"
"""The value of the ancestor label for the job that trains."""

PORT = 29500
"""The port on which the nodes of a training find each other (`ContainerTrainerPort`)."""

_INDEX_PATH = "metadata.annotations['batch.kubernetes.io/job-completion-index']"


class NotReconciledError(Exception):
    """Trainer or JobSet fails, and makes no objects."""


@dataclass(slots=True)
class PodSet:
    """A replicated job, and how many pods each of its jobs has."""

    job: Manifest
    count: int
    endpoints: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the replicated job."""
        return str(self.job["name"])

    @property
    def ancestor(self) -> str | None:
        """Value of the ancestor label on the job template."""
        return ancestor_of(self.job)

    @property
    def pod(self) -> Manifest:
        """The pod spec."""
        return pod_of(self.job)

    def container(self, name: str, init: bool = False) -> Manifest | None:
        """The container of that name. With `init`, init containers are looked for too, after containers."""
        found = (each for each in self.pod.get("containers") or () if each["name"] == name)
        found_init = (each for each in self.pod.get("initContainers") or () if each["name"] == name)
        return next(found, None) or (next(found_init, None) if init else None)


@dataclass(slots=True)
class Reconciliation:
    """One TrainJob with its runtime, while it is turned into objects. Its parts are changed in place."""

    release: Release
    name: str
    namespace: str
    train_job: Manifest
    """The spec of the TrainJob."""
    policy: Manifest | None
    """`mlPolicy` of the runtime."""
    pod_group: Manifest | None
    """`podGroupPolicy` of the runtime."""
    labels: dict[str, str]
    """Labels of the JobSet."""
    annotations: dict[str, str]
    """Annotations of the JobSet."""
    spec: Manifest
    """Spec of the JobSet."""
    pod_sets: list[PodSet]
    pod_labels: dict[str, str] = field(default_factory=dict)
    pod_annotations: dict[str, str] = field(default_factory=dict)
    origins: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    """Who sets each variable, by job and container."""
    volume_origins: dict[tuple[str, str], str] = field(default_factory=dict)
    """Who adds each volume, by job and name."""
    objects: list[Manifest] = field(default_factory=list)
    """What Trainer applies beside the JobSet."""

    @property
    def trainer(self) -> Manifest | None:
        """`spec.trainer` of the TrainJob."""
        trainer: Manifest | None = self.train_job.get("trainer")
        return trainer

    @property
    def trainer_set(self) -> PodSet | None:
        """The first job with the ancestor label `trainer`."""
        return next((each for each in self.pod_sets if each.ancestor == TRAINER), None)

    @property
    def trainer_container(self) -> Manifest | None:
        """The container `node` of that job."""
        return self.trainer_set.container("node") if self.trainer_set else None

    def pod_set(self, name: str) -> PodSet | None:
        """The job of that name."""
        return next((each for each in self.pod_sets if each.name == name), None)

    def policy_of(self, framework: str) -> Manifest | None:
        """The framework's policy."""
        policy: Manifest | None = (self.policy or {}).get(framework)
        return policy

    def set_variables(self, job: str, container: Manifest, variables: Sequence[Manifest], origin: str) -> None:
        """Adds variables to a container, or replaces them in their places."""
        known = self.origins.setdefault((job, container["name"]), {})
        for variable in variables:
            _upsert(container.setdefault("env", []), variable, lambda each, new: each["name"] == new["name"])
            known[variable["name"]] = origin

    def set_volumes(self, pod_set: PodSet, volumes: Sequence[Manifest], origin: str) -> None:
        """Adds volumes to the pods of a job, or replaces those of the same names."""
        for volume in volumes:
            _upsert(pod_set.pod.setdefault("volumes", []), volume, lambda each, new: each["name"] == new["name"])
            self.volume_origins[pod_set.name, volume["name"]] = origin

    def metadata(self, suffix: str = "") -> Manifest:
        """Metadata of an object that belongs to the TrainJob."""
        return {"name": f"{self.name}{suffix}", "namespace": self.namespace}


def ancestor_of(job: Mapping[str, Any]) -> str | None:
    """The value of the ancestor label on a job template."""
    value = ((job["template"].get("metadata") or {}).get("labels") or {}).get(ANCESTOR_STEP)
    return None if value is None else str(value)


def pod_of(job: Mapping[str, Any]) -> Manifest:
    """The pod spec of a replicated job."""
    spec: Manifest = job["template"].setdefault("spec", {}).setdefault("template", {}).setdefault("spec", {})
    return spec


def variable(name: str, value: object) -> Manifest:
    """A variable with a value."""
    return {"name": name, "value": str(value)}


def index_variable(name: str) -> Manifest:
    """A variable with the index of its pod, from the annotation that the Job controller adds."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": _INDEX_PATH}}}


def variables_of(given: Mapping[str, Any] | None) -> list[Manifest]:
    """The variables of a TrainJob's section, as Trainer copies them: it leaves out what it does not know
    (`apply.EnvVar`)."""
    return [_variable(each) for each in (given or {}).get("env") or ()]


def _variable(given: Mapping[str, Any]) -> Manifest:
    source = given.get("valueFrom")
    if source is None:
        return {"name": given["name"], **({"value": given["value"]} if given.get("value") else {})}
    copied: Manifest = {}
    if field_ref := source.get("fieldRef"):
        copied["fieldRef"] = {"fieldPath": field_ref["fieldPath"]}
    if resource := source.get("resourceFieldRef"):
        copied["resourceFieldRef"] = dict(resource)
    for kind in ("configMapKeyRef", "secretKeyRef"):
        if kind in source:
            copied[kind] = dict(source[kind])
    return {"name": given["name"], "valueFrom": copied}


def set_port(container: Manifest, port: Manifest) -> None:
    """Adds a port to a container. It takes the place of the first port of its number, and of the first without a name
    if it has none (`byContainerPortOrName`)."""
    _upsert(container.setdefault("ports", []), port, _same_port)


def settle_ports(containers: Iterator[Manifest]) -> None:
    """Writes the ports of containers once more over themselves, as Trainer does: of two ports without names, the last
    replaces the first, and the container has it twice."""
    for container in containers:
        ports = container.get("ports") or []
        for index in range(len(ports)):
            _upsert(ports, ports[index], _same_port)


def set_mounts(container: Manifest, *mounts: Manifest) -> None:
    """Adds mounts to a container, or replaces those at the same paths."""
    for mount in mounts:
        same = lambda each, new: each.get("mountPath") == new["mountPath"]  # noqa: E731
        _upsert(container.setdefault("volumeMounts", []), mount, same)


def _same_port(each: Manifest, new: Manifest) -> bool:
    return bool(each["containerPort"] == new["containerPort"] or each.get("name") == new.get("name"))


def _upsert(items: list[Manifest], item: Manifest, same: Callable[[Manifest, Manifest], bool]) -> None:
    for index, each in enumerate(items):
        if same(each, item):
            items[index] = item
            return
    items.append(item)

"""Changed copies of runtimes. All objects are frozen, so a change creates a new object, checked like any other.

`with_pod(runtime, priority_class_name="urgent")` changes all pods; `with_container(runtime, "launcher", env=lambda env:
(*(env or ()), EnvVar(name="A", value="1")))` changes the training container in one job.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from ..k8s.invalid import InvalidRuntimeError
from ..k8s.pods import PodSpec, PodTemplate
from ..validation.violation import Violation
from .api import BaseTrainingRuntime, TrainingRuntimeSpec
from .jobset import JobSetSpec, ReplicatedJob

AnyModel = TypeVar("AnyModel", bound=BaseModel)
AnyRuntime = TypeVar("AnyRuntime", bound=BaseTrainingRuntime)

JOBS = "spec.template.spec.replicatedJobs"


def evolve(model: AnyModel, **fields: object) -> AnyModel:
    """Copy `model` with other `fields`.

    A field gets a new value, or the result of a function of its present value (None if absent). None removes a field.
    Absent fields stay absent, and empty ones stay empty.
    """
    present = {name: getattr(model, name) for name in model.model_fields_set}
    changed = {name: change(present.get(name)) if callable(change) else change for name, change in fields.items()}
    return type(model)(**present | changed)


def with_pod(runtime: AnyRuntime, *jobs: str, **fields: object) -> AnyRuntime:
    """Copy `runtime` with other `fields` in the pod spec of the named replicated jobs, or of all jobs if none is named.

    Fields are those of `PodSpec`, set as in `evolve`. Raises InvalidRuntimeError if the copy violates a rule, if a
    field is unknown or has the wrong type, or if a job does not exist (CPY-01).
    """
    return with_pods(runtime, lambda _, pod: evolve(pod, **fields), jobs)


def with_container(runtime: AnyRuntime, *jobs: str, container: str = "node", **fields: object) -> AnyRuntime:
    """Copy `runtime` with other `fields` in one container of the named replicated jobs, or of all jobs if none is
    named.

    `container` is its name, by default `node`, the container that trains. Fields are those of `Container`, set as in
    `evolve`. Raises InvalidRuntimeError as `with_pod` does, and if no pod has the container (CPY-02).
    """
    seen: list[str] = []

    def change(_: ReplicatedJob, pod: PodSpec) -> PodSpec:
        seen.extend(each.name for each in pod.containers)
        return evolve(
            pod,
            containers=tuple(evolve(each, **fields) if each.name == container else each for each in pod.containers),
        )

    changed = with_pods(runtime, change, jobs)
    if container not in seen:
        message = f"There is no container {container!r} in {', '.join(jobs) or 'any job'}."
        raise InvalidRuntimeError(
            [Violation("CPY-02", "container", message, f"Name one of {', '.join(dict.fromkeys(seen))}.")]
        )
    return changed


def with_pods(
    runtime: AnyRuntime, change: Callable[[ReplicatedJob, PodSpec], PodSpec], jobs: tuple[str, ...] = ()
) -> AnyRuntime:
    """Copy `runtime` with the pod specs that `change` returns, in the named jobs or in all."""

    def revise(job: ReplicatedJob, template: PodTemplate) -> PodTemplate:
        if template.spec is None:
            return template
        try:
            changed = change(job, template.spec)
        except InvalidRuntimeError as error:
            raise InvalidRuntimeError([_prefixed("spec", violation) for violation in error.violations]) from None
        return evolve(template, spec=changed)

    return with_pod_templates(runtime, revise, jobs)


def with_pod_templates(
    runtime: AnyRuntime, change: Callable[[ReplicatedJob, PodTemplate], PodTemplate], jobs: tuple[str, ...] = ()
) -> AnyRuntime:
    """Copy `runtime` with the pod templates that `change` returns, in the named jobs or in all."""
    return evolve(runtime, spec=revised_spec(runtime, change, jobs))


def revised_spec(
    runtime: BaseTrainingRuntime,
    change: Callable[[ReplicatedJob, PodTemplate], PodTemplate],
    jobs: tuple[str, ...] = (),
) -> TrainingRuntimeSpec:
    """The spec of such a copy."""
    known = [job.name for job in replicated_jobs(runtime)]
    unknown = [name for name in jobs if name not in known]
    if unknown:
        raise InvalidRuntimeError(
            [
                Violation("CPY-01", JOBS, f"There is no replicated job {name!r}.", f"Name one of {', '.join(known)}.")
                for name in unknown
            ]
        )

    def revise(jobset: JobSetSpec | None) -> JobSetSpec | None:
        return jobset and evolve(jobset, replicated_jobs=tuple(_revised_jobs(jobset, change, jobs)))

    return evolve(runtime.spec, template=lambda template: template and evolve(template, spec=revise))


def replicated_jobs(runtime: BaseTrainingRuntime) -> tuple[ReplicatedJob, ...]:
    """The replicated jobs of a runtime. Empty if it has no template."""
    template = runtime.spec.template
    return (template and template.spec and template.spec.replicated_jobs) or ()


def pod_of(job: ReplicatedJob) -> PodSpec | None:
    """The pod spec of a replicated job."""
    return job.template.spec.template.spec if job.template.spec else None


def _revised_jobs(
    jobset: JobSetSpec, change: Callable[[ReplicatedJob, PodTemplate], PodTemplate], jobs: tuple[str, ...]
) -> Iterator[ReplicatedJob]:
    for index, job in enumerate(jobset.replicated_jobs or ()):
        spec = job.template.spec
        if spec is None or spec.template.spec is None or (jobs and job.name not in jobs):
            yield job
            continue
        try:
            changed = change(job, spec.template)
        except InvalidRuntimeError as error:
            template = f"{JOBS}[{index}].template.spec.template"
            raise InvalidRuntimeError([_prefixed(template, violation) for violation in error.violations]) from None
        yield evolve(job, template=evolve(job.template, spec=evolve(spec, template=changed)))


def _prefixed(path: str, violation: Violation) -> Violation:
    """The violation with its path prefixed by `path`."""
    return replace(violation, path=f"{path}.{violation.path}")

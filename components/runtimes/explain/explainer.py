"""Explains a runtime with a TrainJob."""

from collections.abc import Iterable, Iterator
from typing import Any

from ...k8s.metadata import ObjectMeta
from ..api import BaseTrainingRuntime
from ..placement import Placement
from ..train_job import MANAGED_BY_TRAINER, RuntimeRef, Trainer, TrainJob, TrainJobSpec
from . import jobset_builder
from .capacity import capacity_in
from .changes import later_changes
from .environment import environment
from .explanation import ExplainedJob, Explanation, explained_jobs
from .jobset_jobs import with_defaults
from .order import creation_order
from .reconciliation import NotReconciledError, Reconciliation
from .releases import LATEST, RELEASES, Release
from .stored import Manifest, with_runtime_defaults, with_train_job_defaults, without_fields
from .volumes import mounted_volumes

EXAMPLE_NAME = "train"
"""The name of the TrainJob where none is given."""


class ExplainError(ValueError):
    """Raised for a version of Trainer that is not known, or for more pods than can be explained."""


MAX_PODS = 10_000
"""Maximum number of pods of a replicated job. A hostfile and a list of hosts name each of them."""


def explain(
    runtime: BaseTrainingRuntime,
    train_job: TrainJob | None = None,
    pool: Placement | None = None,
    trainer: str = LATEST,
) -> Explanation:
    """What Trainer, JobSet and the Job controller make of a runtime and a TrainJob.

    Without a `train_job`, one named `train` is explained that sets nothing but the runtime and an empty `trainer`, as
    the SDK does. `pool`: the nodes, to say how many of them it takes. `trainer`: the version of Trainer; with it comes
    the version of JobSet that it is built for.

    Raises ExplainError if the version is not known, or if a replicated job has more than MAX_PODS pods.
    """
    release = RELEASES.get(trainer)
    if release is None:
        raise ExplainError(f"Trainer {trainer} cannot be explained. Use {', '.join(RELEASES)}.")
    job = train_job or example_train_job(runtime)
    namespace = job.metadata.namespace or runtime.metadata.namespace or "default"
    stored_runtime, lost_runtime = without_fields(runtime.to_manifest(), release.unknown_runtime_fields)
    stored_job, lost_job = without_fields(job.to_manifest(), release.unknown_train_job_fields)
    with_runtime_defaults(stored_runtime, release.group_labels)
    with_train_job_defaults(stored_job)
    _require_few_pods(stored_runtime, stored_job)
    snapshot = _snapshot(release, stored_runtime, stored_job["metadata"]["name"], namespace)
    work = jobset_builder.start(release, stored_runtime, stored_job, namespace)
    notes = [
        *(f"runtime: Trainer {trainer} does not know {path}." for path in lost_runtime),
        *(f"TrainJob: Trainer {trainer} does not know {path}." for path in lost_job),
    ]
    subject = {
        "release": release,
        "runtime": f"{runtime.kind} {runtime.metadata.name}",
        "name": work.name,
        "namespace": namespace,
    }
    return _explained(work, subject, snapshot, notes, pool)


def _require_few_pods(runtime: Manifest, train_job: Manifest) -> None:
    """Raise ExplainError for more than MAX_PODS pods in one replicated job."""
    nodes = (train_job["spec"].get("trainer") or {}).get("numNodes") or 1
    nodes = max(nodes, (runtime["spec"].get("mlPolicy") or {}).get("numNodes") or 1)
    jobset = (runtime["spec"].get("template") or {}).get("spec") or {}
    for job in jobset.get("replicatedJobs") or ():
        pods = ((job.get("template") or {}).get("spec") or {}).get("parallelism") or 1
        count = job.get("replicas", 1) * max(pods, nodes)
        if count > MAX_PODS:
            message = f"The replicated job {job['name']} may have {count} pods, more than {MAX_PODS}."
            raise ExplainError(f"{message} Explain the same TrainJob with fewer nodes.")


def example_train_job(runtime: BaseTrainingRuntime) -> TrainJob:
    """The TrainJob that is explained where none is given."""
    reference = RuntimeRef(name=runtime.metadata.name or "runtime", kind=runtime.kind)
    spec = TrainJobSpec(runtime_ref=reference, trainer=Trainer())
    return TrainJob(metadata=ObjectMeta(name=EXAMPLE_NAME), spec=spec)


def _explained(
    work: Reconciliation, subject: dict[str, Any], snapshot: list[Manifest], notes: list[str], pool: Placement | None
) -> Explanation:
    mpi = work.policy_of("mpi")
    changes = tuple(later_changes(work.release, mpi is not None))
    if work.train_job["managedBy"] != MANAGED_BY_TRAINER:
        failure = f"Trainer leaves the TrainJob to {work.train_job['managedBy']}."
        return Explanation(**subject, failure=failure, notes=tuple(notes))
    try:
        built = jobset_builder.build(work)
    except NotReconciledError as error:
        return Explanation(**subject, failure=str(error), applied=tuple(snapshot), changes=changes, notes=tuple(notes))
    applied = (built, *snapshot, *work.objects)
    try:
        jobset = with_defaults(built)
    except NotReconciledError as error:
        return Explanation(**subject, failure=str(error), applied=applied, changes=changes, notes=tuple(notes))
    jobs = tuple(explained_jobs(work.release, jobset))
    return Explanation(
        **subject,
        applied=applied,
        jobset=jobset,
        jobs=jobs,
        environment=tuple(environment(jobset, work.origins)),
        volumes=tuple(volume for job in _one_of_each(jobs) for volume in mounted_volumes(job, work.volume_origins)),
        order=tuple(creation_order(jobset, applied)),
        changes=changes,
        capacity=capacity_in(pool, jobs, bool(mpi and mpi["runLauncherAsNode"])) if pool else None,
        notes=(*notes, *_notes(work)),
    )


def _one_of_each(jobs: Iterable[ExplainedJob]) -> Iterable[ExplainedJob]:
    """The first Job of each replicated job."""
    first: dict[str, ExplainedJob] = {}
    for job in jobs:
        first.setdefault(job.replicated_job, job)
    return first.values()


def _snapshot(release: Release, runtime: Manifest, name: str, namespace: str) -> list[Manifest]:
    if not release.runtime_snapshot:
        return []
    metadata = {"name": f"{name}-runtime-snapshot", "namespace": namespace}
    data = {"runtime": f"<{runtime['kind']} {runtime['metadata'].get('name')} as YAML>"}
    return [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}]


def _notes(work: Reconciliation) -> Iterator[str]:
    framework = next((each for each in ("torch", "jax", "xgboost") if work.policy_of(each) is not None), None)
    if framework and work.trainer is None:
        yield f"The TrainJob has no spec.trainer, so Trainer sets no environment of {framework}. Add trainer: {{}}."
    if (work.trainer or {}).get("resourcesPerNode") is not None and work.release.resources == "merged":
        yield "Trainer drops resources.claims of the container node where the TrainJob sets resourcesPerNode."
    if framework == "xgboost" and (work.trainer or {}).get("env"):
        yield "The TrainJob's variables may also come after DMLC_*: Trainer's plugins have no fixed order."

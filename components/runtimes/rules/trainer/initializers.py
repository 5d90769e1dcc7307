"""Initializers: jobs that download the dataset and the model before the training."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...topology import ANCESTOR_STEP, DATASET_INITIALIZER, INITIALIZERS, MODEL_INITIALIZER
from ..jobset.startup_order import waits_for
from ..rule import rule, violation
from ..view import RuntimeView, also_in_depends_on
from .webhook import disabled

VOLUME = "initializer"
"""The volume that an initializer must mount: pkg/runtime/framework/plugins/jobset/constants@trainer@v2.3.0."""


def _misnamed_job(view: RuntimeView, step: str) -> Iterator[Violation]:
    if view.job(step):
        return
    for job in view.jobs:
        if job.ancestor == step:
            yield violation(
                f"{job.path}.name",
                f"The job of step {step} is called {job.name!r}: a TrainJob with this initializer is rejected, "
                "because Trainer finds the job by its name.",
                f"Name the job {step!r}{also_in_depends_on(view, job)}.",
            )


def _missing_container(view: RuntimeView, step: str) -> Iterator[Violation]:
    job = view.job(step)
    # The webhook rejects it where the label is right: WHR-02.
    if job is None or job.pod is None or (job.ancestor == step and not disabled(view)):
        return
    if job.pod.spec.containers and step not in {at.model.name for at in job.pod.containers}:
        yield violation(
            f"{job.pod.path}.containers",
            f"The job {step!r} has no container of this name: a TrainJob with this initializer is rejected.",
            f"Name the container {step!r}.",
        )


def _missing_mount(view: RuntimeView, step: str) -> Iterator[Violation]:
    job = view.job(step)
    at = job.container(step) if job else None
    if at and VOLUME not in {mount.name for mount in at.model.volume_mounts or ()}:
        yield violation(
            f"{at.path}.volumeMounts",
            f"Container {step!r} mounts no volume called {VOLUME!r}: a TrainJob with this initializer is rejected.",
            f"Name the volume {VOLUME!r}, and mount it at /workspace in the initializers and the trainer.",
        )


@rule("TJC-14", severity=Severity.WARNING)
def dataset_initializer_has_its_name(view: RuntimeView) -> Iterator[Violation]:
    """The job with the label `dataset-initializer` has another name.

    A TrainJob with `initializer.dataset` is rejected. One without it works (executed), so this rule and TJC-15 to
    TJC-17 are warnings.
    Source: pkg/runtime/framework/plugins/jobset/jobset.go:112-115@trainer@v2.3.0.
    """
    yield from _misnamed_job(view, DATASET_INITIALIZER)


@rule("TJC-15", severity=Severity.WARNING)
def dataset_initializer_has_its_container(view: RuntimeView) -> Iterator[Violation]:
    """The job `dataset-initializer` has no container of this name.

    A TrainJob with `initializer.dataset` is rejected. If the job has the label, WHR-02 rejects the runtime.
    Source: pkg/runtime/framework/plugins/jobset/jobset.go:116-117@trainer@v2.3.0.
    """
    yield from _missing_container(view, DATASET_INITIALIZER)


@rule("TJC-16", severity=Severity.WARNING)
def dataset_initializer_mounts_its_volume(view: RuntimeView) -> Iterator[Violation]:
    """The container `dataset-initializer` does not mount a volume called `initializer`.

    A TrainJob with `initializer.dataset` is rejected; one without it works. Upstream's torch-distributed-with-cache
    2.3.0 has this problem (executed), so it can be built, with this warning.
    Source: pkg/runtime/framework/plugins/jobset/jobset.go:119-138@trainer@v2.3.0.
    """
    yield from _missing_mount(view, DATASET_INITIALIZER)


@rule("TJC-17", severity=Severity.WARNING)
def model_initializer_is_complete(view: RuntimeView) -> Iterator[Violation]:
    """The model initializer's job or container has another name, or it does not mount its volume.

    The same as TJC-14 to TJC-16, for a TrainJob with `initializer.model`.
    Source: pkg/runtime/framework/plugins/jobset/jobset.go:142-170@trainer@v2.3.0.
    """
    yield from _misnamed_job(view, MODEL_INITIALIZER)
    yield from _missing_container(view, MODEL_INITIALIZER)
    yield from _missing_mount(view, MODEL_INITIALIZER)


@rule("SIL-28", severity=Severity.WARNING)
def initializer_has_its_label(view: RuntimeView) -> Iterator[Violation]:
    """A job with the name of an initializer does not have its label.

    Trainer admits TrainJobs by the job's name but configures the job by its label. The TrainJob's storage URI,
    environment and secret do not reach the job. TrainJobs without an initializer work, so this is a warning. TJC-14 and
    TJC-17 report the reverse.
    Source: pkg/runtime/framework/plugins/jobset/builder.go:43-99, jobset.go:112-170@trainer@v2.3.0.
    """
    for step in INITIALIZERS:
        job = view.job(step)
        if job and job.ancestor != step and job.container(step):
            yield violation(
                f"{job.path}.template.metadata.labels",
                f"The job {step!r} does not have {ANCESTOR_STEP}={step}: a TrainJob's settings for this "
                "initializer would be ignored.",
                f"Label the job {ANCESTOR_STEP}={step}.",
            )


@rule("SIL-29", severity=Severity.WARNING)
def trainer_waits_for_initializers(view: RuntimeView) -> Iterator[Violation]:
    """The trainer's job does not wait for an initializer to be Complete.

    The training starts before its dataset or model is complete. Waiting indirectly, through another job, is sufficient.
    Source: manifests/base/runtimes/torchtune@trainer@v2.3.0.
    """
    trainer = view.trainer
    if trainer is None:
        return
    reached = waits_for(view, trainer, "Complete")
    missing = [job.name for job in view.jobs if (job.ancestor or job.name) in INITIALIZERS and job.name not in reached]
    if missing:
        names = " and ".join(map(repr, missing))
        yield violation(
            f"{trainer.path}.dependsOn",
            f"{trainer.name!r} does not wait for {names} to be Complete: it would start before its data is available.",
            f"Add dependsOn with status Complete for {names}, listed before {trainer.name!r}.",
        )

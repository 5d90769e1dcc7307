"""The ancestor label, by which Trainer finds the job that a TrainJob's sections configure."""

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from ....validation.violation import Severity, Violation
from ...topology import ANCESTOR_STEP, LAUNCHER, NODE
from ..rule import rule, violation
from ..view import TRAINER, LocatedJob, RuntimeView, label
from .webhook import CONTAINER_OF

SIMILARITY_CUTOFF = 0.85
"""Minimum similarity, from 0 to 1, for a key to count as a misspelling."""

MAX_MISSING = 8
"""Maximum difference in length of a misspelling. Other labels need no comparison."""


def _is_misspelling(key: str) -> bool:
    near = key != ANCESTOR_STEP and abs(len(key) - len(ANCESTOR_STEP)) <= MAX_MISSING
    return near and SequenceMatcher(None, key.lower(), ANCESTOR_STEP).ratio() >= SIMILARITY_CUTOFF


def _misplaced(view: RuntimeView) -> Iterator[tuple[str, str, str]]:
    """Yields labels that are probably meant to be the ancestor label: path, message and fix."""
    for job in view.jobs:
        metadata, path = job.model.template.metadata, f"{job.path}.template.metadata.labels"
        yield from _misspelt(path, metadata.labels if metadata else None)
        if job.ancestor is not None and job.ancestor not in CONTAINER_OF:
            yield (
                f"{path}[{ANCESTOR_STEP}]",
                f"{job.ancestor!r} is not a step of a TrainJob, so it is ignored.",
                f"Use {' or '.join(steps)}."
                if (steps := [step for step, wanted in CONTAINER_OF.items() if job.container(wanted)])
                else f"Use {TRAINER}, and name the training container {NODE!r}.",
            )
        if job.pod is None or job.pod.template.metadata is None:
            continue
        path = f"{job.pod.template_path}.metadata.labels"
        yield from _misspelt(path, job.pod.template.metadata.labels)
        if job.ancestor is None and label(job.pod.template.metadata, ANCESTOR_STEP) in CONTAINER_OF:
            yield (
                f"{path}[{ANCESTOR_STEP}]",
                "The label is ignored on the pod template: Trainer reads it from the job template.",
                f"Move it to {job.path}.template.metadata.labels.",
            )
    template = view.runtime.spec.template
    if template and label(template.metadata, ANCESTOR_STEP) is not None:
        yield (
            f"spec.template.metadata.labels[{ANCESTOR_STEP}]",
            "The label is ignored on the JobSet template: Trainer reads it from the job templates.",
            "Move it to template.metadata.labels of the job.",
        )


def _misspelt(path: str, labels: Mapping[str, str] | None) -> Iterator[tuple[str, str, str]]:
    for key in labels or {}:
        if _is_misspelling(key):
            yield f"{path}[{key}]", f"{key} is ignored: the label is {ANCESTOR_STEP}.", f"Name it {ANCESTOR_STEP}."


@rule("SIL-17")
def ancestor_label_is_heeded(view: RuntimeView) -> Iterator[Violation]:
    """The ancestor label is misspelled or at the wrong place.

    Nothing rejects it. If another job has the trainer label, this is a warning, because that job gets the settings of
    TrainJobs.
    Source: pkg/webhooks/trainingruntime_webhook.go:78, pkg/runtime/core/trainingruntime.go:189-197@trainer@v2.3.0.
    """
    for path, message, fix in _misplaced(view):
        yield violation(path, message, fix, Severity.WARNING if view.trainer else Severity.ERROR)


def runs_without_train_job(view: RuntimeView) -> bool:
    """Whether the runtime sets all commands, so that TrainJobs need not. For MPI, this is the launcher's command;
    without a policy, that of every job. Other policies set their environment only in the labeled job."""
    launcher = view.job(LAUNCHER)
    jobs: tuple[LocatedJob, ...] = view.jobs
    if view.policy == "mpi":
        jobs = (launcher,) if launcher else ()
    elif view.policy is not None:
        return False
    return bool(jobs) and all(
        container.model.command or container.model.args
        for job in jobs
        for container in (job.pod.containers if job.pod else ())
        if not container.init
    )


@rule("SIL-15")
def a_job_is_the_trainer(view: RuntimeView) -> Iterator[Violation]:
    """No job has the trainer label, and the runtime does not set what to run.

    A TrainJob's image, command, arguments, environment, number of nodes and resources are ignored, and no environment
    of the framework is set. Without a policy this is a warning, because the image can have its own command. MPI
    runtimes and runtimes without a policy that set their commands work, and are in use; SDK-03 warns about them.
    Source: pkg/runtime/framework/plugins/jobset/builder.go:113-158@trainer@v2.3.0.
    """
    if view.trainer or not view.jobs or any(_misplaced(view)) or runs_without_train_job(view):
        return
    name = LAUNCHER if view.policy == "mpi" else NODE
    job = view.job(name) or view.jobs[-1]
    yield violation(
        f"{job.path}.template.metadata.labels",
        f"No job has {ANCESTOR_STEP}={TRAINER}: a TrainJob's trainer settings would be ignored.",
        f"Set the label on the job {job.name!r}{_as_the_label_wants(view, job, name)}.",
        Severity.WARNING if view.policy is None else Severity.ERROR,
    )


def _as_the_label_wants(view: RuntimeView, job: LocatedJob, name: str) -> str:
    """An addition to the fix for the other requirements of the label: SIL-10, TJC-23, WHR-01 and WHR-02."""
    wanted = [f"name the job {name!r}"] if view.policy and job.name != name else []
    wanted += [] if job.container(NODE) else [f"name its container {NODE!r}"]
    wanted += [] if job.replicas == 1 else ["set its replicas to 1"]
    return "".join(f", {'and ' if each is wanted[-1] else ''}{each}" for each in wanted)


@rule("SIL-16")
def one_job_is_the_trainer(view: RuntimeView) -> Iterator[Violation]:
    """Two jobs have the trainer label.

    Only the first gets the number of nodes and the framework's environment. SIL-33 reports MPI's job `node`.
    Source: pkg/runtime/runtime.go:216-221@trainer@v2.3.0.
    """
    first = view.trainer
    for job in view.jobs:
        if job.ancestor != TRAINER or first is None or job is first:
            continue
        if view.policy == "mpi" and NODE in {job.name, first.name}:
            continue
        yield violation(
            f"{job.path}.template.metadata.labels[{ANCESTOR_STEP}]",
            f"{first.name!r} already has the trainer label: {job.name!r} would get the command, but not the nodes "
            "and the environment.",
            "Keep the label on one job.",
        )

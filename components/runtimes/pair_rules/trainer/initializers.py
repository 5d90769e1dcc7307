"""Initializers: what a TrainJob's `initializer` needs in the runtime."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...rules.rule import violation
from ...rules.trainer.initializers import VOLUME
from ...rules.view import RuntimeView
from ...topology import ANCESTOR_STEP, DATASET_INITIALIZER, MODEL_INITIALIZER
from ..pair import Pair
from ..rule import pair_rule


def _missing_job(view: RuntimeView, step: str, path: str) -> Iterator[Violation]:
    if view.job(step) is None:
        yield violation(
            path,
            f"The runtime has no replicated job {step!r}: Trainer rejects the TrainJob.",
            "Remove it, or use a runtime with this initializer.",
        )


def _missing_container(view: RuntimeView, step: str, path: str) -> Iterator[Violation]:
    job = view.job(step)
    if job and job.pod and step not in {at.model.name for at in job.pod.containers}:
        yield violation(
            path,
            f"The runtime's job {step!r} has no container {step!r}: Trainer rejects the TrainJob.",
            "Remove it, or use a runtime whose initializer has this container.",
        )


def _missing_mount(pair: Pair, step: str, path: str) -> Iterator[Violation]:
    job = (pair.result and pair.result.job(step)) or (pair.view and pair.view.job(step))
    if pair.release.trainer != "2.3.0" or not job or not job.pod:
        return
    at = job.container(step)
    mounts = {mount.name for mount in at.model.volume_mounts or ()} if at else set()
    if VOLUME not in mounts and step in {each.model.name for each in job.pod.containers}:
        yield violation(
            path,
            f"The runtime's container {step!r} mounts no volume called {VOLUME!r}: Trainer rejects the TrainJob.",
            "Remove it, or use a runtime whose initializer mounts this volume.",
        )


def _dataset(pair: Pair) -> str | None:
    initializer = pair.train_job.spec.initializer
    return "spec.initializer.dataset" if initializer and initializer.dataset is not None else None


def _model(pair: Pair) -> str | None:
    initializer = pair.train_job.spec.initializer
    return "spec.initializer.model" if initializer and initializer.model is not None else None


@pair_rule("TJC-14")
def dataset_initializer_has_a_job(pair: Pair) -> Iterator[Violation]:
    """A TrainJob initializes a dataset, and the runtime has no job `dataset-initializer`.

    Source: pkg/runtime/framework/plugins/jobset/jobset.go:112-115@trainer@v2.3.0.
    """
    if pair.view and (path := _dataset(pair)):
        yield from _missing_job(pair.view, DATASET_INITIALIZER, path)


@pair_rule("TJC-15")
def dataset_initializer_has_a_container(pair: Pair) -> Iterator[Violation]:
    """A TrainJob initializes a dataset, and the runtime's job `dataset-initializer` has no container of this name.

    Source: pkg/runtime/framework/plugins/jobset/jobset.go:116-117@trainer@v2.3.0.
    """
    if pair.view and (path := _dataset(pair)):
        yield from _missing_container(pair.view, DATASET_INITIALIZER, path)


@pair_rule("TJC-16")
def dataset_initializer_has_its_volume(pair: Pair) -> Iterator[Violation]:
    """A TrainJob initializes a dataset, and the runtime's initializer does not mount a volume called `initializer`.

    Trainer 2.3 checks this; earlier versions do not.
    Source: pkg/runtime/framework/plugins/jobset/jobset.go:119-138@trainer@v2.3.0.
    """
    if path := _dataset(pair):
        yield from _missing_mount(pair, DATASET_INITIALIZER, path)


@pair_rule("TJC-17")
def model_initializer_exists(pair: Pair) -> Iterator[Violation]:
    """A TrainJob initializes a model, and the runtime lacks the initializer's job, container or mount.

    The same as TJC-14 to TJC-16, for `initializer.model`.
    Source: pkg/runtime/framework/plugins/jobset/jobset.go:142-170@trainer@v2.3.0.
    """
    if pair.view and (path := _model(pair)):
        yield from _missing_job(pair.view, MODEL_INITIALIZER, path)
        yield from _missing_container(pair.view, MODEL_INITIALIZER, path)
        yield from _missing_mount(pair, MODEL_INITIALIZER, path)


@pair_rule("SIL-28", severity=Severity.WARNING)
def initializer_is_heeded(pair: Pair) -> Iterator[Violation]:
    """A TrainJob configures an initializer whose job does not have the ancestor label.

    Trainer admits the TrainJob by the job's name, and configures the job by its label: the storage URI, environment and
    secret do not reach the job.
    Source: pkg/runtime/framework/plugins/jobset/builder.go:43-99, jobset.go:112-170@trainer@v2.3.0.
    """
    for step, path in ((DATASET_INITIALIZER, _dataset(pair)), (MODEL_INITIALIZER, _model(pair))):
        job = pair.view.job(step) if pair.view else None
        if path and job and job.ancestor != step:
            yield violation(
                path,
                f"It is ignored: the runtime's job {step!r} does not have the label {ANCESTOR_STEP}={step}.",
                "Use a runtime whose initializer has the label.",
            )

"""Patches of the runtime's pods in a TrainJob: `runtimePatches`."""

from collections.abc import Iterator

from ....validation.violation import Violation
from ...rules.rule import violation
from ...runtime_patches import PodSpecPatch, ReplicatedJobPatch
from ..pair import Pair
from ..rule import pair_rule


def patched_jobs(pair: Pair) -> Iterator[tuple[str, ReplicatedJobPatch]]:
    """Yields the path and patch of each replicated job in `runtimePatches`."""
    for index, patch in enumerate(pair.train_job.spec.runtime_patches or ()):
        spec = patch.training_runtime_spec
        jobset = spec.template.spec if spec and spec.template else None
        for number, job in enumerate((jobset and jobset.replicated_jobs) or ()):
            path = f"spec.runtimePatches[{index}].trainingRuntimeSpec.template.spec.replicatedJobs[{number}]"
            yield path, job


def patched_pods(pair: Pair) -> Iterator[tuple[str, str, PodSpecPatch]]:
    """Yields the path, replicated job and patch of each pod spec in `runtimePatches`."""
    for path, job in patched_jobs(pair):
        spec = job.template.spec if job.template else None
        pod = spec.template.spec if spec and spec.template else None
        if pod is not None:
            yield f"{path}.template.spec.template.spec", job.name, pod


@pair_rule("TJC-18")
def patched_jobs_exist(pair: Pair) -> Iterator[Violation]:
    """`runtimePatches` names a replicated job that the runtime does not have.

    Trainer's webhook rejects the TrainJob.
    Source: pkg/runtime/framework/plugins/jobset/jobset.go:182-186@trainer@v2.3.0.
    """
    if pair.view is None:
        return
    names = [job.name for job in pair.view.jobs]
    for path, job in patched_jobs(pair):
        if job.name not in names:
            yield violation(
                f"{path}.name",
                f"The runtime has no replicated job {job.name!r}: Trainer rejects the TrainJob.",
                f"Write one of {', '.join(names) or 'none'}, or remove the patch.",
            )

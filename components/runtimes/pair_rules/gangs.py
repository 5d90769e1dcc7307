"""TrainJobs whose pods are scheduled together: pod groups, KAI, Kueue."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...validation.violation import Severity, Violation
from ..rules.jobset.startup_order import waits_for
from ..rules.rule import violation
from ..rules.trainer.controller import VOLCANO_QUEUE
from ..rules.trainer.cross_field import (
    KAI_MIN_MEMBER,
    pod_group_without_depends_on,
    starts_in_parts,
)
from ..topology import KUEUE_QUEUE
from .pair import Pair
from .rule import pair_rule

PATCHED_METADATA = "trainingRuntimeSpec.template.metadata"


def _patched(pair: Pair, kind: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yields the path and content of the JobSet's labels or annotations in each patch."""
    for index, patch in enumerate(pair.train_job.spec.runtime_patches or ()):
        spec: Any = patch.training_runtime_spec
        metadata = spec.template.metadata if spec and spec.template else None
        if metadata and getattr(metadata, kind):
            yield f"spec.runtimePatches[{index}].{PATCHED_METADATA}.{kind}", getattr(metadata, kind)


@pair_rule("RUN-01")
def gang_can_start(pair: Pair) -> Iterator[Violation]:
    """A TrainJob uses a runtime whose jobs wait for each other, while a gang scheduler waits for the pods of all jobs.

    It is an error or a warning as for the runtime. A patch of the TrainJob can set the annotation with which KAI's
    scheduler places the pods of one job.
    Source: pkg/runtime/framework/plugins/{volcano,coscheduling}@trainer@v2.3.0; read in
    pkg/podgrouper/podgrouper/plugins/jobset/jobset_grouper.go@KAI-Scheduler@20e273b.
    """
    if pair.view is None:
        return
    annotations = {name: value for _, given in _patched(pair, "annotations") for name, value in given.items()}
    for found in pod_group_without_depends_on(pair.view):
        of_kai = found.path != "spec.podGroupPolicy"
        if of_kai and starts_in_parts(pair.view, annotations):
            continue
        fix = "Use a runtime whose jobs do not wait for each other"
        if of_kai and pair.release.patches == "runtimePatches":
            fix += f', or set {KAI_MIN_MEMBER}: "1" in {PATCHED_METADATA}.annotations of an item of spec.runtimePatches'
        yield violation("spec.runtimeRef.name", found.message, f"{fix}.", found.severity)


@pair_rule("RUN-25", severity=Severity.WARNING)
def queued_jobs_do_not_wait(pair: Pair) -> Iterator[Violation]:
    """A TrainJob for a queue of Kueue uses a runtime with a job that waits until another is complete.

    If Kueue is configured with waitForPodsReady, it waits until the Jobs of the whole TrainJob are ready or have
    succeeded. A job that is created after a download is not ready before its timeout: Kueue evicts the TrainJob, and
    starts it again later. Without waitForPodsReady the TrainJob works.
    Source: read in pkg/controller/jobs/trainjob/trainjob_controller.go PodsReady, apis/config/v1beta2 WaitForPodsReady
    @kueue@v0.17.0; kubernetes-sigs/kueue issue 6796.
    """
    late = [job for job in pair.view.jobs if waits_for(pair.view, job, "Complete")] if pair.view else []
    if late and KUEUE_QUEUE in (pair.train_job.metadata.labels or {}):
        yield violation(
            f"metadata.labels[{KUEUE_QUEUE}]",
            f"The runtime's job {late[0].name!r} is created only when other jobs are complete: with waitForPodsReady, "
            "Kueue evicts a TrainJob that is not ready within the timeout.",
            "Check that the timeout of Kueue's waitForPodsReady is longer than the jobs before it take.",
        )


@pair_rule("TJC-36")
def volcano_queue_has_a_name(pair: Pair) -> Iterator[Violation]:
    """A patch sets an empty queue for a runtime with a pod group of Volcano.

    Source: pkg/runtime/framework/plugins/volcano/volcano.go:97-102@trainer@v2.3.0.
    """
    groups = pair.view.runtime.spec.pod_group_policy if pair.view else None
    last = [(path, given) for path, given in _patched(pair, "annotations") if VOLCANO_QUEUE in given][-1:]
    for path, given in last if groups and groups.volcano is not None else ():
        if given[VOLCANO_QUEUE] == "":
            yield violation(
                f"{path}[{VOLCANO_QUEUE}]",
                "The queue's name is empty: Trainer rejects the TrainJob.",
                "Write a queue, or remove the annotation to use the runtime's.",
            )

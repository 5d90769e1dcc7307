"""What Kubernetes rejects in the Jobs and pods of a TrainJob."""

from collections.abc import Iterator

from ...validation.violation import Severity, Violation, only_errors
from ..rules.rule import RULES, Rule, violation
from ..rules.view import TRAINER, RuntimeView
from ..topology import NODE
from .pair import Pair
from .paths import train_job_path
from .rule import pair_rule

MAX_PODS_OF_JOB = 100_000


@pair_rule("K8S-26")
def nodes_are_not_negative(pair: Pair) -> Iterator[Violation]:
    """`trainer.numNodes` is negative.

    The CRD has no minimum. Kubernetes rejects the Job, whose parallelism is negative. If MPI's launcher is also a node,
    Trainer starts two nodes (SIL-02). Without the runtime this is a warning.
    Source: pkg/apis/trainer/v1alpha1/trainjob_types.go:278@trainer@v2.3.0;
    pkg/apis/batch/validation/validation.go:205@kubernetes@v1.37.2.
    """
    nodes = pair.trainer.num_nodes if pair.trainer else None
    as_node = bool(pair.view and pair.view.mpi and pair.view.mpi.run_launcher_as_node)
    if nodes is not None and nodes < 0 and not as_node:
        yield violation(
            "spec.trainer.numNodes",
            f"numNodes is {nodes}: Kubernetes rejects the Job, and nothing trains.",
            "Set it to 1 or more, or remove it for the runtime's number.",
            Severity.ERROR if pair.view else Severity.WARNING,
        )


@pair_rule("K8S-16")
def nodes_can_be_indexed(pair: Pair) -> Iterator[Violation]:
    """`trainer.numNodes` is more than 100,000.

    Kubernetes rejects an indexed Job with more pods.
    Source: pkg/apis/batch/validation/validation.go:242-244@kubernetes@v1.37.2.
    """
    nodes = pair.trainer.num_nodes if pair.trainer else None
    if nodes is not None and nodes > MAX_PODS_OF_JOB:
        yield violation(
            "spec.trainer.numNodes",
            f"numNodes is {nodes}; an indexed Job has at most {MAX_PODS_OF_JOB} pods.",
            f"Set it to {MAX_PODS_OF_JOB} or less.",
        )


@pair_rule("K8S-01")
def containers_have_images(pair: Pair) -> Iterator[Violation]:
    """A container has no image, neither in the runtime nor from the TrainJob, or an image with surrounding whitespace.

    The TrainJob sets the image of the container `node` in the job with the trainer label. With whitespace, the pods are
    rejected.
    Source: pkg/apis/core/validation/validation.go:4011-4013,4566-4572@kubernetes@v1.37.2.
    """
    image = pair.trainer.image if pair.trainer else None
    if image and image != image.strip():
        yield violation("spec.trainer.image", f"Image {image!r} has whitespace around its name.", "Remove it.")
    for job in pair.result.jobs if pair.result else ():
        before = pair.view.job(job.name) if pair.view else None
        for at in job.pod.containers if job.pod and before and before.pod else ():
            # A container that a patch adds breaks TJC-19.
            added = before and before.pod and at.model.name not in {each.model.name for each in before.pod.containers}
            if at.model.image or added:
                continue
            trains = at.model.name == NODE and job.ancestor == TRAINER and not at.init
            yield violation(
                "spec.trainer.image" if trains else "spec.runtimeRef.name",
                f"The container {at.model.name!r} of the job {job.name!r} has no image: no Job is created.",
                "Set trainer.image." if trains else "Use a runtime that sets the image.",
            )


def of_kubernetes(rule: Rule) -> bool:
    """Whether a rule is about what Kubernetes rejects in Jobs and pods, or about pods that cannot start there."""
    return ".rules.kubernetes." in rule.check.__module__ and rule.id != "K8S-01"


def pod_violations(pair: Pair) -> Iterator[Violation]:
    """The errors of Kubernetes' rules for runtimes in the JobSet, without those that the runtime has by itself.

    They come from the TrainJob: a limit below the runtime's request, a mount without a volume, an invalid label.
    """
    if pair.result is None or pair.view is None or pair.result.jobset is None:
        return
    known = {(each.rule, each.message) for each in _violations(pair.view)}
    for found in _violations(pair.result):
        if (found.rule, found.message) not in known:
            yield Violation(found.rule, train_job_path(pair, found.path), found.message, found.fix)


def _violations(view: RuntimeView) -> Iterator[Violation]:
    for rule in RULES:
        if of_kubernetes(rule):
            yield from only_errors(rule.violations(view))

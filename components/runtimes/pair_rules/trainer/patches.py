"""Patches of the runtime's pods in a TrainJob: `runtimePatches`, and `podSpecOverrides` of Trainer 2.0."""

from collections.abc import Iterator

from ....k8s.grammars import DOMAIN_PATH
from ....validation.violation import Severity, Violation
from ...rules.rule import violation
from ...topology import INITIALIZERS, NODE
from ..pair import Pair
from ..patched import patched_jobs
from ..rule import pair_rule


@pair_rule("TJC-13")
def managers_are_domain_paths(pair: Pair) -> Iterator[Violation]:
    """The manager of a patch is not a domain followed by a path.

    Source: pkg/runtime/framework/plugins/jobset/jobset.go:176@trainer@v2.3.0.
    """
    if pair.release.patches != "runtimePatches":
        return
    for index, patch in enumerate(pair.train_job.spec.runtime_patches or ()):
        # An empty manager breaks TJC-12.
        if patch.manager and not DOMAIN_PATH.matches(patch.manager):
            yield violation(
                f"spec.runtimePatches[{index}].manager",
                f"{patch.manager!r} is not a valid manager: it must be {DOMAIN_PATH}.",
                "Write the domain of your organization, '/' and a name.",
            )


@pair_rule("TJC-18")
def patched_jobs_exist(pair: Pair) -> Iterator[Violation]:
    """A TrainJob patches a replicated job that the runtime does not have.

    Trainer 2.0 and 2.2 reject the TrainJob. 2.3 has the same check, but applies the patch before it: the JobSet gets
    another job. Without containers the JobSet is rejected, and with containers, which have no images, the Job (executed
    with 2.3.0).
    Source: pkg/runtime/framework/plugins/jobset/jobset.go:182-186, pkg/runtime/core/trainingruntime.go
    mergeRuntimePatches@trainer@v2.3.0.
    """
    names = [job.name for job in pair.view.jobs] if pair.view else []
    adds = pair.release.patches_add_jobs
    effect = "Trainer adds one, which is rejected" if adds else "Trainer rejects the TrainJob"
    for job in patched_jobs(pair) if pair.view else ():
        # An empty name breaks TJC-12.
        if job.name and job.name not in names:
            yield violation(
                job.name_path,
                f"The runtime has no replicated job {job.name!r}: {effect}.",
                f"Write {' or '.join(names) or 'another runtime'}, or remove the patch.",
            )


@pair_rule("TJC-19")
def patched_containers_exist(pair: Pair) -> Iterator[Violation]:
    """A TrainJob patches a container that the runtime's job does not have.

    Trainer has a check for this, but applies the patch before it: the pods get another container, without an image,
    and their Jobs are rejected (executed).
    Source: pkg/runtime/framework/plugins/jobset/jobset.go:193-202, pkg/runtime/core/trainingruntime.go
    mergeRuntimePatches@trainer@v2.3.0.
    """
    for job in patched_jobs(pair):
        patched = pair.view.job(job.name) if pair.view else None
        if patched is None or patched.pod is None:
            continue
        for path, container in job.containers():
            init = ".initContainers[" in path
            names = [each.model.name for each in patched.pod.containers if each.init == init]
            if container.name and container.name not in names:
                kind = "init container" if init else "container"
                yield violation(
                    f"{path}.name",
                    f"The job {job.name!r} has no {kind} {container.name!r}: Trainer adds one without an image, and no "
                    "Job is created.",
                    f"Write {' or '.join(names)}, or remove the patch of the container."
                    if names
                    else "Remove the patch of the container.",
                )


@pair_rule("SIL-47", severity=Severity.WARNING)
def tolerations_are_not_lost(pair: Pair) -> Iterator[Violation]:
    """A patch of tolerations removes tolerations of the runtime.

    The list of a patch replaces the runtime's.
    Source: pkg/runtime/core/trainingruntime.go mergeRuntimePatches@trainer@v2.3.0; core/v1 types.go PodSpec, whose
    tolerations have no merge key@api@v0.36.2.
    """
    for job in patched_jobs(pair):
        patched = pair.view.job(job.name) if pair.view else None
        given = job.pod.tolerations if job.pod else None
        if patched is None or patched.pod is None or not given:
            continue
        lost = [each for each in patched.pod.spec.tolerations or () if each not in given]
        if lost:
            names = ", ".join(each.key or "every taint" for each in lost)
            yield violation(
                f"{job.pod_path}.tolerations",
                f"The list replaces the runtime's: the pods of {job.name!r} no longer tolerate {names}.",
                "Repeat the runtime's tolerations in the patch.",
            )


@pair_rule("TJC-20")
def environment_is_in_its_section(pair: Pair) -> Iterator[Violation]:
    """A TrainJob patches the environment of `node` or of an initializer's container.

    Their variables belong to `trainer.env` and to `initializer.dataset.env` or `initializer.model.env`. Trainer checks
    containers only, not init containers.
    Source: pkg/runtime/framework/plugins/jobset/jobset.go:203-206@trainer@v2.3.0.
    """
    sections = {NODE: "spec.trainer.env"} | {
        name: f"spec.initializer.{name.removesuffix('-initializer')}.env" for name in INITIALIZERS
    }
    for job in patched_jobs(pair):
        for path, container in job.containers():
            if container.env and container.name in sections and ".containers[" in path:
                yield violation(
                    f"{path}.env",
                    f"A patch cannot set variables of the container {container.name!r}: Trainer rejects the TrainJob.",
                    f"Move them to {sections[container.name]}.",
                )

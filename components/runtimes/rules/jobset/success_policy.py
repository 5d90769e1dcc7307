"""JobSet's success policy."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...topology import LAUNCHER, NODE
from ..endless_commands import looks_like_a_server, never_ends, own_containers, runs_endlessly
from ..rule import rule, violation
from ..view import JOBSET_PATH, TRAINER, LocatedContainer, LocatedJob, RuntimeView

PATH = f"{JOBSET_PATH}.successPolicy"
MOVE = "Move {!r} to initContainers, with restartPolicy: Always. As a sidecar it is stopped when the training ends."


def counted_jobs(view: RuntimeView) -> list[LocatedJob]:
    """The jobs that count for the success: the targets of the success policy, or all."""
    policy = view.jobset.success_policy if view.jobset else None
    targets = policy.target_replicated_jobs if policy else None
    return [job for job in view.jobs if not targets or job.name in targets]


@rule("JSW-06")
def success_targets_exist(view: RuntimeView) -> Iterator[Violation]:
    """`successPolicy.targetReplicatedJobs` names a job that does not exist.

    JobSet's webhook rejects every JobSet of this runtime.
    Source: pkg/webhooks/jobset_webhook.go:285-289@jobset@v0.12.0.
    """
    policy = view.jobset.success_policy if view.jobset else None
    for index, name in enumerate((policy and policy.target_replicated_jobs) or ()):
        if view.job(name) is None:
            names = ", ".join(repr(job.name) for job in view.jobs)
            yield violation(
                f"{PATH}.targetReplicatedJobs[{index}]",
                f"{name!r} is not a job of this runtime.",
                f"Name some of {names}.",
            )


@rule("SIL-05")
def success_is_counted_on_what_ends(view: RuntimeView) -> Iterator[Violation]:
    """The success policy counts jobs that never end, or does not count the MPI launcher.

    Without a success policy all jobs count, so a TrainJob with MPI workers that run sshd never completes. The operator
    `Any` with the launcher as a target works. For MPI workers that may end, this is a warning. If a container never
    ends, its pod and therefore its job do not complete, whatever the policy is.
    Source: pkg/controllers/success_policy.go:48-64@jobset@v0.12.0.
    """
    jobs = counted_jobs(view)
    policy = view.jobset.success_policy if view.jobset else None
    path = f"{PATH}.targetReplicatedJobs" if policy else PATH
    launcher = view.job(LAUNCHER) if view.mpi else None
    targets = f"[{LAUNCHER}]" if launcher else "the jobs that end"
    fix = f"Set successPolicy to operator All, with targetReplicatedJobs {targets}."
    if not jobs:
        return
    if launcher and launcher not in jobs:
        yield violation(
            path,
            "The success policy does not include 'launcher', so the TrainJob would not complete with its training.",
            fix,
        )
        return
    endless = [job for job in jobs if never_ends(job)]
    every = policy is None or policy.operator == "All"
    if endless and (every or len(endless) == len(jobs)):
        whole = [job for job in endless if not _endless_sidecars(job)]
        for job in endless:
            for at in _endless_sidecars(job):
                yield violation(
                    at.path,
                    f"Container {at.model.name!r} of the job {job.name!r} never ends: neither would the TrainJob.",
                    MOVE.format(at.model.name),
                )
        if len(whole) == len(view.jobs):
            fix = "Run a command that ends in one of the jobs, and count that job alone."
        if whole:
            names = ", ".join(repr(job.name) for job in whole)
            counts = "The success policy counts" if policy else "Without a success policy every job counts, also"
            yield violation(path, f"{counts} {names}, which never ends: the TrainJob would never complete.", fix)
    elif launcher and every and any(job.name == NODE for job in jobs):
        yield violation(
            path,
            "The success policy includes 'node', so the TrainJob completes only if the workers end by themselves.",
            fix,
            Severity.WARNING,
        )


def _endless_sidecars(job: LocatedJob) -> list[LocatedContainer]:
    """Yields containers that never end in pods whose other containers may end."""
    endless = [at for at in own_containers(job) if runs_endlessly(at)]
    others = [at for at in (job.pod.containers if job.pod else ()) if not at.init and at not in endless]
    return endless if others else []


@rule("SIL-37", severity=Severity.WARNING)
def servers_are_sidecars(view: RuntimeView) -> Iterator[Violation]:
    """A container beside the training container looks like a server, which never ends.

    It has a probe or a port, runs a known server or an endless loop, or has an image with the name of a server. A Job
    completes when all containers of its pods have ended. After the training, the TrainJob would therefore stay active
    and keep its GPUs. In other jobs than the trainer's, ports and probes do not count, because workers with ports do
    end. SIL-05 reports containers that are known never to end.
    Source: pkg/kubelet/status/generate.go and pkg/kubelet/kubelet_pods.go getPhase@kubernetes@v1.37.2; kubeflow/katib
    issues 2181, 2616.
    """
    policy = view.jobset.success_policy if view.jobset else None
    jobs = counted_jobs(view)
    if policy and policy.operator == "Any" and not all(any(_servers(job)) for job in jobs):
        return
    for job in jobs:
        alone = job.pod is not None and sum(not at.init for at in job.pod.containers) == 1
        for at in _servers(job):
            yield violation(
                at.path,
                f"Container {at.model.name!r} of the job {job.name!r} looks like a server: while it runs, the TrainJob "
                "does not complete.",
                "Set successPolicy to operator All, with targetReplicatedJobs the jobs that end."
                if alone
                else MOVE.format(at.model.name),
            )


def _servers(job: LocatedJob) -> Iterator[LocatedContainer]:
    for at in own_containers(job):
        exposed = job.ancestor == TRAINER and (any(True for _ in at.probes()) or at.model.ports)
        if not runs_endlessly(at) and (exposed or looks_like_a_server(at)):
            yield at

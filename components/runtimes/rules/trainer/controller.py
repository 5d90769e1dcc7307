"""What Trainer's controller does with a runtime: numbers of pods, ports, pod groups, snapshots."""

from collections import Counter
from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...topology import LAUNCHER, NODE
from ..rule import rule, violation
from ..view import JOBSET_PATH, TRAINER, LocatedJob, RuntimeView
from .webhook import CONTAINER_OF

MAX_SNAPSHOT_BYTES = 1024 * 1024
"""Maximum size of a ConfigMap: pkg/apis/core/validation/validation.go ValidateConfigMap@kubernetes@v1.37.2."""

VOLCANO_QUEUE = "scheduling.volcano.sh/queue-name"


@rule("SIL-19")
def there_is_a_node(view: RuntimeView) -> Iterator[Violation]:
    """`mlPolicy.numNodes` is less than 1.

    Trainer silently changes it to 1.
    Source: pkg/runtime/runtime.go:147, pkg/runtime/framework/plugins/torch/torch.go:118@trainer@v2.3.0.
    """
    policy = view.runtime.spec.ml_policy
    if policy and policy.num_nodes is not None and policy.num_nodes < 1:
        yield violation(
            "spec.mlPolicy.numNodes",
            f"numNodes is {policy.num_nodes}: Trainer silently changes it to 1.",
            "Set it to 1 or more.",
        )


@rule("SIL-14")
def pods_are_counted_by_trainer(view: RuntimeView) -> Iterator[Violation]:
    """A job template sets another number of pods than Trainer does.

    Trainer sets parallelism and completions of each job to one number: for the trainer's job, mlPolicy.numNodes or the
    TrainJob's number of nodes; for other jobs, parallelism or 1. Other completions are lost, which is an error. For the
    trainer's job both fields are a warning, because TrainJobs set the number. The same number is allowed.
    Source: pkg/runtime/core/trainingruntime.go:189-197, pkg/runtime/runtime.go:147, jobset.go:302-323@trainer@v2.3.0.
    """
    for job in view.jobs:
        spec = job.spec
        if spec is None:
            continue
        follows = job.ancestor == TRAINER
        source = "spec.mlPolicy.numNodes" if follows else "parallelism"
        # Numbers below 0 break K8S-13.
        if spec.completions is not None and spec.completions >= 0 and spec.completions != job.pods:
            yield violation(
                f"{job.spec_path}.completions",
                f"completions is {spec.completions} in {job.name!r}: Trainer sets it to {job.pods}, from {source}"
                + (", or to a TrainJob's numNodes." if follows else "."),
                f"Remove completions, and set {source}.",
                Severity.WARNING if follows else Severity.ERROR,
            )
        if follows and spec.parallelism is not None and spec.parallelism not in {job.pods, -1}:
            yield violation(
                f"{job.spec_path}.parallelism",
                f"parallelism is {spec.parallelism} in {job.name!r}: Trainer sets it to {job.pods}, from {source}, or "
                "to a TrainJob's numNodes.",
                f"Remove parallelism, and set {source}.",
                Severity.WARNING,
            )
        if not follows and spec.parallelism == 0:
            yield violation(
                f"{job.spec_path}.parallelism",
                f"parallelism is 0 in {job.name!r}: Trainer silently changes it to 1.",
                "Set it to 1 or more, or remove the job.",
            )


@rule("RUN-21", severity=Severity.WARNING)
def failed_trainings_stay_failed(view: RuntimeView) -> Iterator[Violation]:
    """The JobSet is deleted some time after its end (`ttlSecondsAfterFinished`).

    Trainer removes the Failed condition of a TrainJob before it checks whether the TrainJob has finished. It therefore
    creates the deleted JobSet of a failed TrainJob again, with restarts counted from 0: the training starts again after
    each failure, endlessly. TrainJobs that are Complete, or whose activeDeadlineSeconds have passed, are not affected.
    This applies to Trainer up to 2.3.0; kubeflow/trainer PR 3891 fixes it.
    Source: read in pkg/controller/trainjob_controller.go Reconcile, removeFailedCondition@trainer@v2.3.0;
    kubeflow/trainer issues 3737, 3779.
    """
    seconds = view.jobset.ttl_seconds_after_finished if view.jobset else None
    if seconds is not None:
        yield violation(
            f"{JOBSET_PATH}.ttlSecondsAfterFinished",
            f"The JobSet of a failed TrainJob is deleted after {seconds} s, and Trainer 2.3.0 creates it again: the "
            "training starts over after every failure, with maxRestarts counted from 0.",
            "Remove it, and delete finished TrainJobs: their JobSets are deleted with them.",
        )


@rule("RUN-06")
def jobs_have_replicas(view: RuntimeView) -> Iterator[Violation]:
    """A replicated job has less than 1 replica.

    Trainer leaves 0 out, and JobSet's default is 1. A negative number creates no Jobs and lowers the number of Jobs
    that must succeed, so the TrainJob is Complete before it has trained. WHR-01 reports labeled jobs.
    Source: pkg/apply/apply.go FromTypedObjWithFields@trainer@v2.3.0; pkg/controllers/success_policy.go:48-64,
    api/jobset/v1alpha2/jobset_types.go ReplicatedJob@jobset@v0.12.0.
    """
    for job in view.jobs:
        if job.replicas < 1 and job.ancestor not in CONTAINER_OF:
            effect = "Trainer changes it to 1" if job.replicas == 0 else "the TrainJob completes too early"
            yield violation(
                f"{job.path}.replicas",
                f"{job.name!r} has {job.replicas} replicas: {effect} silently.",
                "Set replicas to 1 or more, or remove the job.",
            )


@rule("SIL-27")
def nodes_are_indexed(view: RuntimeView) -> Iterator[Violation]:
    """The pods of a distributed training have no index.

    Without an index they have neither a rank nor a stable name. The address of the first node, and the names in MPI's
    hostfile, do not resolve. Runtimes without a policy may work (see SDK-12).
    Source: pkg/runtime/framework/plugins/torch/torch.go:153-156@trainer@v2.3.0.
    """
    for job in unindexed_nodes(view):
        yield violation(
            f"{job.spec_path}.completionMode",
            f"The pods of {job.name!r} are NonIndexed: they have no rank and no stable name by which other pods "
            "can find them.",
            "Remove completionMode; the default is Indexed.",
        )


def unindexed_nodes(view: RuntimeView) -> list[LocatedJob]:
    """Yields the jobs of a distributed training that have no index."""
    if view.mpi:
        names = {NODE, LAUNCHER} if view.mpi.run_launcher_as_node else {NODE}
        jobs = [job for job in view.jobs if job.name in names]
    else:
        jobs = [view.trainer] if view.trainer and view.policy else []
    return [job for job in jobs if job.spec and job.spec.completion_mode == "NonIndexed"]


@rule("REC-07")
def ports_differ_by_name_and_number(view: RuntimeView) -> Iterator[Violation]:
    """A container has two unnamed ports, or one port number for two protocols.

    Kubernetes accepts both. Trainer merges two unnamed ports, or two with the same number, into duplicates, so every
    JobSet is rejected. This applies to all containers of all jobs.
    Source: pkg/apply/apply.go:65-67@trainer@v2.3.0.
    """
    for at in view.containers:
        ports = at.model.ports or ()
        unnamed = [index for index, port in enumerate(ports) if not port.name]
        if len(unnamed) > 1:
            yield violation(
                f"{at.path}.ports[{unnamed[1]}]",
                f"Container {at.model.name!r} has {len(unnamed)} ports without a name: Trainer merges them into "
                "one, and the JobSet is rejected.",
                "Name every port.",
            )
        counts = Counter(port.container_port for port in ports)
        for number, count in counts.items():
            if count > 1 and sum(not port.name for port in ports if port.container_port == number) < 2:
                index = [port.container_port for port in ports].index(number, 1)
                yield violation(
                    f"{at.path}.ports[{index}].containerPort",
                    f"Port {number} is listed for {count} protocols: Trainer merges them into one, and the JobSet "
                    "is rejected.",
                    "List one of them; a port can be used without being listed.",
                )


@rule("REC-08")
def projected_volumes_have_sources(view: RuntimeView) -> Iterator[Violation]:
    """A projected volume has an empty list of sources.

    Kubernetes accepts it. Trainer drops the empty list, JobSet's webhook replaces it with null, and the schema of
    JobSet rejects null: no TrainJob becomes a JobSet (executed).
    Source: api/core/v1/types.go ProjectedVolumeSource@kubernetes@v1.37.2, pkg/apply/apply.go:131@trainer@v2.3.0.
    """
    for pod in view.pods:
        for index, volume in enumerate(pod.spec.volumes or ()):
            if volume.projected is not None and not volume.projected.sources:
                yield violation(
                    f"{pod.path}.volumes[{index}].projected.sources",
                    "The list is empty: Trainer drops it, and the JobSet is rejected.",
                    "Add a source, or use an emptyDir.",
                )


@rule("REC-05")
def runtime_fits_into_its_snapshot(view: RuntimeView) -> Iterator[Violation]:
    """A runtime is larger than a ConfigMap can be.

    Trainer stores a copy of the runtime for each TrainJob.
    Source: pkg/runtime/core/snapshot.go:100-126@trainer@v2.3.0.
    """
    size = len(view.runtime.model_dump_json(by_alias=True, exclude_none=True))
    if size > MAX_SNAPSHOT_BYTES:
        yield violation(
            "spec",
            f"The runtime has {size} bytes: Trainer stores a copy of it in a ConfigMap, which can hold "
            f"{MAX_SNAPSHOT_BYTES}.",
            "Move scripts and data to ConfigMaps or images.",
        )


@rule("REC-03", severity=Severity.WARNING)
def one_pod_group_is_enough(view: RuntimeView) -> Iterator[Violation]:
    """`podGroupPolicy` has both coscheduling and volcano.

    Trainer creates both pod groups. If the CRDs of one scheduler are not installed, no TrainJob becomes a JobSet.
    Source: pkg/apis/trainer/v1alpha1/trainingruntime_types.go:141-151@trainer@v2.3.0.
    """
    policy = view.runtime.spec.pod_group_policy
    if policy and policy.coscheduling is not None and policy.volcano is not None:
        yield violation(
            "spec.podGroupPolicy",
            "coscheduling and volcano are both set: only one scheduler places a pod, but the CRDs of both must "
            "be installed.",
            "Keep the one whose scheduler is installed.",
        )


@rule("TJC-36")
def volcano_queue_has_a_name(view: RuntimeView) -> Iterator[Violation]:
    """A runtime for Volcano has a queue with an empty name.

    Each TrainJob is rejected.
    Source: pkg/runtime/framework/plugins/volcano/volcano.go:97-102@trainer@v2.3.0.
    """
    policy, template = view.runtime.spec.pod_group_policy, view.runtime.spec.template
    annotations = (template.metadata.annotations if template and template.metadata else None) or {}
    if policy and policy.volcano is not None and annotations.get(VOLCANO_QUEUE) == "":
        yield violation(
            f"spec.template.metadata.annotations[{VOLCANO_QUEUE}]",
            "The queue's name is empty: every TrainJob would be rejected.",
            "Set a queue, or remove the annotation to use Volcano's default.",
        )

"""Parts that are each right and do not work together: neither Kubernetes nor JobSet nor Trainer says a word."""

from collections.abc import Iterator

from ...violation import Severity
from ..topology import NODE
from .claims import claim_templates
from .frameworks import counted_container, gpu_amounts
from .layout import Layout
from .names import PORT_NAME
from .order import in_order
from .rule import Finding, rule

ONE_NODE = {"ReadWriteOnce", "ReadWriteOncePod"}


@rule("RUN-01", severity=Severity.WARNING)
def gangs_wait_for_nobody(layout: Layout) -> Iterator[Finding]:
    """A runtime with a pod group has jobs that wait for others.

    The pod group counts the pods of all jobs, and its scheduler places none before all are there; but those of waiting
    jobs are created when the others are ready. Nothing is ever scheduled.
    Source: pkg/runtime/framework/plugins/volcano/volcano.go Build, coscheduling.go Build@trainer@v2.3.0.
    """
    groups = layout.runtime.spec.pod_group_policy
    waiting = [job.name for job in layout.jobs[1:] if job.model.depends_on or in_order(layout)]
    if groups and (groups.volcano is not None or groups.coscheduling is not None) and waiting:
        yield Finding(
            "spec.podGroupPolicy",
            f"The pod group needs all pods at once, and {', '.join(map(repr, waiting))} are created only when others "
            "are ready or complete: no pod would be scheduled.",
            "Take podGroupPolicy out; Kueue admits all or none without pod groups.",
        )


@rule("RUN-02")
def probes_find_their_ports(layout: Layout) -> Iterator[Finding]:
    """A readiness or startup probe names a port that its container does not declare.

    Kubernetes takes it; the kubelet does not find the port, and throws the probe's result away: the pod is never ready,
    and who waits for it is never created.
    Source: pkg/probe/util.go ResolveContainerPort, pkg/kubelet/prober/worker.go doProbe@kubernetes@v1.37.2.
    """
    for at in layout.containers:
        declared = {port.name for port in at.model.ports or ()}
        for name, probe in at.probes():
            actions = {"httpGet": probe.http_get, "tcpSocket": probe.tcp_socket}
            ports = {handler: action.port for handler, action in actions.items() if action and name != "livenessProbe"}
            for handler, port in ports.items():
                if isinstance(port, str) and port not in declared and PORT_NAME.fits(port):
                    yield Finding(
                        f"{at.path}.{name}.{handler}.port",
                        f"Container {at.model.name!r} declares no port {port!r}: the probe would never succeed.",
                        "Write the port's number, or declare a port of this name.",
                    )


@rule("RUN-03", severity=Severity.WARNING)
def shared_claims_can_be_shared(layout: Layout) -> Iterator[Finding]:
    """A claim that only one node can mount is mounted by several pods of a job.

    On other nodes than the first one's they stay Pending.
    Source: api/jobset/v1alpha2/jobset_types.go VolumeClaimPolicies@jobset@v0.12.0: a JobSet's pods share its claims.
    """
    for path, name, template in claim_templates(layout):
        modes = set((template.spec and template.spec.access_modes) or ())
        for job in layout.jobs:
            mounts = {
                mount.name for at in (job.pod.containers if job.pod else ()) for mount in at.model.volume_mounts or ()
            }
            if name in mounts and job.pods * job.replicas > 1 and modes and modes <= ONE_NODE:
                yield Finding(
                    f"{path}.spec.accessModes",
                    f"{job.pods * job.replicas} pods of {job.name!r} mount {name!r}, which only one node can have.",
                    "Use ReadWriteMany, and a storage class that can do it.",
                )


@rule("RUN-04", severity=Severity.WARNING)
def processes_match_gpus(layout: Layout) -> Iterator[Finding]:
    """MPI's `numProcPerNode` differs from the number of GPUs of a node.

    With fewer processes GPUs stand idle, with more some share one. Left at 1 Trainer takes the number of GPUs.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:124-139@trainer@v2.3.0.
    """
    at, count = counted_container(layout), layout.mpi.num_proc_per_node if layout.mpi else None
    if at is None or count is None or count <= 1:
        return
    amounts = gpu_amounts(at)
    if amounts and count not in amounts.values():
        named = " and ".join(f"{name} {value}" for name, value in amounts.items())
        yield Finding(
            "spec.mlPolicy.mpi.numProcPerNode",
            f"{count} processes start on each node, which has {named} ({NODE!r} container of {at.path}).",
            "Set it to the number of GPUs, or take it out for as many as there are.",
        )

"""What the plugins of frameworks require: addresses, ports, environment variables, processes per node."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import chain

from ....k8s.grammars import DNS_LABEL_1035
from ....k8s.quantities import amount
from ....validation.violation import Severity, Violation
from ...topology import LAUNCHER, NODE
from ..rule import rule, violation
from ..view import JOBSET_PATH, TRAINER, LocatedContainer, LocatedJob, RuntimeView, also_in_depends_on

PORT = 29500
"""Port of the first node, to which all other nodes connect: pkg/constants/constants.go@trainer@v2.3.0."""

ADDRESS_OF = {
    "torch": "PET_MASTER_ADDR",
    "jax": "JAX_COORDINATOR_ADDRESS",
    "xgboost": "DMLC_TRACKER_URI",
    "flux": "Flux's broker address",
}
"""Variable that each policy sets to `<trainjob>-node-0-0.<trainjob>`."""

RESERVED = {
    "torch": {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"},
    "jax": {"JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS"},
    "xgboost": {"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID", "DMLC_NUM_WORKER"},
    "mpi": {
        "OMPI_MCA_orte_default_hostfile",
        "OMPI_MCA_plm_rsh_args",
        "OMPI_MCA_orte_keep_fqdn_hostnames",
        "OMPI_MCA_orte_set_default_slots",
    },
}
"""Environment variables that Trainer sets: pkg/constants/constants.go:297-306, jax.go:79-96@trainer@v2.3.0."""

ACCELERATORS = (
    "nvidia.com/mig-",
    "google.com/tpu",
    "huawei.com/Ascend",
    "aws.amazon.com/neuron",
    "habana.ai/gaudi",
    "cambricon.com/mlu",
)
"""Prefixes of resource names of accelerators that Trainer does not count, because they do not contain "gpu"."""


def trainer_container(view: RuntimeView) -> LocatedContainer | None:
    """The container that a TrainJob's `trainer` section configures."""
    return view.trainer.container(NODE) if view.trainer else None


@rule("SIL-10")
def first_node_has_its_name(view: RuntimeView) -> Iterator[Violation]:
    """The trainer's job of torch, JAX, XGBoost or Flux is not called `node`.

    The address of the first node is always `<trainjob>-node-0-0.<trainjob>`, and no pod would have this name.
    Source: pkg/runtime/framework/plugins/torch/torch.go:162, jax.go:92-96, xgboost.go:116-117, flux.go@trainer@v2.3.0.
    """
    trainer = view.trainer
    if trainer and trainer.name != NODE and view.policy in ADDRESS_OF:
        yield violation(
            f"{trainer.path}.name",
            f"The trainer's job is called {trainer.name!r}: {ADDRESS_OF[view.policy]} would be "
            "<trainjob>-node-0-0.<trainjob>, which no pod has.",
            f"Name the job {NODE!r}{also_in_depends_on(view, trainer)}.",
        )


@rule("SIL-11")
def first_node_is_found(view: RuntimeView) -> Iterator[Violation]:
    """`network` changes or disables the host names of pods, so the address of the first node does not resolve.

    Torch, JAX, XGBoost and Flux ignore network.subdomain; MPI's hostfile uses it. With enableDNSHostnames false no pod
    has a name, which also breaks MPI.
    Source: pkg/runtime/framework/plugins/torch/torch.go:162,
    pkg/runtime/framework/plugins/jobset/jobset.go:281-284@trainer@v2.3.0;
    pkg/controllers/jobset_controller.go:788-833@jobset@v0.12.0.
    """
    network = view.jobset.network if view.jobset else None
    if network is None or view.policy is None:
        return
    if network.subdomain and DNS_LABEL_1035.matches(network.subdomain) and view.policy in ADDRESS_OF:
        yield violation(
            f"{JOBSET_PATH}.network.subdomain",
            f"The pods would be in subdomain {network.subdomain!r}, but {ADDRESS_OF[view.policy]} is "
            "<trainjob>-node-0-0.<trainjob>.",
            "Remove subdomain.",
        )
    if network.enable_dns_hostnames is False:
        yield violation(
            f"{JOBSET_PATH}.network.enableDNSHostnames",
            f"Without DNS names the nodes cannot find each other: {ADDRESS_OF.get(view.policy, 'the hostfile')} "
            "consists of DNS names.",
            "Remove enableDNSHostnames; the default is true.",
        )


@rule("SIL-12")
def node_ports_keep_their_names(view: RuntimeView) -> Iterator[Violation]:
    """Container `node` has an unnamed port, or a probe that names port 29500.

    Torch, JAX and XGBoost replace the first port that has number 29500, or that has no name as theirs does, with their
    own port 29500. Losing an unnamed port is a warning, unless it opens a port of the node (hostPort).
    Source: pkg/apply/apply.go:65-67,79-94@trainer@v2.3.0.
    """
    at = trainer_container(view)
    if at is None or view.policy not in {"torch", "jax", "xgboost"}:
        return
    ports = at.model.ports or ()
    unnamed = [index for index, port in enumerate(ports) if not port.name and port.container_port != PORT]
    # Two unnamed ports are rejected: REC-07.
    if len(unnamed) == 1 and sum(not port.name for port in ports) == 1:
        yield violation(
            f"{at.path}.ports[{unnamed[0]}]",
            f"Port {ports[unnamed[0]].container_port} has no name: Trainer replaces it with its port {PORT}.",
            "Set a name.",
            Severity.ERROR if ports[unnamed[0]].host_port else Severity.WARNING,
        )
    lost = {port.name for port in ports if port.container_port == PORT and port.name}
    for name, probe in at.probes():
        for handler, action in (("httpGet", probe.http_get), ("tcpSocket", probe.tcp_socket)):
            if action and action.port in lost:
                yield violation(
                    f"{at.path}.{name}.{handler}.port",
                    f"Port {PORT} loses its name {action.port!r}, which Trainer replaces: the probe would not find it.",
                    f"Use the number: port: {PORT}.",
                )


@rule("SIL-13", severity=Severity.WARNING)
def reserved_environment_is_left_alone(view: RuntimeView) -> Iterator[Violation]:
    """A container sets an environment variable that Trainer sets.

    Trainer silently overwrites the value. A TrainJob that sets such a variable is rejected.
    Source: pkg/apply/apply.go:37-41@trainer@v2.3.0.
    """
    if view.policy is None:
        return
    for at in _given_environment(view):
        for index, variable in enumerate(at.model.env or ()):
            if variable.name in RESERVED.get(view.policy, ()):
                yield violation(
                    f"{at.path}.env[{index}]", f"Trainer overwrites {variable.name} in this container.", "Remove it."
                )


def _given_environment(view: RuntimeView) -> Iterator[LocatedContainer]:
    """The containers to which Trainer adds environment variables."""
    job = view.job(LAUNCHER) if view.policy == "mpi" else view.trainer
    main = job.container(NODE) if job else None
    if main:
        yield main
    for target_job, name in injection_targets(view):
        for container in target_job.pod.containers if target_job.pod else ():
            if container.model.name == name and container is not main:
                yield container


def injection_targets(view: RuntimeView) -> Iterator[tuple[LocatedJob, str]]:
    """Yields the jobs and container names of `torch.envInjection`."""
    policy = view.runtime.spec.ml_policy
    injection = policy.torch.env_injection if policy and policy.torch else None
    for target in (injection and injection.targets) or ():
        job = view.job(target.job_name)
        if job:
            yield from ((job, name) for name in target.container_names)


@rule("TJC-26")
def injection_targets_exist(view: RuntimeView) -> Iterator[Violation]:
    """`torch.envInjection` names a job or container that does not exist.

    Each TrainJob is rejected.
    Source: pkg/runtime/framework/plugins/torch/torch.go:89-107,215-217@trainer@v2.3.0.
    """
    policy = view.runtime.spec.ml_policy
    injection = policy.torch.env_injection if policy and policy.torch else None
    for index, target in enumerate((injection and injection.targets) or ()):
        path, job = f"spec.mlPolicy.torch.envInjection.targets[{index}]", view.job(target.job_name)
        if job is None:
            fitting = [other for other in view.jobs if {*target.container_names} <= _injectable(other)]
            names = ", ".join(repr(other.name) for other in fitting or view.jobs)
            yield violation(
                f"{path}.jobName", f"{target.job_name!r} is not a job of this runtime.", f"Name one of {names}."
            )
            continue
        known = [container.model.name for container in (job.pod.containers if job.pod else ())]
        others = sorted(_injectable(job))
        for number, name in enumerate(target.container_names):
            if name not in known:
                yield violation(
                    f"{path}.containerNames[{number}]",
                    f"{name!r} is not a container of job {job.name!r}.",
                    f"Name some of {', '.join(map(repr, others))}."
                    if others
                    else f"Remove the target: the job has no container besides {NODE!r}, which gets it anyway.",
                )


def _injectable(job: LocatedJob) -> set[str]:
    """The containers that envInjection can name. CTR-13 reports `node`."""
    return {container.model.name for container in (job.pod.containers if job.pod else ())} - {NODE}


@rule("TJC-35")
def flux_installs_flux(view: RuntimeView) -> Iterator[Violation]:
    """The job `node` of a Flux runtime has an init container `flux-installer`.

    Trainer adds one of the same name, so each TrainJob is rejected.
    Source: pkg/runtime/framework/plugins/flux/flux.go:122-130@trainer@v2.3.0.
    """
    node = view.job(NODE) if view.policy == "flux" else None
    for at in node.pod.containers if node and node.pod else ():
        if at.init and at.model.name == "flux-installer":
            yield violation(
                f"{at.path}.name", "Trainer adds an init container 'flux-installer' itself.", "Rename this one."
            )


@rule("REC-09", severity=Severity.WARNING)
def flux_takes_its_nodes_from_the_trainjob(view: RuntimeView) -> Iterator[Violation]:
    """`mlPolicy.numNodes` of a Flux runtime is more than 1.

    Trainer's Flux plugin reads the number only from the TrainJob. If the TrainJob does not set it, the controller
    panics at each attempt and creates no JobSet (executed).
    Source: pkg/runtime/framework/plugins/flux/flux.go:413,451@trainer@v2.3.0.
    """
    policy = view.runtime.spec.ml_policy
    if view.policy == "flux" and policy and policy.num_nodes is not None and policy.num_nodes > 1:
        yield violation(
            "spec.mlPolicy.numNodes",
            f"numNodes is {policy.num_nodes}, but Trainer's Flux plugin reads it only from TrainJobs: the controller "
            "panics at a TrainJob without trainer.numNodes and creates no JobSet.",
            "Remove it, and set trainer.numNodes in each TrainJob.",
        )


def counted_container(view: RuntimeView) -> LocatedContainer | None:
    """The container whose GPUs Trainer counts: pkg/runtime/runtime.go:246-268@trainer@v2.3.0."""
    for job in view.jobs:
        at = job.container(NODE) if job.name == NODE or job.ancestor == TRAINER else None
        if at and at.model.resources is not None:
            return at
    return None


@rule("SIL-22", severity=Severity.WARNING)
def accelerators_are_counted(view: RuntimeView) -> Iterator[Violation]:
    """The resource name of an accelerator does not contain "gpu".

    Trainer does not count it. It starts one process per node for MPI (unless numProcPerNode is set) and XGBoost, and
    one per CPU for torch.
    Source: pkg/runtime/runtime.go:291-298@trainer@v2.3.0.
    """
    at = counted_container(view)
    told = view.mpi is not None and (view.mpi.num_proc_per_node or 1) != 1
    if at is None or at.model.resources is None or view.policy not in {"torch", "mpi", "xgboost"} or told:
        return
    limits, requests = at.model.resources.limits or {}, at.model.resources.requests or {}
    if any("gpu" in name.lower() for name in chain(limits, requests)):
        return
    for where, resources in (("limits", limits), ("requests", requests)):
        for name in resources:
            if (
                name.startswith(ACCELERATORS)
                and not name.endswith("-memory")
                and not (where == "requests" and name in limits)
            ):
                effect = "one per CPU" if view.policy == "torch" else "one"
                fix = "spec.mlPolicy.mpi.numProcPerNode" if view.policy == "mpi" else "numProcPerNode of each TrainJob"
                yield violation(
                    f"{at.path}.resources.{where}[{name}]",
                    f'Trainer does not count {name}, because its name does not contain "gpu": the number of '
                    f"processes per node is {effect}.",
                    f"Set {fix} to the number of accelerators.",
                )


def gpu_amounts(at: LocatedContainer) -> dict[str, Decimal]:
    """Amounts that Trainer counts as GPUs, by resource name: requests, or limits if there are no requests."""
    resources = at.model.resources
    for amounts in (resources and resources.requests, resources and resources.limits):
        counted = {name: amount(value) for name, value in (amounts or {}).items() if "gpu" in name.lower()}
        if counted:
            return counted
    return {}


@rule("SIL-35")
def gpus_are_counted_once(view: RuntimeView) -> Iterator[Violation]:
    """Two resource names contain "gpu" and have different amounts.

    Trainer takes MPI's slots and XGBoost's workers from one of them at random, and possibly from the other at the next
    reconciliation.
    Source: pkg/runtime/runtime.go:291-298@trainer@v2.3.0.
    """
    at = counted_container(view)
    told = view.mpi is not None and (view.mpi.num_proc_per_node or 1) != 1
    if at is None or view.policy not in {"mpi", "xgboost"} or told:
        return
    amounts = gpu_amounts(at)
    if len(set(amounts.values())) > 1:
        named = ", ".join(f"{name} {value}" for name, value in amounts.items())
        otherwise = " Or set spec.mlPolicy.mpi.numProcPerNode to more than 1." if view.policy == "mpi" else ""
        yield violation(
            f"{at.path}.resources",
            f"Trainer takes the number of processes from an arbitrary one of {named}.",
            f"Keep one of them.{otherwise}",
        )

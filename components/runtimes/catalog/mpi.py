"""The MPI runtime: nodes with sshd first, then a launcher with mpirun."""

from ...k8s.env import EnvVar
from ..runtime import ClusterTrainingRuntime
from ..topology import HOSTFILE, KAI_SCHEDULER, MPIStartup, node_then_launcher
from .common_spec import build_runtime
from .images import trainer_image
from .options import MPIOptions
from .pod_templates import training_pod

# Trainer 2.3.0 sets OMPI_MCA_orte_* and OMPI_MCA_plm_rsh_*, which Open MPI 5 ignores: its runtime PRRTE has parameters
# of its own (kubeflow/trainer issue 4028; seen with Open MPI 5.0.8). Two of Trainer's have no counterpart here:
# - prte_set_default_slots: every line of Trainer's hostfile has its slots, and a TrainJob may change them.
# - prte_keep_fqdn_hostnames: it is false by default and must be, or the launcher doesn't know itself in the hostfile
#   and opens an ssh connection to itself, where no sshd is.
_PRRTE = (
    EnvVar(name="PRTE_MCA_prte_default_hostfile", value=HOSTFILE),
    EnvVar(name="PRTE_MCA_plm_ssh_args", value="-o ConnectionAttempts=10"),
    # From 65 hosts on, nodes would start daemons on further nodes, by host names cut at the first dot, which DNS
    # doesn't know, and with ssh arguments cut at the equals sign.
    EnvVar(name="PRTE_MCA_plm_ssh_no_tree_spawn", value="true"),
)


def mpi_runtime(options: MPIOptions, framework: str) -> ClusterTrainingRuntime:
    """The runtime of a framework that is started by mpirun."""
    upstream = options.like_upstream
    spec = node_then_launcher(
        training_pod(options, trainer_image(f"{framework}-runtime")),
        workers=options.nodes and options.nodes - 1,
        processes_per_node=options.processes_per_node or options.gpus or 1,
        ssh=options.ssh,
        start=MPIStartup(
            probe_delay_seconds=5 if upstream else 1,
            probe_period_seconds=options.readiness_period_seconds or (None if upstream else 1),
            wait_for_hosts_seconds=options.wait_for_hosts_seconds if options.waits_for_hosts else None,
        ),
        all_at_once=options.scheduler == KAI_SCHEDULER and options.waits_for_hosts,
        launcher_env=tuple(var for var in _PRRTE if options.openmpi_major == 5 and var.name not in options.env),
    )
    return build_runtime(options, spec, name=f"{framework}-distributed", framework=framework)

"""Topologies: the pod roles of a training, who waits for whom, and whose success counts.

There are three: node only; node, then launcher; initializers, then node. Each is a pure function from pod templates to
a runtime's spec, and none can give the roles in another order. What is said here of the controllers is true of Kubeflow
Trainer 2.3.0 and JobSet 0.12.0.
"""

from collections.abc import Sequence
from posixpath import basename, dirname

from ..k8s.containers import Container, ResourceRequirements, VolumeMount
from ..k8s.env import EnvVar
from ..k8s.jobs import JobSpec, JobTemplate
from ..k8s.metadata import EmbeddedMetadata
from ..k8s.pods import PodSpec, PodTemplate
from ..k8s.probes import Probe, TCPSocketAction
from ..k8s.security import PodSecurityContext, SecurityContext
from ..validation.model import StrictModel
from .api import TrainingRuntimeSpec
from .editing import evolve
from .jobset import DependsOn, DependsOnStatus, JobSetSpec, JobSetTemplate, Network, ReplicatedJob, SuccessPolicy
from .ml_policy import MLPolicy, MPIPolicy

NODE = "node"
"""The replicated job that trains, and in every pod the container that does. Trainer knows both by this name only."""

LAUNCHER = "launcher"
"""The replicated job that runs mpirun. Trainer knows it by this name only."""

DATASET_INITIALIZER = "dataset-initializer"
MODEL_INITIALIZER = "model-initializer"
INITIALIZERS = (DATASET_INITIALIZER, MODEL_INITIALIZER)
"""The replicated jobs that fetch data and models before the training, and the containers in them."""

KAI_SCHEDULER = "kai-scheduler"
"""The name of KAI's scheduler. It places no pod of a JobSet before each of its jobs has its pods: a job that waits for
others by `dependsOn` keeps all of them from starting (kai-scheduler/KAI-Scheduler issue 1209)."""

KUEUE_QUEUE = "kueue.x-k8s.io/queue-name"
"""The label by which Kueue admits a TrainJob or JobSet: pkg/controller/constants/constants.go@kueue@v0.17.0."""

ANCESTOR_STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
"""The label of a job template that tells Trainer which part of a TrainJob the job is made from."""

HOSTFILE = "/etc/mpi/hostfile"
"""Where Trainer mounts the hostfile in the launcher: one host a line, `<pod>.<trainjob> slots=<processes>`."""

_HOSTFILE_VOLUME = "mpi-hostfile"

_SET_ENV = "SetEnv="

# Only POSIX sh, cut, date, sleep (in POSIX without fractions) and getent: an image with sshd and mpirun has them.
# `hostname -f` would be no test, since /etc/hosts answers it; what mpirun needs from DNS are the hostfile's short
# names, the launcher's own included.
_WAIT_FOR_HOSTS = """\
hosts=$(cut -d ' ' -f 1 {hostfile}) || exit 1
[ -n "$hosts" ] || {{ echo "{hostfile} names no host" >&2; exit 1; }}
start=$(date +%s)
while :; do
  missing=
  for host in $hosts; do
    waited=$(($(date +%s) - start))
    [ "$waited" -lt {seconds} ] && {check} || missing="$missing $host"
  done
  [ -n "$missing" ] || break
  if [ "$waited" -ge {seconds} ]; then
    echo "gave up after $waited s, no {wanted} for:$missing" >&2
    exit 1
  fi
  [ "$missing" = "$hosts" ] || echo "waiting, no {wanted} yet for:$missing"
  hosts=$missing
  sleep 0.2 2>/dev/null || sleep 1
done
echo "every host of {hostfile} {outcome}, waited $waited s"
"""

_HAS_ADDRESS = 'getent ahosts "$host" >/dev/null'
# The launcher runs no sshd. What ssh-keyscan prints is the key of one that answers; OpenSSH's client brings it along.
_ANSWERS = (
    '{{ [ "${{host%%.*}}" = "$(cut -d . -f 1 /proc/sys/kernel/hostname)" ] || '
    '[ -n "$(ssh-keyscan -T 2 -p {port} "$host" 2>/dev/null)" ]; }}'
)

# sshd heeds the first SetEnv alone. Values go by a file of mktemp, which its user alone can read. In arguments, where
# Kubernetes would expand them, process lists would show them.
_SSHD_WITH_ENV = """\
config=$(mktemp) || exit 1
{{
  printf SetEnv
  for name in "$@"; do
    eval "value=\\${{$name-}}"
    case $value in
      *[\\"\\\\]* | *"
"*)
        echo "sshd cannot pass on $name: its value has a quote, a backslash or a line break" >&2
        exit 1
        ;;
    esac
    printf ' %s="%s"' "$name" "$value"
  done
  echo
  cat {config}
}} > "$config" || exit 1
exec /usr/sbin/sshd -De -f "$config"
"""
_SCRIPT_NAME = "sshd"
"""What the script is called, `$0`: by it the command is known again."""


class SshUser(StrictModel):
    """As whom, and where, mpirun on the launcher reaches sshd on the nodes: a user that the image must have."""

    uid: int = 1000
    """User id of sshd, mpirun and the training. Default: mpiuser of Trainer's MPI images."""

    gid: int = 1000
    """Group id for the mounted key: it is root's, mode 0640, so that `uid` can read it only by its group."""

    home: str = "/home/mpiuser"
    """Home directory. Keys are mounted at `.ssh` in it, sshd reads `.sshd_config` in it."""

    port: int = 2222
    """TCP port that `.sshd_config` makes sshd listen on."""

    @property
    def ssh_dir(self) -> str:
        """Directory where Trainer mounts the SSH keys."""
        return f"{self.home}/.ssh"


class MPIStartup(StrictModel):
    """How soon an MPI training starts, and what its launcher waits for."""

    probe_delay_seconds: int | None = 1
    """Seconds before sshd is asked for the first time whether it is there. None: at once, Kubernetes' default."""

    probe_period_seconds: int | None = 1
    """Seconds from one asking to the next: most of the start-up time. None: 10, Kubernetes' default."""

    wait_for_hosts_seconds: int | None = 300
    """Seconds that the launcher waits for an address of every host of the hostfile before it fails. None: no wait."""


DEFAULT_SSH_USER = SshUser()
"""The user of Trainer's own MPI images."""

DEFAULT_STARTUP = MPIStartup()
"""sshd is asked every second, and the launcher waits for the hosts' addresses."""


def node_only(policy: MLPolicy, pod: PodTemplate) -> TrainingRuntimeSpec:
    """Equal nodes that find each other by themselves: torchrun, JAX, XGBoost.

    `policy` says how many and by which framework, `pod` is what each node is, with a container `node`.
    """
    return _spec(policy, JobSetSpec(replicated_jobs=(_job(NODE, pod, step="trainer"),)))


def initializers_then_node(
    policy: MLPolicy, pod: PodTemplate, *, dataset: PodTemplate | None = None, model: PodTemplate | None = None
) -> TrainingRuntimeSpec:
    """Nodes that are created when the data and the model are there: each given initializer is Complete.

    `dataset` and `model` are the initializers' pods, each with a container of the job's own name, `dataset-initializer`
    or `model-initializer`.
    """
    given = [(DATASET_INITIALIZER, dataset), (MODEL_INITIALIZER, model)]
    initializers = [_job(name, initializer, step=name) for name, initializer in given if initializer]
    complete = tuple(_after(job.name, "Complete") for job in initializers)
    node = _job(NODE, pod, step="trainer", depends_on=complete)
    return _spec(policy, JobSetSpec(replicated_jobs=(*initializers, node)))


def node_then_launcher(
    pod: PodTemplate,
    *,
    workers: int | None = None,
    processes_per_node: int = 1,
    ssh: SshUser = DEFAULT_SSH_USER,
    start: MPIStartup = DEFAULT_STARTUP,
    all_at_once: bool = False,
    launcher_env: Sequence[EnvVar] = (),
) -> TrainingRuntimeSpec:
    """MPI: nodes that run sshd, and a launcher that is created when all of them answer.

    The launcher's mpirun reaches the nodes by ssh; the launcher is a node itself. `pod` is what both roles share, with
    a container `node`; the sshd command, probe, users and groups are added here.

    - `node` comes first, runs sshd and is Ready when sshd answers; `launcher` depends on that.
    - Success is the launcher's: sshd never ends by itself.
    - Addresses are published before pods are ready, or the launcher's own could not be found while it starts.
    - Trainer's command, image and node count go to the job with the trainer label: the launcher, and it alone.
    - `mlPolicy.numNodes` stays 1, or there would be as many launchers. `workers` (default: 1) is the parallelism of the
      job `node`: the pods beside the launcher, where the TrainJob doesn't give `numNodes`.
    - An environment variable of `pod` reaches the processes that mpirun starts on other nodes through sshd's SetEnv: an
      ssh session inherits nothing from its pod. `mpirun -x NAME` still overrides it. The values go by a file of mode
      0600, not by arguments.

    `processes_per_node` are the hostfile's slots. `launcher_env` is for the launcher alone. `all_at_once` (default
    False) is for a scheduler that places all pods of a JobSet or none, KAI's: then the launcher does not depend on
    `node`. It is created with the nodes, and its init container waits until their sshd answers.
    """
    mpi = MPIPolicy(
        num_proc_per_node=processes_per_node,
        mpi_implementation="OpenMPI",
        ssh_auth_mount_path=ssh.ssh_dir,
        run_launcher_as_node=True,
    )
    node = _as_user(ssh, pod, **_sshd(ssh, start, pod))
    launcher = _as_user(ssh, pod, env=lambda env: (*(env or ()), *launcher_env) or env)
    if start.wait_for_hosts_seconds is not None:
        wait = _wait_for_hosts(ssh, pod, start.wait_for_hosts_seconds, all_at_once)
        launcher = evolve(launcher, spec=lambda spec: evolve(spec, init_containers=[wait]))
    jobset = JobSetSpec(
        network=Network(publish_not_ready_addresses=True),
        success_policy=SuccessPolicy(operator="All", target_replicated_jobs=(LAUNCHER,)),
        replicated_jobs=(
            _job(NODE, node, parallelism=workers),
            _job(LAUNCHER, launcher, step="trainer", depends_on=() if all_at_once else (_after(NODE, "Ready"),)),
        ),
    )
    return _spec(MLPolicy(num_nodes=1, mpi=mpi), jobset)


def forward_env_over_ssh(container: Container, names: Sequence[str]) -> Container:
    """A copy of a container whose sshd hands these variables of its environment to the sessions too.

    Where the command is sshd itself the values are in its arguments: for variables that are not secret. A container
    that runs something else is returned as it is.
    """
    command = container.command or ("",)
    if not names:
        return container
    if command[0] == "sh" and command[-1] == _SCRIPT_NAME:
        return evolve(container, args=(*(container.args or ()), *names))
    if basename(command[0]) != "sshd":
        return container
    return evolve(container, args=_with_session(container.args or (), names))


def _with_session(args: tuple[str, ...], names: Sequence[str]) -> tuple[str, ...]:
    """The arguments of sshd with SetEnv for more variables. sshd heeds the first SetEnv alone, so there is only one."""
    session = " ".join(f'{name}="$({name})"' for name in names)
    present = next((index for index, arg in enumerate(args) if arg.startswith(_SET_ENV)), None)
    if present is None:
        return (*args, "-o", f"{_SET_ENV}{session}")
    return (*args[:present], f"{args[present]} {session}", *args[present + 1 :])


def _sshd(ssh: SshUser, start: MPIStartup, pod: PodTemplate) -> dict[str, object]:
    """What makes a container an sshd that is Ready when it answers."""
    names = tuple(env.name for env in _trainer(pod).env or ())
    config = f"{ssh.home}/.sshd_config"
    plain: dict[str, object] = {"command": ("/usr/sbin/sshd",), "args": ("-De", "-f", config)}
    with_env = {"command": ("sh", "-c", _SSHD_WITH_ENV.format(config=config), _SCRIPT_NAME), "args": names}
    return {
        **(with_env if names else plain),
        "readiness_probe": Probe(
            tcp_socket=TCPSocketAction(port=ssh.port),
            initial_delay_seconds=start.probe_delay_seconds,
            period_seconds=start.probe_period_seconds,
        ),
    }


def _wait_for_hosts(ssh: SshUser, pod: PodTemplate, seconds: int, for_sshd: bool) -> Container:
    """The init container that holds mpirun back until every host of the hostfile, the launcher too, has an address.
    With `for_sshd`, until every other host's sshd answers.

    It runs in the training's image, as its user. Trainer adds the volume `mpi-hostfile` to the launcher's pod, and
    mounts it in the container `node` only.
    """
    check = f"{_HAS_ADDRESS} && {_ANSWERS.format(port=ssh.port)}" if for_sshd else _HAS_ADDRESS
    script = _WAIT_FOR_HOSTS.format(
        hostfile=HOSTFILE,
        seconds=seconds,
        check=check,
        wanted="answer" if for_sshd else "address",
        outcome="answers" if for_sshd else "has an address",
    )
    modest = {"cpu": "100m", "memory": "64Mi"}
    return Container(
        name="wait-for-hosts",
        image=_trainer(pod).image,
        command=("sh", "-c", script),
        security_context=SecurityContext(run_as_user=ssh.uid),
        resources=ResourceRequirements(requests=modest, limits=modest),
        volume_mounts=(VolumeMount(name=_HOSTFILE_VOLUME, mount_path=dirname(HOSTFILE), read_only=True),),
    )


def _trainer(pod: PodTemplate) -> Container:
    """The container that trains."""
    containers = pod.spec.containers if pod.spec else ()
    return next(container for container in containers if container.name == NODE)


def _as_user(ssh: SshUser, pod: PodTemplate, **fields: object) -> PodTemplate:
    """The pod as the ssh user runs it, whose group can read the keys, with other `fields` in the container `node`."""

    def revise(spec: PodSpec) -> PodSpec:
        user = {"security_context": lambda context: evolve(context or SecurityContext(), run_as_user=ssh.uid)}
        return evolve(
            spec,
            security_context=evolve(spec.security_context or PodSecurityContext(), fs_group=ssh.gid),
            containers=tuple(evolve(c, **user, **fields) if c.name == NODE else c for c in spec.containers),
        )

    return evolve(pod, spec=revise)


def _after(job: str, status: DependsOnStatus) -> DependsOn:
    return DependsOn(name=job, status=status)


def _job(
    name: str,
    pod: PodTemplate,
    *,
    step: str | None = None,
    parallelism: int | None = None,
    depends_on: tuple[DependsOn, ...] = (),
) -> ReplicatedJob:
    return ReplicatedJob(
        name=name,
        depends_on=depends_on or None,
        template=JobTemplate(
            metadata=EmbeddedMetadata(labels={ANCESTOR_STEP: step}) if step else None,
            spec=JobSpec(parallelism=parallelism, template=pod),
        ),
    )


def _spec(policy: MLPolicy, jobset: JobSetSpec) -> TrainingRuntimeSpec:
    return TrainingRuntimeSpec(ml_policy=policy, template=JobSetTemplate(spec=jobset))

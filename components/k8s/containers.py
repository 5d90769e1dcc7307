"""Containers: commands, environment, resources, mounts and probes.

Shapes from the CRD of Trainer v2.3.0, meanings and defaults from Kubernetes' core/v1.
"""

from typing import Annotated

from .base import ApiModel, FrozenList, Int32, Quantities, unique
from .env import EnvFromSource, EnvVar
from .probes import Lifecycle, Probe
from .security import SecurityContext


class ContainerPort(ApiModel):
    """A network port of a container. Listing a port is informational: an unlisted port is reachable as well."""

    container_port: Int32
    """Port number on the pod's IP address, 1 to 65535."""

    name: str | None = None
    """Name that services and probes can use for the port. Unique in the pod, at most 15 characters."""

    protocol: str | None = None
    """TCP, UDP or SCTP. Default TCP."""

    host_port: Int32 | None = None
    """Port number on the node that is forwarded to the container, 1 to 65535. With hostNetwork it must equal
    containerPort. Default: none."""

    host_ip: str | None = None
    """IP address of the node that hostPort is bound to. Default: all addresses."""


class ResourceClaim(ApiModel):
    """A reference to one of the pod's resource claims, which makes its devices available to the container."""

    name: str
    """Name of an entry of the pod's resourceClaims."""

    request: str | None = None
    """Name of one request of that claim. Default: everything in the claim."""


class ResourceRequirements(ApiModel):
    """Compute resources that a container or pod requests and may use."""

    limits: Quantities | None = None
    """Maximum amount of each resource: `{"nvidia.com/gpu": 8}`. Default: no limit."""

    requests: Quantities | None = None
    """Amount of each resource that the scheduler reserves. Default: the limits, where set."""

    claims: Annotated[FrozenList[ResourceClaim], unique("name")] | None = None
    """Devices from the pod's resourceClaims (dynamic resource allocation). Names must be unique."""


class VolumeMount(ApiModel):
    """Mounts a volume of the pod into the container's file system."""

    name: str
    """Name of the volume. Trainer adds `mpi-ssh-auth` and `mpi-hostfile` to MPI's pods."""

    mount_path: str
    """Path in the container at which the volume is mounted. Unique in the container; must not contain ':'."""

    sub_path: str | None = None
    """Path in the volume to mount instead of its root. Default: the root."""

    sub_path_expr: str | None = None
    """Like subPath, but `$(NAME)` is replaced by the container's environment variable NAME. Mutually exclusive with
    subPath."""

    read_only: bool | None = None
    """Mount read-only. Default false."""

    recursive_read_only: str | None = None
    """Disabled, IfPossible or Enabled: whether mounts below a read-only mount are read-only too. Default Disabled."""

    mount_propagation: str | None = None
    """None, HostToContainer or Bidirectional: whether later mounts propagate between node and container. Bidirectional
    needs a privileged container. Default None."""


class VolumeDevice(ApiModel):
    """Makes a raw block volume available as a device in the container."""

    name: str
    """Name of the pod's volume: a persistentVolumeClaim with volumeMode Block."""

    device_path: str
    """Path of the device in the container. Unique in the container."""


class ContainerResizePolicy(ApiModel):
    """Whether changing a resource in place restarts the container."""

    resource_name: str
    """cpu or memory."""

    restart_policy: str
    """NotRequired or RestartContainer."""


class ContainerRestartRuleOnExitCodes(ApiModel):
    """The exit codes that a restart rule matches."""

    operator: str
    """In (one of the values) or NotIn (none of them)."""

    values: Annotated[FrozenList[Int32], unique()] | None = None
    """Exit codes, at most 255 of them. Duplicates are rejected."""


class ContainerRestartRule(ApiModel):
    """The action taken when a container exits, if the rule matches."""

    action: str
    """Restart (this container) or RestartAllContainers (the whole pod)."""

    exit_codes: ContainerRestartRuleOnExitCodes | None = None
    """The exit codes for which the action is taken."""


# Built on import, so that the validators of its parents reuse this one instead of building their own.
class Container(ApiModel, defer_build=False):
    """A container of a pod."""

    name: str
    """Name of the container, unique in the pod. Trainer gives `node`, `dataset-initializer` and `model-initializer` a
    meaning."""

    image: str | None = None
    """Image reference. May be absent only if every TrainJob sets an image."""

    image_pull_policy: str | None = None
    """Always, IfNotPresent or Never. Default: Always for the tag `latest` or no tag, otherwise IfNotPresent."""

    command: FrozenList[str] | None = None
    """Command to run instead of the image's ENTRYPOINT. It is not run in a shell. `$(NAME)` is replaced by the
    container's environment variable NAME."""

    args: FrozenList[str] | None = None
    """Arguments to the command, instead of the image's CMD. `$(NAME)` is replaced as in `command`."""

    working_dir: str | None = None
    """Working directory. Default: the image's."""

    env: Annotated[FrozenList[EnvVar], unique("name")] | None = None
    """Environment variables. They override variables of the same name from envFrom."""

    env_from: FrozenList[EnvFromSource] | None = None
    """ConfigMaps and Secrets whose keys become environment variables. If several define a name, the last one
    applies."""

    ports: (
        Annotated[FrozenList[ContainerPort], unique("container_port", "protocol", absent={"protocol": "TCP"})] | None
    ) = None
    """Ports of the container. Number and protocol together must be unique."""

    resources: ResourceRequirements | None = None
    """CPU, memory, GPUs and other resources that the container needs."""

    resize_policy: FrozenList[ContainerResizePolicy] | None = None
    """What happens to the container when its CPU or memory is changed in place."""

    volume_mounts: Annotated[FrozenList[VolumeMount], unique("mount_path")] | None = None
    """Volumes to mount in the container's file system. Paths must be unique."""

    volume_devices: Annotated[FrozenList[VolumeDevice], unique("device_path")] | None = None
    """Block volumes to add as devices. Paths must be unique."""

    readiness_probe: Probe | None = None
    """Check for whether the container is ready. Required for a job on which another depends with status Ready. Default:
    ready as soon as it runs."""

    liveness_probe: Probe | None = None
    """Check for whether the container still works. It is restarted when the check fails. Default: no check."""

    startup_probe: Probe | None = None
    """Check for whether the container has started. The other probes begin only after it succeeds. Default: no check."""

    lifecycle: Lifecycle | None = None
    """Actions after the container starts and before it stops."""

    security_context: SecurityContext | None = None
    """User, privileges and other security settings. They override the pod's."""

    restart_policy: str | None = None
    """For init containers, `Always` makes a sidecar, which keeps running beside the other containers. Default: the
    pod's restartPolicy."""

    restart_policy_rules: FrozenList[ContainerRestartRule] | None = None
    """Rules that are checked in order when the container exits. The first match overrides restartPolicy."""

    termination_message_path: str | None = None
    """File in the container whose content becomes its termination message, at most 4096 bytes. Default
    `/dev/termination-log`."""

    termination_message_policy: str | None = None
    """File, or FallbackToLogsOnError (the end of the log if the file is empty and the container failed). Default
    File."""

    stdin: bool | None = None
    """Keep standard input open. Default false."""

    stdin_once: bool | None = None
    """Close standard input after the first client detaches. Default false."""

    tty: bool | None = None
    """Allocate a terminal. Requires stdin. Default false."""


class EphemeralContainer(Container):
    """A container added to a running pod for debugging. Not allowed in templates."""

    target_container_name: str | None = None
    """Name of the container whose process namespace it joins. Default: the pod's."""

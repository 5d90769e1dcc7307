"""Containers: what runs, with which environment, resources, mounts and probes.

Shapes from the CRD of Trainer v2.3.0, meanings and defaults from Kubernetes' core/v1.
"""

from typing import Annotated

from .base import ApiModel, FrozenList, Int32, Quantities, unique
from .env import EnvFromSource, EnvVar
from .probes import Lifecycle, Probe
from .security import SecurityContext


class ContainerPort(ApiModel):
    """A port that the container listens on."""

    container_port: Int32
    """Its number."""

    name: str | None = None
    """Its name, unique in the pod, at most 15 characters."""

    protocol: str | None = None
    """TCP, UDP or SCTP. Default TCP."""

    host_port: Int32 | None = None
    """A port of the node that leads to it. Default: none."""

    host_ip: str | None = None
    """The address of the node that it is bound to. Default: all."""


class ResourceClaim(ApiModel):
    """A resource claim of the pod that a container uses."""

    name: str
    """Name of one of the pod's resourceClaims."""

    request: str | None = None
    """Name of one request in it. Default: all of it."""


class ResourceRequirements(ApiModel):
    """What a container, or pod, gets."""

    limits: Quantities | None = None
    """At most: `{"nvidia.com/gpu": 8}`."""

    requests: Quantities | None = None
    """What the scheduler sets aside. Default: the limits."""

    claims: Annotated[FrozenList[ResourceClaim], unique("name")] | None = None
    """Devices by dynamic resource allocation."""


class VolumeMount(ApiModel):
    """A volume of the pod in the container's file system."""

    name: str
    """Name of the volume. Trainer adds `mpi-ssh-auth` and `mpi-hostfile` to MPI's pods."""

    mount_path: str
    """Where, without a colon; unique in the container."""

    sub_path: str | None = None
    """Path in the volume. Default: its root."""

    sub_path_expr: str | None = None
    """As subPath, with `$(NAME)` for environment variables; one of the two."""

    read_only: bool | None = None
    """Default false."""

    recursive_read_only: str | None = None
    """Disabled, IfPossible or Enabled: whether mounts below are read-only too. Default Disabled."""

    mount_propagation: str | None = None
    """None, HostToContainer or Bidirectional. Default None."""


class VolumeDevice(ApiModel):
    """A block volume as a device."""

    name: str
    """Name of a volume that is a claim in mode Block."""

    device_path: str
    """Where; unique in the container."""


class ContainerResizePolicy(ApiModel):
    """Whether a resource changes without a restart."""

    resource_name: str
    """cpu or memory."""

    restart_policy: str
    """NotRequired or RestartContainer."""


class ContainerRestartRuleOnExitCodes(ApiModel):
    """Exit codes that a restart rule is about."""

    operator: str
    """In or NotIn."""

    values: Annotated[FrozenList[Int32], unique()] | None = None
    """The codes, each once."""


class ContainerRestartRule(ApiModel):
    """What is done when the container ends in some way."""

    action: str
    """Restart or RestartAllContainers."""

    exit_codes: ContainerRestartRuleOnExitCodes | None = None
    """By which exit codes."""


# Built at once: validators of what has one are built from it, not around another.
class Container(ApiModel, defer_build=False):
    """A container of a pod."""

    name: str
    """Unique in the pod. Trainer knows `node`, `dataset-initializer`, `model-initializer`."""

    image: str | None = None
    """Reference of the image. Absent only where each TrainJob gives one."""

    image_pull_policy: str | None = None
    """Always, IfNotPresent or Never. Default IfNotPresent; Always for the tag `latest` or none."""

    command: FrozenList[str] | None = None
    """What runs, instead of the image's entrypoint; no shell."""

    args: FrozenList[str] | None = None
    """Its arguments, instead of the image's."""

    working_dir: str | None = None
    """Where it runs. Default: the image's."""

    env: Annotated[FrozenList[EnvVar], unique("name")] | None = None
    """Environment variables; they win over envFrom."""

    env_from: FrozenList[EnvFromSource] | None = None
    """Environment variables from ConfigMaps and Secrets; the last of a name wins."""

    ports: (
        Annotated[FrozenList[ContainerPort], unique("container_port", "protocol", absent={"protocol": "TCP"})] | None
    ) = None
    """Ports that it listens on; each once by number and protocol."""

    resources: ResourceRequirements | None = None
    """CPU, memory, GPUs, ..."""

    resize_policy: FrozenList[ContainerResizePolicy] | None = None
    """How its resources change while it runs."""

    volume_mounts: Annotated[FrozenList[VolumeMount], unique("mount_path")] | None = None
    """Volumes in its file system; each path once."""

    volume_devices: Annotated[FrozenList[VolumeDevice], unique("device_path")] | None = None
    """Block volumes; each path once."""

    readiness_probe: Probe | None = None
    """Whether the container is ready. A job that others wait for with Ready needs one. Default: ready once it runs."""

    liveness_probe: Probe | None = None
    """Whether it still works; a failure restarts it."""

    startup_probe: Probe | None = None
    """Whether it has started; the other probes wait for it."""

    lifecycle: Lifecycle | None = None
    """What runs at its start and at its end."""

    security_context: SecurityContext | None = None
    """As whom it runs; wins over the pod's."""

    restart_policy: str | None = None
    """Always makes an init container a sidecar, which runs beside the others. Default: the pod's."""

    restart_policy_rules: FrozenList[ContainerRestartRule] | None = None
    """When it is restarted, whatever restartPolicy says."""

    termination_message_path: str | None = None
    """File whose content becomes its last message. Default `/dev/termination-log`."""

    termination_message_policy: str | None = None
    """File, or FallbackToLogsOnError. Default File."""

    stdin: bool | None = None
    """Whether it has an open standard input. Default false."""

    stdin_once: bool | None = None
    """Whether standard input closes after the first use. Default false."""

    tty: bool | None = None
    """Whether it has a terminal; needs stdin. Default false."""


class EphemeralContainer(Container):
    """A container that somebody adds to a running pod for debugging. Not for templates."""

    target_container_name: str | None = None
    """The container whose processes it sees."""

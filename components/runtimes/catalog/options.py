"""The options of the catalog's runtimes. Every field is an argument of the catalog's functions."""

from collections.abc import Mapping
from posixpath import dirname
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, Tag, ValidationError

from ...k8s.base import Quantity
from ...k8s.env import EnvVarSource
from ...k8s.images import Registry
from ...k8s.invalid import InvalidRuntimeError
from ...k8s.volumes import Volume
from ...validation.model import FrozenList, StrictModel
from ...validation.one_of import OneOf
from ..jobset import FailurePolicy
from ..ml_policy import PodGroupPolicy
from ..placement import Placement
from ..topology import DEFAULT_SSH_USER, HOSTFILE, SshUser
from .option_errors import option_violations
from .volume_claim import AccessMode, VolumeClaim

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the path of a mount, nothing is written to it
WORKSPACE = "/workspace"
"""Mount path of the initializers' volume, to which Trainer's initializers write."""


def _is_source(value: object) -> str:
    return "source" if isinstance(value, EnvVarSource | Mapping) else "text"


def _is_claim(value: object) -> str:
    claim = isinstance(value, VolumeClaim) or (isinstance(value, Mapping) and "storage" in value)
    return "claim" if claim else "volume"


# Told apart before they are checked, so that errors are about the one that was meant.
EnvValue = Annotated[
    Annotated[str, Tag("text")] | Annotated[EnvVarSource, Tag("source")], OneOf("valueFrom", _is_source)
]
VolumeSource = Annotated[
    Annotated[Volume, Tag("volume")] | Annotated[VolumeClaim, Tag("claim")], OneOf("storage", _is_claim)
]


class RuntimeOptions(StrictModel):
    """Options of every runtime in the catalog."""

    # Its validator is built at first use: who wants DeepSpeed need not wait for torchtune's.
    model_config = ConfigDict(defer_build=True)

    HAS_DEPENDENT_JOBS: ClassVar[bool] = False
    """Whether some jobs are created only when others are ready or complete."""

    DEFAULT_NODES: ClassVar[int] = 1
    DEFAULT_GPUS: ClassVar[int | None] = None

    name: str | None = None
    """Name of the runtime, by which TrainJobs refer to it. Default: upstream's, such as `torch-distributed`."""

    image: str | None = None
    """Image of the training container. Default: upstream's, pinned to the Trainer release."""

    registry: Registry | None = None
    """Registry that mirrors the catalog's own images, with an optional path. Default: upstream's registries."""

    like_upstream: bool = False
    """Start from upstream's manifest, without this project's improvements. Other options still apply. Default:
    false."""

    nodes: int | None = Field(default=None, ge=1)
    """Number of nodes for TrainJobs that do not set one (`trainer.numNodes`). Default: 1; MPI: 2, its minimum."""

    gpus_per_node: int | None = Field(default=None, ge=1)
    """GPUs of each node's pod. Default: all GPUs of a node of `placement`, otherwise none; torchtune: 2, as
    upstream."""

    gpu_resource: str | None = None
    """Resource name of the GPUs: `nvidia.com/gpu`, `amd.com/gpu`, `nvidia.com/mig-1g.5gb`. Default: that of
    `placement`, otherwise `nvidia.com/gpu`."""

    cpus_per_node: Quantity | None = None
    """CPU cores of each node's pod, as request and limit: `8`, `"500m"`. Default: no limit. Required with GPUs that the
    SDK (kubeflow 0.5.0) does not support, such as AMD's, and with `memory_per_node` without GPUs: if the SDK finds no
    device, it cannot list any runtimes."""

    memory_per_node: Quantity | None = None
    """Memory of each node's pod in bytes, as request and limit: `"64Gi"`. Default: no limit."""

    env: Mapping[str, EnvValue] = Field(default_factory=dict)
    """Environment of the training container: values, or their sources. Default: only Trainer's. With MPI it applies to
    both roles, and to every process that mpirun starts; sshd reads it from a file, not from arguments."""

    shared_memory: Quantity | None = None
    """Size of /dev/shm in bytes: `"16Gi"`. It counts towards the pod's memory limit. Default: the container runtime's,
    usually 64Mi, which is too small for PyTorch's data loaders and NCCL."""

    volumes: Mapping[str, VolumeSource] = Field(default_factory=dict)
    """Volumes of the training container by mount path: a volume, or a claim that is created for each TrainJob. Default:
    none."""

    placement: Placement | None = None
    """Nodes on which the pods with GPUs are scheduled, as a GPU pool provides it. Default: any nodes with GPUs."""

    service_account: str | None = None
    """Service account of the training pods, in the TrainJob's namespace. Default: `default`."""

    pull_secrets: FrozenList[str] = ()
    """Names of Secrets for pulling images, in the TrainJob's namespace. They apply to all pods. Default: none."""

    priority_class: str | None = None
    """PriorityClass of all pods. Default: the cluster's default class."""

    scheduler: str | None = None
    """Scheduler of all pods. Default: `volcano` if `pod_group` is Volcano's, otherwise the cluster's default. With
    `kai-scheduler` an MPI launcher is created with the nodes and waits for their sshd itself, because KAI places no pod
    of a JobSet before all of its jobs have pods."""

    pod_group: PodGroupPolicy | None = None
    """Gang scheduling (all pods or none) by the scheduler plugins' coscheduling or by Volcano. Default: none."""

    kueue_queue: str | None = None
    """LocalQueue for Kueue's JobSet integration. Default: none. With Kueue's TrainJob integration, which is preferable,
    label the TrainJob with its queue instead."""

    failure_policy: FailurePolicy | None = None
    """How failed jobs are handled, including restarts. Default: the first failed job fails the training."""

    ttl_seconds_after_finished: int | None = Field(default=None, ge=0)
    """Seconds after which the JobSet and pods of a finished training are deleted. Default: they are
    kept. Trainer up to 2.3.0 then restarts a training that failed (RUN-21)."""

    istio_sidecar: bool = True
    """Allow Istio to inject its sidecar in namespaces that enable it. False labels all pods to prevent it. Default:
    true."""

    @classmethod
    def _invalid(cls, error: ValidationError, data: Mapping[str, Any]) -> InvalidRuntimeError:
        return InvalidRuntimeError(tuple(option_violations(error, cls, data)), cls.__name__)

    @property
    def gpus(self) -> int | None:
        """GPUs of each node's pod. None: no GPUs."""
        pooled = self.placement.gpus_per_node if self.placement else None
        return self.gpus_per_node or pooled or self.DEFAULT_GPUS

    @property
    def gpu_resource_name(self) -> str:
        """Resource name of the GPUs."""
        return self.gpu_resource or (self.placement.gpu_resource if self.placement else "nvidia.com/gpu")

    @property
    def node_count(self) -> int:
        """Number of nodes for TrainJobs that do not set one."""
        return self.nodes or self.DEFAULT_NODES

    @property
    def claims(self) -> Mapping[str, VolumeClaim]:
        """The claims that are created for each TrainJob, by argument."""
        return {f"volumes[{path}]": volume for path, volume in self.volumes.items() if isinstance(volume, VolumeClaim)}

    @property
    def reserved_mount_paths(self) -> Mapping[str, str]:
        """Paths that are taken already in the container that trains, with what is there."""
        return {SHARED_MEMORY: "shared_memory is mounted"} if self.shared_memory is not None else {}


class MPIOptions(RuntimeOptions):
    """Further options of DeepSpeed and MLX."""

    HAS_DEPENDENT_JOBS: ClassVar[bool] = True
    DEFAULT_NODES: ClassVar[int] = 2

    processes_per_node: int | None = Field(default=None, ge=1)
    """Processes that mpirun starts on each node. Default: one per GPU, otherwise 1."""

    openmpi_major: Literal[4, 5] = 4
    """Major version of the image's Open MPI. Trainer 2.3.0 configures only Open MPI 4: version 5 ignores these
    settings, runs all processes on the launcher and reports success (kubeflow/trainer issue 4028). Default: 4, as in
    Trainer's images."""

    wait_for_hosts: bool | None = None
    """Whether the launcher waits until every host in the hostfile has an address. Default: true; with `like_upstream`:
    false."""

    wait_for_hosts_seconds: int = Field(default=300, ge=1)
    """Seconds after which this wait fails and lists the hosts without address. Default: 300."""

    readiness_period_seconds: int | None = Field(default=None, ge=1)
    """Seconds between readiness checks of a node's sshd. Default: 1; with `like_upstream`: 10, Kubernetes' default."""

    ssh: SshUser = DEFAULT_SSH_USER
    """User of sshd, mpirun and the training in the image. Default: mpiuser (1000), as in Trainer's images."""

    @property
    def waits_for_hosts(self) -> bool:
        """Whether the launcher waits."""
        return not self.like_upstream if self.wait_for_hosts is None else self.wait_for_hosts

    @property
    def reserved_mount_paths(self) -> Mapping[str, str]:
        """Adds Trainer's mounts: Trainer would silently replace another at these paths."""
        return {
            **super().reserved_mount_paths,
            self.ssh.ssh_dir: "Trainer mounts the SSH keys",
            dirname(HOSTFILE): "Trainer mounts the hostfile",
        }


class FluxOptions(RuntimeOptions):
    """Further options of Flux."""

    processes_per_node: int | None = Field(default=None, ge=1)
    """Processes that `flux run` starts on each node, each with all GPUs of the node. Default: 1."""

    view_image: str | None = None
    """Image from which Trainer copies Flux into each pod. It must have the same operating system as `image`. Default:
    upstream's, for Ubuntu 22.04."""

    @property
    def reserved_mount_paths(self) -> Mapping[str, str]:
        """Adds Trainer's mounts: Trainer would replace another at these paths."""
        return {
            **super().reserved_mount_paths,
            "/mnt/flux": "Trainer mounts Flux",
            "/opt/software": "Trainer mounts Flux's dependencies",
            "/etc/flux-config": "Trainer mounts Flux's configuration",
            "/curve": "Trainer mounts Flux's certificate",
            SHARED_MEMORY: "Trainer mounts shared memory",
        }


class CacheOptions(RuntimeOptions):
    """Further options of torch with a data cache."""

    HAS_DEPENDENT_JOBS: ClassVar[bool] = True

    initializer_service_account: str = "kubeflow-trainer-cache-initializer"
    """Service account that may create the cache, in the TrainJob's namespace. Upstream creates it only in `default`."""


TorchtuneModel = Literal["llama3.2-1b", "llama3.2-3b", "qwen2.5-1.5b"]


class TorchtuneOptions(RuntimeOptions):
    """Further options of torchtune."""

    HAS_DEPENDENT_JOBS: ClassVar[bool] = True
    DEFAULT_GPUS: ClassVar[int | None] = 2

    model: TorchtuneModel = "llama3.2-1b"
    """Model to fine-tune. It is part of the default name, from which Trainer reads it."""

    dataset_uri: str = "hf://tatsu-lab/alpaca"
    """URI of the dataset for TrainJobs that do not set one. Default: upstream's."""

    model_uri: str | None = None
    """URI of the model for TrainJobs that do not set one. Default: the model on Hugging Face."""

    storage: Quantity = "20Gi"
    """Size in bytes of the volume that the initializers fill and the training reads. Default: 20Gi."""

    storage_access_mode: AccessMode = "ReadWriteOnce"
    """Access mode of that volume. Default: ReadWriteOnce, as upstream."""

    storage_class: str | None = None
    """StorageClass of that volume. Default: the cluster's default class."""

    @property
    def reserved_mount_paths(self) -> Mapping[str, str]:
        """The initializers' volume too."""
        return {**super().reserved_mount_paths, WORKSPACE: "the initializers' volume is mounted"}

"""What people set on a runtime of the catalogue. Every field is an argument of the catalogue's functions."""

from collections.abc import Mapping
from posixpath import dirname
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, Tag

from ...k8s.base import Quantity
from ...k8s.env import EnvVarSource
from ...k8s.images import Registry
from ...k8s.volumes import Volume
from ...validation.model import FrozenList, StrictModel
from ...validation.one_of import OneOf
from ..jobset import FailurePolicy
from ..ml_policy import PodGroupPolicy
from ..placement import Placement
from ..topology import DEFAULT_SSH_USER, HOSTFILE, SshUser
from .volume_claim import AccessMode, VolumeClaim

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the path of a mount, nothing is written to it
WORKSPACE = "/workspace"
"""Where the initializers' volume is mounted: Trainer's initializers write there."""


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
    """What every runtime of the catalogue takes."""

    # Its validator is built at first use: who wants DeepSpeed need not wait for torchtune's.
    model_config = ConfigDict(defer_build=True)

    HAS_DEPENDENT_JOBS: ClassVar[bool] = False
    """Whether some jobs are created when others are ready or complete."""

    DEFAULT_NODES: ClassVar[int] = 1
    DEFAULT_GPUS: ClassVar[int | None] = None

    name: str | None = None
    """Name of the runtime, which TrainJobs refer to. Default: upstream's, such as `torch-distributed`."""

    image: str | None = None
    """Image that trains. Default: upstream's, pinned to the Trainer release."""

    registry: Registry | None = None
    """Registry, with a path if need be, that mirrors the catalogue's own images. Default: where upstream has them."""

    like_upstream: bool = False
    """Starts from upstream's manifest as it is, without what is better here. What else is set still applies."""

    nodes: int | None = Field(default=None, ge=1)
    """Nodes of a TrainJob that doesn't say how many (`trainer.numNodes`). Default: 1; MPI: 2, the fewest it has."""

    gpus_per_node: int | None = Field(default=None, ge=1)
    """GPUs of each node's pod. Default: all that `placement` has on a node, else none; torchtune: 2, as upstream."""

    gpu_resource: str | None = None
    """Resource that GPUs are counted in: `nvidia.com/gpu`, `amd.com/gpu`, `nvidia.com/mig-1g.5gb`.

    Default: that of `placement`, else `nvidia.com/gpu`."""

    cpus_per_node: Quantity | None = None
    """CPU cores of each node's pod, request and limit alike: `8`, `"500m"`. Default: unlimited.

    GPUs that the SDK (kubeflow 0.5.0) doesn't know, such as AMD's, need it, and `memory_per_node` without GPUs: where
    the SDK finds no device it knows, it lists no runtimes at all."""

    memory_per_node: Quantity | None = None
    """Memory of each node's pod in bytes, request and limit alike: `"64Gi"`. Default: unlimited."""

    env: Mapping[str, EnvValue] = Field(default_factory=dict)
    """Environment of the container that trains, a value or where it comes from. Default: none but Trainer's own.

    MPI: of both roles, and of every process that mpirun starts."""

    shared_memory: Quantity | None = None
    """Size of /dev/shm in bytes: `"16Gi"`. It is memory of the pod, and counts against its limit.

    Default: the container runtime's, usually 64Mi, which PyTorch's data loaders and NCCL soon fill."""

    volumes: Mapping[str, VolumeSource] = Field(default_factory=dict)
    """What is mounted in the container that trains, by the path where: a volume, or a claim made for each TrainJob."""

    placement: Placement | None = None
    """Nodes that the pods with GPUs go to, as a GPU pool gives it. Default: wherever the GPUs are."""

    service_account: str | None = None
    """Service account of the pods that train, in the TrainJob's namespace. Default: the namespace's `default`."""

    pull_secrets: FrozenList[str] = ()
    """Names of the Secrets, in the TrainJob's namespace, with which images are pulled; for all pods. Default: none."""

    priority_class: str | None = None
    """PriorityClass of all pods. Default: the cluster's default."""

    scheduler: str | None = None
    """Scheduler of all pods. Default: `volcano` where `pod_group` is Volcano's, else the cluster's default."""

    pod_group: PodGroupPolicy | None = None
    """Gang scheduling, all pods or none, by the scheduler plugins' coscheduling or by Volcano. Default: none."""

    kueue_queue: str | None = None
    """LocalQueue that Kueue's JobSet integration reads from the JobSet. Default: none.

    With Kueue's TrainJob integration, which is the one to use, the queue is a label of the TrainJob instead."""

    failure_policy: FailurePolicy | None = None
    """What failed jobs mean for the training, restarts included. Default: the first failed job fails it."""

    ttl_seconds_after_finished: int | None = Field(default=None, ge=0)
    """Seconds after its end until a training's JobSet and pods are deleted. Default: they stay."""

    istio_sidecar: bool = True
    """Whether Istio may inject its sidecar where a namespace asks for it. False labels all pods against it."""

    @property
    def gpus(self) -> int | None:
        """GPUs of each node's pod, None for none."""
        pooled = self.placement.gpus_per_node if self.placement else None
        return self.gpus_per_node or pooled or self.DEFAULT_GPUS

    @property
    def gpu(self) -> str:
        """Name of the GPU resource."""
        return self.gpu_resource or (self.placement.gpu_resource if self.placement else "nvidia.com/gpu")

    @property
    def node_count(self) -> int:
        """Nodes of a TrainJob that doesn't say how many."""
        return self.nodes or self.DEFAULT_NODES

    @property
    def claims(self) -> Mapping[str, VolumeClaim]:
        """The claims that each TrainJob makes, by the argument that asks for them."""
        return {f"volumes[{path}]": volume for path, volume in self.volumes.items() if isinstance(volume, VolumeClaim)}

    @property
    def mounts(self) -> Mapping[str, str]:
        """Paths that are taken already in the container that trains, with what is there."""
        return {SHARED_MEMORY: "shared_memory is"} if self.shared_memory is not None else {}


class MPIOptions(RuntimeOptions):
    """What DeepSpeed and MLX take besides."""

    HAS_DEPENDENT_JOBS: ClassVar[bool] = True
    DEFAULT_NODES: ClassVar[int] = 2

    processes_per_node: int | None = Field(default=None, ge=1)
    """Processes that mpirun starts on each node. Default: one a GPU, else 1."""

    openmpi_major: Literal[4, 5] = 4
    """Major version of the image's Open MPI. Trainer 2.3.0 configures Open MPI 4 only: 5 ignores that, runs all
    processes on the launcher and reports success (kubeflow/trainer issue 4028). Default: 4, as in Trainer's images."""

    wait_for_hosts: bool | None = None
    """Whether the launcher waits for an address of every host in the hostfile. Default: yes; `like_upstream`: no."""

    wait_for_hosts_seconds: int = Field(default=300, ge=1)
    """Seconds that it waits before it fails, naming the hosts without address."""

    readiness_period_seconds: int | None = Field(default=None, ge=1)
    """Seconds from one look at a node's sshd to the next. Default: 1; `like_upstream`: 10, Kubernetes' default."""

    ssh: SshUser = DEFAULT_SSH_USER
    """User of sshd, mpirun and the training in the image. Default: mpiuser (1000) of Trainer's images."""

    @property
    def mounts(self) -> Mapping[str, str]:
        """Trainer's mounts too: it would replace another at these paths without a word."""
        return {
            **super().mounts,
            self.ssh.keys: "Trainer mounts the ssh keys",
            dirname(HOSTFILE): "Trainer mounts the hostfile",
        }


class FluxOptions(RuntimeOptions):
    """What Flux takes besides."""

    processes_per_node: int | None = Field(default=None, ge=1)
    """Processes that `flux run` starts on each node, each with all of the node's GPUs. Default: 1."""

    view_image: str | None = None
    """Image that Trainer copies Flux from into each pod. Its operating system must be that of `image`.

    Default: upstream's, for Ubuntu 22.04."""

    @property
    def mounts(self) -> Mapping[str, str]:
        """Trainer's mounts too: it would replace another at these paths."""
        return {
            **super().mounts,
            "/mnt/flux": "Trainer mounts Flux",
            "/opt/software": "Trainer mounts Flux's dependencies",
            "/etc/flux-config": "Trainer mounts Flux's configuration",
            "/curve": "Trainer mounts Flux's certificate",
            SHARED_MEMORY: "Trainer mounts shared memory",
        }


class CacheOptions(RuntimeOptions):
    """What torch with a data cache takes besides."""

    HAS_DEPENDENT_JOBS: ClassVar[bool] = True

    initializer_service_account: str = "kubeflow-trainer-cache-initializer"
    """Service account, in the TrainJob's namespace, that may create the cache. Upstream makes it in `default` only."""


TorchtuneModel = Literal["llama3.2-1b", "llama3.2-3b", "qwen2.5-1.5b"]


class TorchtuneOptions(RuntimeOptions):
    """What torchtune takes besides."""

    HAS_DEPENDENT_JOBS: ClassVar[bool] = True
    DEFAULT_GPUS: ClassVar[int | None] = 2

    model: TorchtuneModel = "llama3.2-1b"
    """Model that is fine-tuned. The default name carries it: Trainer reads the model from the runtime's name."""

    dataset_uri: str = "hf://tatsu-lab/alpaca"
    """Where the dataset comes from, unless the TrainJob says. Default: upstream's."""

    model_uri: str | None = None
    """Where the model comes from, unless the TrainJob says. Default: the model's own place on Hugging Face."""

    storage: Quantity = "20Gi"
    """Size in bytes of the volume that the initializers fill and the training reads."""

    storage_access_mode: AccessMode = "ReadWriteOnce"
    """How many nodes can mount that volume at once. Default: one, as upstream."""

    storage_class: str | None = None
    """Storage class of that volume. Default: the cluster's default class."""

    @property
    def mounts(self) -> Mapping[str, str]:
        """The initializers' volume too."""
        return {**super().mounts, WORKSPACE: "the initializers' volume is"}

"""Pods of the catalogue's runtimes, from the options that people set."""

from collections.abc import Mapping

from ...k8s.containers import Container, ResourceRequirements, VolumeMount
from ...k8s.env import EnvVar, EnvVarSource
from ...k8s.metadata import EmbeddedMetadata
from ...k8s.pods import PodSpec, PodTemplate
from ...k8s.volumes import EmptyDirVolumeSource, LocalObjectReference, Volume
from ..topology import NODE
from .images import through_mirror, trainer_image
from .options import SHARED_MEMORY, WORKSPACE, RuntimeOptions

# Trainer 2.3.0 refuses a TrainJob with a dataset or a model unless that initializer mounts a volume of this name.
INITIALIZER_VOLUME = "initializer"
INITIALIZER_MOUNT = VolumeMount(name=INITIALIZER_VOLUME, mount_path=WORKSPACE)

_SHARED_MEMORY_VOLUME = "shared-memory"


def training_pod(
    options: RuntimeOptions,
    image: str,
    *,
    command: tuple[str, ...] | None = None,
    env: tuple[EnvVar, ...] = (),
    mounts: tuple[VolumeMount, ...] = (),
) -> PodTemplate:
    """A node's pod: the container `node` with everything that the options give it, besides what a framework needs."""
    volumes = {volume.name: volume for volume in options.volumes.values() if isinstance(volume, Volume)}
    mounts += tuple(VolumeMount(name=volume.name, mount_path=path) for path, volume in options.volumes.items())
    if options.shared_memory is not None:
        memory = EmptyDirVolumeSource(medium="Memory", size_limit=options.shared_memory)
        volumes[_SHARED_MEMORY_VOLUME] = Volume(name=_SHARED_MEMORY_VOLUME, empty_dir=memory)
        mounts += (VolumeMount(name=_SHARED_MEMORY_VOLUME, mount_path=SHARED_MEMORY),)
    own = (_env_var(name, value) for name, value in options.env.items())
    container = Container(
        name=NODE,
        image=options.image or through_mirror(image, options.registry),
        command=command,
        env=(*(var for var in env if var.name not in options.env), *own) or None,
        resources=_resources(options),
        volume_mounts=mounts or None,
    )
    return _pod(options, container, tuple(volumes.values()), options.service_account)


def initializer_pod(
    options: RuntimeOptions,
    name: str,
    *,
    env: tuple[EnvVar, ...],
    volumes: tuple[Volume, ...] = (),
    mounts: tuple[VolumeMount, ...] = (),
    service_account: str | None = None,
) -> PodTemplate:
    """An initializer's pod: Trainer's image of that name, in a container of that name."""
    image = through_mirror(trainer_image(name), options.registry)
    container = Container(name=name, image=image, env=env, volume_mounts=mounts or None)
    return _pod(options, container, volumes, service_account)


def _pod(
    options: RuntimeOptions, container: Container, volumes: tuple[Volume, ...], service_account: str | None
) -> PodTemplate:
    gang = options.pod_group and options.pod_group.volcano
    spec = PodSpec(
        containers=(container,),
        volumes=volumes or None,
        service_account_name=service_account,
        image_pull_secrets=tuple(LocalObjectReference(name=name) for name in options.pull_secrets) or None,
        priority_class_name=options.priority_class,
        scheduler_name=options.scheduler or ("volcano" if gang else None),
    )
    meshless = EmbeddedMetadata(labels={"sidecar.istio.io/inject": "false"})
    return PodTemplate(metadata=None if options.istio_sidecar else meshless, spec=spec)


def _env_var(name: str, value: str | EnvVarSource) -> EnvVar:
    return EnvVar(name=name, value=value) if isinstance(value, str) else EnvVar(name=name, value_from=value)


def _resources(options: RuntimeOptions) -> ResourceRequirements | None:
    amounts: Mapping[str, int | str | None] = {
        "cpu": options.cpus_per_node,
        "memory": options.memory_per_node,
        options.gpu_resource_name: options.gpus,
    }
    # Strings: the SDK (kubeflow 0.5.0) reads upstream's number 2 as "2.0", and doesn't multiply that by the nodes.
    text = (lambda amount: amount) if options.like_upstream else str
    limits = {name: text(amount) for name, amount in amounts.items() if amount is not None}
    return ResourceRequirements(limits=limits) if limits else None

"""PyTorch that reads its dataset from a distributed cache."""

from ...k8s.env import EnvVar, EnvVarSource, ObjectFieldSelector
from ...k8s.volumes import EmptyDirVolumeSource, Volume
from ..editing import evolve
from ..jobset import JobSetSpec
from ..ml_policy import MLPolicy, TorchPolicy
from ..runtime import ClusterTrainingRuntime
from ..topology import DATASET_INITIALIZER, initializers_then_node
from .common_spec import build_runtime
from .images import PYTORCH, through_mirror, trainer_image
from .options import CacheOptions
from .pod_templates import INITIALIZER_MOUNT, INITIALIZER_VOLUME, initializer_pod, training_pod
from .runtime_factory import runtime_factory

_TRAIN_JOB_NAME = EnvVar(
    name="TRAIN_JOB_NAME",
    value_from=EnvVarSource(
        field_ref=ObjectFieldSelector(api_version="v1", field_path="metadata.labels['jobset.sigs.k8s.io/jobset-name']")
    ),
)


@runtime_factory(CacheOptions)
def torch_with_cache(options: CacheOptions) -> ClusterTrainingRuntime:
    """PyTorch whose data comes from a cache of its own, `torch-distributed-with-cache`.

    The dataset initializer starts the cache and ends, then the nodes train. It needs LeaderWorkerSet and a service
    account that may create its objects. Arguments are the fields of `CacheOptions`.
    """
    cache_image = EnvVar(name="CACHE_IMAGE", value=through_mirror(trainer_image("data-cache"), options.registry))
    # The cache puts no file there: the folder may live and die with the pod.
    folder = Volume(name=INITIALIZER_VOLUME, empty_dir=EmptyDirVolumeSource())
    upstream = options.like_upstream
    spec = initializers_then_node(
        MLPolicy(num_nodes=options.node_count, torch=TorchPolicy()),
        training_pod(options, PYTORCH, env=(_TRAIN_JOB_NAME,)),
        dataset=initializer_pod(
            options,
            DATASET_INITIALIZER,
            env=(cache_image, _TRAIN_JOB_NAME),
            volumes=() if upstream else (folder,),
            mounts=() if upstream else (INITIALIZER_MOUNT,),
            service_account=options.initializer_service_account,
        ),
    )
    spec = evolve(spec, template=lambda template: evolve(template, spec=_with_one_initializer))
    labels = {"trainer.kubeflow.org/webhook-validation": "disabled"} if upstream else {}
    return build_runtime(options, spec, name="torch-distributed-with-cache", framework="torch", labels=labels)


def _with_one_initializer(jobset: JobSetSpec) -> JobSetSpec:
    """What Trainer requires and Kubernetes defaults to, said aloud, as upstream does for this runtime."""
    initializer, node = jobset.replicated_jobs or ()
    return evolve(jobset, replicated_jobs=(evolve(initializer, replicas=1), node))

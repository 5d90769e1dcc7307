"""Runtimes whose nodes wait for initializers: torchtune, PyTorch with a data cache."""

from typing import NamedTuple

from ..api import ClusterTrainingRuntime
from ..containers import VolumeMount
from ..copies import revised
from ..env import EnvVar, EnvVarSource, ObjectFieldSelector
from ..jobset import JobSetSpec
from ..policies import MLPolicy, TorchPolicy
from ..topology import DATASET_INITIALIZER, MODEL_INITIALIZER, initializers_then_node
from ..volumes import EmptyDirVolumeSource, Volume
from .assembly import assembled
from .entry import entry
from .images import PYTORCH, mirrored, trainer_image
from .options import WORKSPACE, CacheOptions, TorchtuneModel, TorchtuneOptions
from .pods import initializer_pod, training_pod
from .volume_claim import VolumeClaim

# Trainer 2.3.0 refuses a TrainJob with a dataset or a model unless that initializer mounts a volume of this name.
_INITIALIZER = "initializer"
_MOUNT = VolumeMount(name=_INITIALIZER, mount_path=WORKSPACE)

_TRAIN_JOB_NAME = EnvVar(
    name="TRAIN_JOB_NAME",
    value_from=EnvVarSource(
        field_ref=ObjectFieldSelector(api_version="v1", field_path="metadata.labels['jobset.sigs.k8s.io/jobset-name']")
    ),
)


class _Model(NamedTuple):
    """A model as torchtune knows it."""

    config: str
    uri: str
    tokenizer: tuple[str, ...]


_LLAMA_TOKENIZER = (f"tokenizer.path={WORKSPACE}/model/original/tokenizer.model",)
_MODELS: dict[TorchtuneModel, _Model] = {
    "llama3.2-1b": _Model("llama3_2/1B_full", "hf://meta-llama/Llama-3.2-1B-Instruct", _LLAMA_TOKENIZER),
    "llama3.2-3b": _Model("llama3_2/3B_full", "hf://meta-llama/Llama-3.2-3B-Instruct", _LLAMA_TOKENIZER),
    "qwen2.5-1.5b": _Model(
        "qwen2_5/1.5B_full",
        "hf://Qwen/Qwen2.5-1.5B-Instruct",
        (
            f"tokenizer.path={WORKSPACE}/model/vocab.json",
            f"tokenizer.merges_file={WORKSPACE}/model/merges.txt",
        ),
    ),
}


@entry(TorchtuneOptions)
def torchtune(options: TorchtuneOptions) -> ClusterTrainingRuntime:
    """Fine-tuning with torchtune, `torchtune-llama3.2-1b`. Arguments are the fields of `TorchtuneOptions`.

    The initializers fetch dataset and model into one volume and end, then the node trains on it.
    """
    model = _MODELS[options.model]
    dataset_uri = EnvVar(name="STORAGE_URI", value=options.dataset_uri)
    model_uri = EnvVar(name="STORAGE_URI", value=options.model_uri or model.uri)
    command = (
        "tune",
        "run",
        "--rdzv_endpoint=localhost:29500",
        "full_finetune_distributed",
        "--config",
        model.config,
        "dataset=torchtune.datasets.instruct_dataset",
        "dataset.source=parquet",
        f"dataset.data_dir={WORKSPACE}/dataset/data",
        f"output_dir={WORKSPACE}/output",
        *model.tokenizer,
        f"checkpointer.checkpoint_dir={WORKSPACE}/model",
    )
    spec = initializers_then_node(
        MLPolicy(num_nodes=options.node_count, torch=TorchPolicy()),
        training_pod(options, trainer_image("torchtune-trainer"), command=command, mounts=(_MOUNT,)),
        dataset=initializer_pod(options, DATASET_INITIALIZER, env=(dataset_uri,), mounts=(_MOUNT,)),
        model=initializer_pod(options, MODEL_INITIALIZER, env=(model_uri,), mounts=(_MOUNT,)),
    )
    storage = VolumeClaim(
        name=_INITIALIZER,
        storage=options.storage,
        access_mode=options.storage_access_mode,
        storage_class=options.storage_class,
    )
    return assembled(options, spec, name=f"torchtune-{options.model}", framework="torchtune", claims=(storage,))


@entry(CacheOptions)
def torch_with_cache(options: CacheOptions) -> ClusterTrainingRuntime:
    """PyTorch whose data comes from a cache of its own, `torch-distributed-with-cache`.

    The dataset initializer starts the cache and ends, then the nodes train. It needs LeaderWorkerSet and a service
    account that may create its objects. Arguments are the fields of `CacheOptions`.
    """
    cache_image = EnvVar(name="CACHE_IMAGE", value=mirrored(trainer_image("data-cache"), options.registry))
    # The cache puts no file there: the folder may live and die with the pod.
    folder = Volume(name=_INITIALIZER, empty_dir=EmptyDirVolumeSource())
    upstream = options.like_upstream
    spec = initializers_then_node(
        MLPolicy(num_nodes=options.node_count, torch=TorchPolicy()),
        training_pod(options, PYTORCH, env=(_TRAIN_JOB_NAME,)),
        dataset=initializer_pod(
            options,
            DATASET_INITIALIZER,
            env=(cache_image, _TRAIN_JOB_NAME),
            volumes=() if upstream else (folder,),
            mounts=() if upstream else (_MOUNT,),
            service_account=options.initializer_service_account,
        ),
    )
    spec = revised(spec, template=lambda template: revised(template, spec=_with_one_initializer))
    labels = {"trainer.kubeflow.org/webhook-validation": "disabled"} if upstream else {}
    return assembled(options, spec, name="torch-distributed-with-cache", framework="torch", labels=labels)


def _with_one_initializer(jobset: JobSetSpec) -> JobSetSpec:
    """What Trainer requires and Kubernetes defaults to, said aloud, as upstream does for this runtime."""
    initializer, node = jobset.replicated_jobs or ()
    return revised(jobset, replicated_jobs=(revised(initializer, replicas=1), node))

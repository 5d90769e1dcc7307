"""Fine-tuning with torchtune: initializers download dataset and model, then the node trains."""

from typing import NamedTuple

from ...k8s.env import EnvVar
from ..ml_policy import MLPolicy, TorchPolicy
from ..runtime import ClusterTrainingRuntime
from ..topology import DATASET_INITIALIZER, MODEL_INITIALIZER, initializers_then_node
from .common_spec import build_runtime
from .images import trainer_image
from .options import WORKSPACE, TorchtuneModel, TorchtuneOptions
from .pod_templates import INITIALIZER_MOUNT, INITIALIZER_VOLUME, initializer_pod, training_pod
from .runtime_factory import runtime_factory
from .volume_claim import VolumeClaim


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


@runtime_factory(TorchtuneOptions)
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
        training_pod(options, trainer_image("torchtune-trainer"), command=command, mounts=(INITIALIZER_MOUNT,)),
        dataset=initializer_pod(options, DATASET_INITIALIZER, env=(dataset_uri,), mounts=(INITIALIZER_MOUNT,)),
        model=initializer_pod(options, MODEL_INITIALIZER, env=(model_uri,), mounts=(INITIALIZER_MOUNT,)),
    )
    storage = VolumeClaim(
        name=INITIALIZER_VOLUME,
        storage=options.storage,
        access_mode=options.storage_access_mode,
        storage_class=options.storage_class,
    )
    return build_runtime(options, spec, name=f"torchtune-{options.model}", framework="torchtune", claims=(storage,))

"""TrainJobs whose command Trainer completes: `tune run`.

The rules apply to Trainer 2.2 and later. Trainer 2.0 knows other models.
"""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...explain.policies.torchtune import ENTRYPOINT
from ...rules.rule import violation
from ...rules.trainer.torchtune import MODELS
from ...train_job import Trainer
from ..pair import Pair
from ..resources import gpus_per_node
from ..rule import pair_rule

LARGE_MODEL = "llama3_3/70B"
"""The model that trains on several nodes."""

WITHOUT_QLORA = "qwen2_5/1.5B"
QLORA_ON_ONE_GPU = ("llama3_2/1B", "llama3_2/3B")
MANAGED = ("output_dir", "tokenizer.path", "checkpointer.checkpoint_dir", "tokenizer.merges_file")
"""Settings that Trainer takes from the runtime: TorchTuneImmutableConfigs in pkg/constants/constants.go@trainer@v2.3.0.
"""


def _tuning(pair: Pair) -> Trainer | None:
    """The trainer section of a TrainJob whose command Trainer completes."""
    policy = pair.view.policy if pair.view else None
    trainer = pair.trainer
    tunes = trainer is not None and list(trainer.command or ()) == ENTRYPOINT
    return trainer if tunes and policy == "torch" and pair.release.trainer != "2.0.0" else None


def _model(pair: Pair) -> str:
    parts = pair.train_job.spec.runtime_ref.name.split("-")
    return f"{parts[1].replace('.', '_')}/{parts[2].upper()}" if len(parts) == 3 else ""


def _is_true(trainer: Trainer, item: str) -> bool:
    pairs = (argument.partition("=") for argument in trainer.args or ())
    return any(equals and item in name and value.strip().lower() == "true" for name, equals, value in pairs)


def _qlora(pair: Pair, trainer: Trainer) -> bool:
    """Whether the arguments request QLoRA. For Trainer 2.2 their values do not matter."""
    if pair.release.trainer == "2.2.0":
        arguments = list(trainer.args or ())
        dora = any("model.use_dora" in each for each in arguments)
        return not dora and any("model.quantize_base" in each for each in arguments)
    return not _is_true(trainer, "model.use_dora") and _is_true(trainer, "model.quantize_base")


@pair_rule("TJC-28")
def model_is_known(pair: Pair) -> Iterator[Violation]:
    """A TrainJob has the command `tune run`, and the name of its runtime is not that of a known model.

    Source: pkg/runtime/framework/plugins/torch/torchtune.go:42-44,199-205@trainer@v2.3.0.
    """
    if _tuning(pair) and _model(pair) not in MODELS:
        known = ", ".join(each.replace("_", ".").replace("/", "-").lower() for each in MODELS)
        yield violation(
            "spec.runtimeRef.name",
            "Trainer reads the model of `tune run` from the runtime's name, and "
            f"{pair.train_job.spec.runtime_ref.name!r} does not name a known model: Trainer rejects the TrainJob.",
            f"Use a runtime called <prefix>-<model>-<size>, with one of {known}.",
        )


@pair_rule("TJC-29")
def model_trains_on_one_node(pair: Pair) -> Iterator[Violation]:
    """A TrainJob with the command `tune run` requests several nodes for a model that trains on one.

    Only llama3.3-70b trains on several nodes.
    Source: pkg/runtime/framework/plugins/torch/torchtune.go:46-50@trainer@v2.3.0.
    """
    trainer = _tuning(pair)
    if trainer and (trainer.num_nodes or 1) > 1 and _model(pair) != LARGE_MODEL:
        yield violation(
            "spec.trainer.numNodes",
            f"numNodes is {trainer.num_nodes}, but torchtune trains this model on one node: Trainer rejects the "
            "TrainJob.",
            "Set it to 1.",
        )


@pair_rule("TJC-30")
def model_has_qlora(pair: Pair) -> Iterator[Violation]:
    """A TrainJob requests QLoRA for qwen2.5-1.5b.

    Source: pkg/runtime/framework/plugins/torch/torchtune.go:60-65@trainer@v2.3.0.
    """
    trainer = _tuning(pair)
    if trainer and _model(pair) == WITHOUT_QLORA and (trainer.num_nodes or 1) == 1 and _qlora(pair, trainer):
        yield violation(
            "spec.trainer.args",
            "The arguments request QLoRA (model.quantize_base=True), which torchtune does not have for this model: "
            "Trainer rejects the TrainJob.",
            "Remove model.quantize_base, or use another model.",
        )


@pair_rule("TJC-31")
def qlora_has_one_gpu(pair: Pair) -> Iterator[Violation]:
    """A TrainJob requests QLoRA for a llama3.2 model on more than one GPU.

    Without `resourcesPerNode` the GPUs are the runtime's. Without GPUs, Trainer assumes more than one.
    Source: pkg/runtime/framework/plugins/torch/torchtune.go:66-74,106-130@trainer@v2.3.0.
    """
    trainer = _tuning(pair)
    if trainer is None or _model(pair) not in QLORA_ON_ONE_GPU or not _qlora(pair, trainer):
        return
    if (trainer.num_nodes or 1) == 1 and trainer.num_proc_per_node != 1 and gpus_per_node(pair) != 1:
        yield violation(
            "spec.trainer.resourcesPerNode" if trainer.resources_per_node else "spec.trainer.numProcPerNode",
            f"QLoRA of this model trains on one GPU, and a node has {gpus_per_node(pair)}: Trainer rejects the "
            "TrainJob.",
            "Set numProcPerNode to 1, or request one GPU in resourcesPerNode.",
        )


@pair_rule("TJC-32")
def lora_has_one_node(pair: Pair) -> Iterator[Violation]:
    """A TrainJob requests LoRA or QLoRA on several nodes.

    Trainer 2.2 silently does a full fine-tuning instead, so there this is a warning.
    Source: pkg/runtime/framework/plugins/torch/torchtune.go:76-85@trainer@v2.3.0.
    """
    trainer = _tuning(pair)
    if trainer is None or (trainer.num_nodes or 1) < 2 or _model(pair) != LARGE_MODEL:
        return
    if _qlora(pair, trainer) or any("model.lora_attn_modules" in argument for argument in trainer.args or ()):
        rejects = pair.release.trainer == "2.3.0"
        effect = "Trainer rejects the TrainJob" if rejects else "Trainer tunes all weights"
        yield violation(
            "spec.trainer.numNodes",
            f"numNodes is {trainer.num_nodes}, but torchtune's LoRA trains on one node: {effect}.",
            "Set numNodes to 1, or remove the arguments for LoRA.",
            Severity.ERROR if rejects else Severity.WARNING,
        )


@pair_rule("TJC-33")
def paths_are_the_runtimes(pair: Pair) -> Iterator[Violation]:
    """An argument of a TrainJob with the command `tune run` sets a path that Trainer takes from the runtime.

    Source: pkg/runtime/framework/plugins/torch/torchtune.go:87-101@trainer@v2.3.0.
    """
    trainer = _tuning(pair) if pair.release.trainer == "2.3.0" else None
    for index, argument in enumerate((trainer and trainer.args) or ()):
        name = argument.partition("=")[0]
        if name in MANAGED:
            yield violation(
                f"spec.trainer.args[{index}]",
                f"Trainer takes {name} from the runtime, and rejects a TrainJob that sets it.",
                "Remove it.",
            )

"""TorchTune: the arguments that Trainer adds to the command `tune run`.

Source: plugins/torch/torchtune.go (v2.2.0, v2.3.0), plugins/torch/torch.go (v2.0.0).
"""

from collections.abc import Sequence

from ...topology import NODE
from ..reconciliation import PORT, TRAINER, Reconciliation, ancestor_of, pod_of

ENTRYPOINT = ["tune", "run"]

_FROM_RUNTIME = ("output_dir", "tokenizer.path", "checkpointer.checkpoint_dir", "tokenizer.merges_file")
"""Settings that stay the runtime's. The last is unknown to 2.0."""


def arguments(work: Reconciliation, nodes: int, processes: int | str, gpus: int) -> list[str]:
    """What follows `tune run`: the rendezvous, the recipe, its config, and settings of the runtime."""
    old = work.release.trainer == "2.0.0"
    if old:
        many = nodes > 1 or processes != 1
    else:
        many = nodes > 1 or (processes > 1 if isinstance(processes, int) else gpus > 1)
    endpoint = f"--rdzv_endpoint={work.name}-{NODE}-0-0.{work.name}:{PORT}"
    args = (work.trainer or {}).get("args") or []
    recipe, suffix = _old_recipe(nodes, processes) if old else _recipe(work, nodes, processes, gpus, args)
    config = f"{_model(work.train_job['runtimeRef']['name'])}{suffix}"
    return [*([endpoint] if many else []), recipe, "--config", config, *_settings(work, old)]


def _old_recipe(nodes: int, processes: int | str) -> tuple[str, str]:
    if nodes == 1 and processes == 1:
        return "full_finetune_single_device", "_full_single_device"
    return "full_finetune_distributed", "_full_multinode" if nodes > 1 else "_full"


def _recipe(work: Reconciliation, nodes: int, processes: int | str, gpus: int, args: Sequence[str]) -> tuple[str, str]:
    quantized, lora = _is_qlora(work, args), any("model.lora_attn_modules" in arg for arg in args)
    if nodes == 1 and (processes == 1 or gpus == 1):
        if quantized or lora:
            return "lora_finetune_single_device", f"_{'qlora' if quantized else 'lora'}_single_device"
        return "full_finetune_single_device", "_full_single_device"
    if nodes == 1 and (quantized or lora):
        return "lora_finetune_distributed", "_qlora" if quantized else "_lora"
    return "full_finetune_distributed", "_full_multinode" if nodes > 1 else "_full"


def _is_qlora(work: Reconciliation, args: Sequence[str]) -> bool:
    if work.release.trainer == "2.2.0":  # the argument's value does not matter, and DoRA counts after it alone
        for arg in args:
            if "model.use_dora" in arg:
                return False
        return any("model.quantize_base" in arg for arg in args)
    return not _is_true(args, "model.use_dora") and _is_true(args, "model.quantize_base")


def _is_true(args: Sequence[str], item: str) -> bool:
    pairs = (arg.partition("=") for arg in args)
    return any(equals and item in name and value.strip().lower() == "true" for name, equals, value in pairs)


def _settings(work: Reconciliation, old: bool) -> list[str]:
    kept = _FROM_RUNTIME[:-1] if old else _FROM_RUNTIME
    return [
        word
        for job in work.spec.get("replicatedJobs") or ()
        if ancestor_of(job) == TRAINER
        for container in pod_of(job).get("containers") or ()
        if container["name"] == NODE
        for word in container.get("command") or ()
        if word.split("=")[0] in kept
    ]


def _model(runtime: str) -> str:
    parts = runtime.split("-")
    return f"{parts[1].replace('.', '_')}/{parts[2].upper()}" if len(parts) == 3 else ""

"""TorchTune's arguments."""

from typing import Any

import pytest

from tests.unit.runtimes.explain.pairs import VERSIONS, container, explained, job, runtime, variables

TUNE = ["tune", "run"]
SETTINGS = ["output_dir=/o", "tokenizer.path=/t", "checkpointer.checkpoint_dir=/c", "tokenizer.merges_file=/m"]
RDZV = "--rdzv_endpoint=tj-node-0-0.tj:29500"


def command(version: str, gpus: int, **given: Any) -> list[str]:
    made = runtime(
        job(container={"command": [*TUNE, *SETTINGS], "resources": {"limits": {"nvidia.com/gpu": gpus}}}),
        policy={"torch": {}},
        name="torchtune-llama3.2-1b",
    )
    words: list[str] = container(explained(made, version, trainer={"command": TUNE, **given}))["command"]
    return words


@pytest.mark.parametrize(
    ("version", "gpus", "given", "recipe", "rendezvous"),
    [
        ("2.3.0", 1, {}, "full_finetune_single_device full_single_device", False),
        ("2.3.0", 2, {}, "full_finetune_distributed full", True),
        ("2.3.0", 2, {"numNodes": 2}, "full_finetune_distributed full_multinode", True),
        ("2.3.0", 2, {"numProcPerNode": 1}, "full_finetune_single_device full_single_device", False),
        (
            "2.3.0",
            1,
            {"args": ["model.lora_attn_modules=[q]"]},
            "lora_finetune_single_device lora_single_device",
            False,
        ),
        ("2.3.0", 2, {"args": ["model.lora_attn_modules=[q]"]}, "lora_finetune_distributed lora", True),
        ("2.3.0", 2, {"args": ["model.quantize_base=True"]}, "lora_finetune_distributed qlora", True),
        ("2.3.0", 2, {"args": ["model.quantize_base=False"]}, "full_finetune_distributed full", True),
        ("2.2.0", 2, {"args": ["model.quantize_base=False"]}, "lora_finetune_distributed qlora", True),
        ("2.3.0", 1, {"args": ["model.quantize_base=true"]}, "lora_finetune_single_device qlora_single_device", False),
        (
            "2.3.0",
            2,
            {"args": ["model.quantize_base=True", "model.use_dora=True"]},
            "full_finetune_distributed full",
            True,
        ),
        ("2.0.0", 1, {"numProcPerNode": 1}, "full_finetune_single_device full_single_device", False),
        ("2.0.0", 1, {}, "full_finetune_distributed full", True),
        ("2.0.0", 1, {"numNodes": 2}, "full_finetune_distributed full_multinode", True),
    ],
)
def test_the_recipe_follows_from_nodes_gpus_and_arguments(
    version: str, gpus: int, given: dict[str, Any], recipe: str, rendezvous: bool
) -> None:
    words = command(version, gpus, **given)
    kept = SETTINGS[:-1] if version == "2.0.0" else SETTINGS
    endpoint = [RDZV] if rendezvous else []
    name, config = recipe.split()
    assert words == [*TUNE, *endpoint, name, "--config", f"llama3_2/1B_{config}", *kept]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_address_is_an_argument_and_no_variable(version: str) -> None:
    made = runtime(job(container={"command": TUNE}), policy={"torch": {}}, name="torchtune-llama3.2-1b")
    explanation = explained(made, version, trainer={"command": TUNE})
    assert [*variables(explanation)] == ["PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK"]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_runtime_s_own_command_stays_as_it_is(version: str) -> None:
    made = runtime(job(container={"command": TUNE}), policy={"torch": {}})
    assert container(explained(made, version, trainer={}))["command"] == TUNE

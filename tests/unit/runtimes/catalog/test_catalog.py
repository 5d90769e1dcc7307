"""The catalogue: upstream's runtimes exactly, or better in the ways that the documentation says and in no other."""

import ast
import inspect
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubeflow.trainer.backends.kubernetes.utils import get_runtime_trainer
from kubeflow.trainer.types import types as sdk
from kubeflow_trainer_api import models

from components.k8s.invalid import InvalidRuntimeError
from components.runtimes import catalog
from components.runtimes.catalog import (
    CacheOptions,
    FluxOptions,
    MPIOptions,
    RuntimeOptions,
    TorchtuneOptions,
    deepspeed,
    flux,
    jax,
    mlx,
    torch,
    torch_with_cache,
    torchtune,
    xgboost,
)
from components.runtimes.runtime import ClusterTrainingRuntime
from tools.go_modules import module_dir

from ..differences import differences

FUNCTIONS: dict[type[RuntimeOptions], str] = {
    RuntimeOptions: "all",
    MPIOptions: "deepspeed, mlx",
    FluxOptions: "flux",
    CacheOptions: "torch_with_cache",
    TorchtuneOptions: "torchtune",
}
OPTIONS = tuple(FUNCTIONS)

Build = Callable[..., ClusterTrainingRuntime]

ENTRIES: dict[str, tuple[str, Build, dict[str, Any]]] = {
    "deepspeed": ("deepspeed_distributed.yaml", deepspeed, {}),
    "mlx": ("mlx_distributed.yaml", mlx, {}),
    "torch": ("torch_distributed.yaml", torch, {}),
    "jax": ("jax_distributed.yaml", jax, {}),
    "xgboost": ("xgboost_distributed.yaml", xgboost, {}),
    "flux": ("flux-runtime.yaml", flux, {}),
    "torch_with_cache": ("torch_distributed_with_cache.yaml", torch_with_cache, {}),
    "torchtune llama3.2-1b": ("llama3_2_1B.yaml", torchtune, {"model": "llama3.2-1b"}),
    "torchtune llama3.2-3b": ("llama3_2_3B.yaml", torchtune, {"model": "llama3.2-3b"}),
    "torchtune qwen2.5-1.5b": ("qwen2_5_1.5B.yaml", torchtune, {"model": "qwen2.5-1.5b"}),
}

DOCS = Path(__file__).parents[4] / "docs" / "runtimes.md"


def table(section: str) -> list[list[str]]:
    """The cells of the one table in a section of the documentation, without its head."""
    text = DOCS.read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    _, _, *rows = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def pinned(manifest: Any) -> Any:
    """Upstream's manifest with the tag that its release gives to Trainer's own images."""
    if isinstance(manifest, list):
        return [pinned(item) for item in manifest]
    if isinstance(manifest, dict):
        return {key: pinned(value) for key, value in manifest.items()}
    ours = isinstance(manifest, str) and manifest.startswith("ghcr.io/kubeflow/trainer/") and ":" not in manifest
    return f"{manifest}:v2.3.0" if ours else manifest


def upstreams() -> dict[str, Path]:
    """Upstream's files of runtimes, by name. Flux's is an example, which upstream's end-to-end tests install."""
    trainer = module_dir("github.com/kubeflow/trainer/v2", "2.3.0")
    files = [
        *(trainer / "manifests" / "base" / "runtimes").rglob("*.yaml"),
        *(trainer / "examples" / "flux").glob("*-runtime.yaml"),
    ]
    return {file.name: file for file in files if file.name != "kustomization.yaml"}


@pytest.mark.parametrize("entry", ENTRIES)
def test_like_upstream_is_the_manifest_of_upstream_with_pinned_images(entry: str) -> None:
    file, build, arguments = ENTRIES[entry]
    upstream = yaml.safe_load(upstreams()[file].read_text())

    assert build(like_upstream=True, **arguments).to_manifest() == pinned(upstream)


def test_the_catalogue_has_all_of_upstreams_runtimes() -> None:
    assert {file for file, _, _ in ENTRIES.values()} == set(upstreams())


def shown(value: Any) -> str:
    """A value as the documentation writes it: lists by their items' names."""
    if value is None:
        return "absent"
    if isinstance(value, list):
        value = [item["name"] for item in value]
    return f"`{json.dumps(value) if not isinstance(value, list) else ', '.join(value)}`"


def test_documentation_lists_exactly_the_differences_from_upstream() -> None:
    found: dict[tuple[str, str, str], list[str]] = {}
    for _, build, arguments in ENTRIES.values():
        upstream, ours = (build(like_upstream=like, **arguments).to_manifest() for like in (True, False))
        for place, before, after in differences(upstream, ours):
            names = found.setdefault((place, shown(before), shown(after)), [])
            names.extend({build.__name__} - set(names))

    rows = table("Differences from upstream")
    assert sorted(row[:4] for row in rows) == sorted(
        [", ".join(names), f"`{place}`", upstream, ours] for (place, upstream, ours), names in found.items()
    )
    assert all(reason for *_, reason in rows)


def test_documentation_shows_the_actual_error() -> None:
    with pytest.raises(InvalidRuntimeError) as raised:
        deepspeed(nodes=1, gpus_per_node=8, processes_per_node=4)

    example = f"```\n>>> deepspeed(nodes=1, gpus_per_node=8, processes_per_node=4)\n{raised.value}\n```\n"
    assert example in DOCS.read_text()


@pytest.mark.parametrize("name", [name for name in catalog.__all__ if name.islower()])
def test_functions_of_the_catalogue_take_options_as_keywords(name: str) -> None:
    parameters = inspect.signature(getattr(catalog, name)).parameters

    assert {parameter.kind for parameter in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert list(parameters)[:6] == ["name", "image", "registry", "like_upstream", "nodes", "gpus_per_node"]
    assert list(parameters) in [list(options.model_fields) for options in OPTIONS]


def test_help_shows_readable_types() -> None:
    shown = {name: str(parameter) for name, parameter in inspect.signature(deepspeed).parameters.items()}
    assert shown["nodes"] == "nodes: int | None = None"
    assert shown["shared_memory"] == "shared_memory: int | str | None = None"
    assert shown["env"] == "env: Mapping[str, str | EnvVarSource] = {}"
    assert shown["volumes"] == "volumes: Mapping[str, Volume | VolumeClaim] = {}"
    assert shown["pull_secrets"] == "pull_secrets: Sequence[str] = ()"
    assert shown["openmpi_major"] == "openmpi_major: Literal[4, 5] = 4"
    assert shown["registry"] == "registry: str | None = None"
    assert inspect.getdoc(deepspeed)


def documentation(options: type[RuntimeOptions]) -> dict[str, str]:
    """What stands below each field of the options in their source, by the field's name."""
    (body,) = ast.parse(inspect.getsource(options)).body
    assert isinstance(body, ast.ClassDef)
    texts = {
        ast.unparse(field.target): " ".join(text.value.value.split())
        for field, text in pairwise(body.body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
        if isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }
    return {name: text for name, text in texts.items() if name in options.model_fields}


def test_documentation_lists_every_argument_with_its_docstring() -> None:
    described = [(options, documentation(options)) for options in OPTIONS]

    for options, texts in described:
        inherited = documentation(RuntimeOptions) if options is not RuntimeOptions else {}
        assert list(options.model_fields) == [*inherited, *texts]
    assert table("Arguments") == [
        [f"`{name}`", FUNCTIONS[options], text] for options, texts in described for name, text in texts.items()
    ]


@pytest.mark.parametrize(
    ("runtime", "kind", "device", "count", "nodes"),
    [
        (deepspeed(gpus_per_node=8), "CustomTrainer", "gpu", "8", 1),
        (mlx(), "CustomTrainer", "Unknown", "1", 1),
        (torch(nodes=4, gpus_per_node=8), "CustomTrainer", "gpu", "32", 4),
        (jax(nodes=2, cpus_per_node=4), "CustomTrainer", "cpu", "8", 2),
        (xgboost(), "CustomTrainer", "Unknown", "Unknown", 1),
        (flux(nodes=2), "CustomTrainer", "Unknown", "Unknown", 2),
        (torch_with_cache(gpus_per_node=1), "CustomTrainer", "gpu", "1", 1),
        (torchtune(), "BuiltinTrainer", "gpu", "2", 1),
        (torch(gpus_per_node=8, gpu_resource="amd.com/gpu", cpus_per_node=64), "CustomTrainer", "cpu", "64", 1),
        (torch(gpus_per_node=2, gpu_resource="nvidia.com/mig-1g.5gb"), "CustomTrainer", "mig-1g.5gb", "2", 1),
    ],
    ids=lambda value: value.metadata.name if isinstance(value, ClusterTrainingRuntime) else None,
)
def test_sdk_reads_trainer_device_and_count(
    runtime: ClusterTrainingRuntime, kind: str, device: str, count: str, nodes: int
) -> None:
    read = models.TrainerV1alpha1ClusterTrainingRuntime.from_dict(runtime.to_manifest())
    framework = read.metadata.labels["trainer.kubeflow.org/framework"]

    trainer = get_runtime_trainer(framework, read.spec.template.spec.replicated_jobs, read.spec.ml_policy)

    assert trainer.trainer_type is sdk.TrainerType(kind)
    assert (trainer.framework, trainer.device, trainer.device_count, trainer.num_nodes) == (
        framework,
        device,
        count,
        nodes,
    )
    assert trainer.image == pods(runtime)["launcher" if "mpi" in runtime.to_manifest()["spec"]["mlPolicy"] else "node"]


def pods(runtime: ClusterTrainingRuntime) -> dict[str, str]:
    """The image of each job's first container."""
    jobs = runtime.to_manifest()["spec"]["template"]["spec"]["replicatedJobs"]
    return {job["name"]: job["template"]["spec"]["template"]["spec"]["containers"][0]["image"] for job in jobs}

"""Runtimes beside a real API server with the CRDs of Trainer 2.3.0: it takes what we take, refuses what we refuse."""

import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from kubeflow.common.types import KubernetesBackendConfig
from kubeflow.trainer import TrainerClient
from kubeflow.trainer.types import types as sdk

from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError, TrainingRuntime
from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.catalog import deepspeed, flux, jax, mlx, torch, torch_with_cache, torchtune, xgboost
from components.validation.violation import Severity, Violation, only_errors
from tests.unit.runtimes import crd
from tests.unit.runtimes.rules.cases import CASES
from tests.unit.runtimes.rules.samples import Case, changed
from tests.upstream import JOBSET_NOW, TRAINER_NOW

from .conftest import copy_project
from .runtimes.mutations import mistaken
from .runtimes.objects import objects_of
from .runtimes.server import Server
from .runtimes.valid import runtimes

SOAK = "SOAK" in os.environ
# A normal run is the same each time; a soak looks for what was never seen.
MANY = settings(
    max_examples=2000 if SOAK else 50,
    derandomize=not SOAK,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class Seen(NamedTuple):
    """What the SDK tells of a runtime."""

    type: str
    framework: str
    device: str
    device_count: str
    nodes: int


def both(
    build: Callable[..., ClusterTrainingRuntime], ours: Seen, upstreams: Seen | None = None, **arguments: Any
) -> Iterator[tuple[ClusterTrainingRuntime, Seen]]:
    """A runtime of the catalogue as it is and like upstream, and what the SDK must see in each."""
    gpus = "-with-gpus" if "gpus_per_node" in arguments else ""
    for prefix, seen, more in (("ours", ours, {}), ("upstreams", upstreams or ours, {"like_upstream": True})):
        name = f"{prefix}{gpus}-{build(**arguments).metadata.name}"
        yield build(name=name, **arguments, **more), seen


CUSTOM, BUILTIN = sdk.TrainerType.CUSTOM_TRAINER.value, sdk.TrainerType.BUILTIN_TRAINER.value
NOTHING = ("Unknown", "Unknown", 1)
POOL: dict[str, Any] = {"gpus_per_node": 8, "nodes": 4}
# For MPI the SDK counts processes: those of a node times mlPolicy.numNodes, which is always 1.
# Upstream writes devices as numbers, which the SDK shows as 2.0 and does not multiply.
CATALOGUE = [
    *both(deepspeed, Seen(CUSTOM, "deepspeed", "Unknown", "1", 1)),
    *both(mlx, Seen(CUSTOM, "mlx", "Unknown", "1", 1)),
    *both(torch, Seen(CUSTOM, "torch", *NOTHING)),
    *both(jax, Seen(CUSTOM, "jax", *NOTHING)),
    *both(xgboost, Seen(CUSTOM, "xgboost", *NOTHING)),
    *both(flux, Seen(CUSTOM, "flux", *NOTHING)),
    *both(torch_with_cache, Seen(CUSTOM, "torch", *NOTHING)),
    *(
        entry
        for model in ("llama3.2-1b", "llama3.2-3b", "qwen2.5-1.5b")
        for entry in both(
            torchtune,
            Seen(BUILTIN, "torchtune", "gpu", "2", 1),
            Seen(BUILTIN, "torchtune", "gpu", "2.0", 1),
            model=model,
        )
    ),
    *both(deepspeed, Seen(CUSTOM, "deepspeed", "gpu", "8", 1), **POOL),
    *both(mlx, Seen(CUSTOM, "mlx", "gpu", "8", 1), **POOL),
    *(
        entry
        for build, framework in ((torch, "torch"), (jax, "jax"), (xgboost, "xgboost"), (torch_with_cache, "torch"))
        for entry in both(
            build, Seen(CUSTOM, framework, "gpu", "32", 4), Seen(CUSTOM, framework, "gpu", "8.0", 4), **POOL
        )
    ),
]


@pytest.fixture(scope="module")
def schema() -> crd.Schema:
    return crd.read_schema()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A cluster without a stack, and the catalogue on it."""
    checkout = copy_project(tmp_path_factory.mktemp("bare"))
    checkout.succeed("start")
    try:
        server = Server(checkout.kubeconfig)
        server.install(*TRAINER_NOW.crd_files.values(), *JOBSET_NOW.crd_files.values())
        for runtime, _ in CATALOGUE:
            server.create(runtime.to_manifest())
        yield server
    finally:
        checkout.run("down")


def test_catalog_is_stored_unchanged(server: Server, schema: crd.Schema) -> None:
    written = {str(runtime.metadata.name): runtime.to_manifest() for runtime, _ in CATALOGUE}
    read = {
        name: ClusterTrainingRuntime.from_manifest(manifest).to_manifest()
        for name, manifest in server.stored_runtimes().items()
    }

    assert len(written) == len(CATALOGUE) == 32
    assert read == {name: crd.defaulted(schema, manifest) for name, manifest in written.items()}


def test_the_sdk_sees_the_catalogue_as_it_is(server: Server) -> None:
    client = TrainerClient(KubernetesBackendConfig(namespace="default", config_file=str(server.kubeconfig)))
    expected = {str(runtime.metadata.name): seen for runtime, seen in CATALOGUE}

    assert {runtime.name: seen_in(runtime) for runtime in client.list_runtimes()} == expected
    assert {name: seen_in(client.get_runtime(name)) for name in expected} == expected


def seen_in(runtime: sdk.Runtime) -> Seen:
    told = runtime.trainer
    return Seen(told.trainer_type.value, told.framework, told.device, told.device_count, told.num_nodes)


def test_the_catalogue_is_accepted_in_a_namespace_too(server: Server) -> None:
    for runtime, _ in CATALOGUE:
        manifest = runtime.to_manifest()
        metadata = manifest["metadata"] | {"namespace": "default"}
        namespaced = TrainingRuntime.from_manifest(manifest | {"kind": "TrainingRuntime", "metadata": metadata})
        assert refusals(server, namespaced) == []


def refusals(server: Server, runtime: BaseTrainingRuntime) -> list[str]:
    """Why the API server would refuse a runtime, or what is made from it."""
    made = [runtime.to_manifest(), *objects_of(runtime)]
    return [refusal for manifest in made if (refusal := server.refusal(manifest)) is not None]


OF_KUBERNETES = [
    case
    for case in CASES
    if case.rule.startswith("K8S-")
    and case.severity is Severity.ERROR
    # Numbers that Trainer makes positive, and a namespace where only `default` is.
    and case.rule != "K8S-13"
    and case.path != "metadata.namespace"
]


@pytest.mark.parametrize("case", OF_KUBERNETES, ids=str)
def test_violation_of_a_kubernetes_rule_is_rejected_and_the_valid_case_is_not(server: Server, case: Case) -> None:
    broken, sound = (as_written(changed(case.base, changes)) for changes in (case.broken, case.sound))

    assert refusals(server, broken) != []
    assert refusals(server, sound) == []


def as_written(manifest: dict[str, Any]) -> BaseTrainingRuntime:
    """A runtime whose rules nobody looked at."""
    kind = TrainingRuntime if manifest["kind"] == "TrainingRuntime" else ClusterTrainingRuntime
    return kind.model_validate(manifest, by_alias=True, by_name=False)


def ours(manifest: dict[str, Any]) -> tuple[ClusterTrainingRuntime | None, tuple[Violation, ...]]:
    """The runtime of a manifest, or what is wrong with it."""
    try:
        return ClusterTrainingRuntime.from_manifest(manifest), ()
    except InvalidRuntimeError as error:
        return None, only_errors(error.violations)


@MANY
@given(manifest=runtimes())
def test_valid_runtimes_are_stored_unchanged(server: Server, manifest: dict[str, Any]) -> None:
    runtime, errors = ours(manifest)

    assert errors == ()
    assert runtime is not None
    assert runtime.to_manifest() == manifest
    assert refusals(server, runtime) == []


@MANY
@given(manifest=runtimes(), other=runtimes(), data=st.data())
def test_invalid_runtimes_get_the_verdict_of_the_api_server(
    server: Server, schema: crd.Schema, manifest: dict[str, Any], other: dict[str, Any], data: st.DataObject
) -> None:
    mistake = data.draw(mistaken(schema, manifest, other))
    runtime, errors = ours(mistake)
    refusal = server.refusal(mistake)

    if runtime is not None:
        event("taken by both")
        assert refusal is None
        assert refusals(server, runtime) == []
    elif of_schema := [error for error in errors if error.rule.startswith("CTR-")]:
        event("refused by both")
        assert refusal is not None, of_schema
    else:
        # What is made from it would be refused later, or would never train.
        event("refused by us alone")

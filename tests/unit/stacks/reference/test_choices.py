"""Unions as conditions, and what editors make of them, by the language server that they run for YAML."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from components.gpu_node_pool.machines import machines
from stacks.reference.choices import condition, or_inherited, replace_unions

from .language_server import LanguageServer, Mistake

ROOT = Path(__file__).parent.parent.parent.parent.parent
SCRIPT = ROOT / ".local" / "editor" / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"
HEAD = "# yaml-language-server: $schema=reference/stack.json\nconfig:\n  training-platform:"


def model(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


MODELS = {
    "Cat": model(("kind",), kind={"const": "cat"}, lives={"type": "integer"}),
    "Dog": model(("kind",), kind={"const": "dog"}, tricks={"type": "integer", "description": "What it can do."}),
    "Plain": model((), kind={"const": "plain", "default": "plain"}, size={"type": "integer"}),
    "File": model(("path",), kind={"const": "file", "default": "file"}, path={"type": "string"}),
    "Here": model((), size={"type": "integer"}),
    "There": model(("host",), host={"type": "string"}),
    "Far": model(("planet",), planet={"type": "string"}),
}


def union(*names: str) -> list[dict[str, Any]]:
    return [{"$ref": f"#/$defs/{name}"} for name in names]


def mistakes(schema: dict[str, Any], value: Any) -> list[str]:
    validator = jsonschema.Draft7Validator(schema | {"$defs": MODELS})
    return sorted(f"{'/'.join(map(str, error.path))}: {error.message}" for error in validator.iter_errors(value))


@pytest.mark.parametrize(
    ("members", "value", "found"),
    [
        (("Cat", "Dog"), {"kind": "cat", "lives": 9}, []),
        (("Cat", "Dog"), {"kind": "dog", "lives": 9}, ["('lives' was unexpected)"]),
        (("Cat", "Dog"), {"kind": "cow", "lives": 9}, ["'cow' is not one of ['cat', 'dog']"]),
        (("Cat", "Dog"), {"lives": 9}, ["'kind' is a required property"]),
        (("Cat", "Plain"), {"size": 1}, []),
        (("Cat", "Plain"), {"kind": "plain", "size": 1}, []),
        (("Cat", "Plain"), {"lives": 1}, ["('lives' was unexpected)"]),
        (("Cat", "File"), {"path": "a"}, []),
        (("Cat", "File"), {"path": 1}, ["1 is not of type 'string'"]),
        (("Cat", "File"), {"kind": "file"}, ["'path' is a required property"]),
        (("Cat", "File"), {"lives": 1}, ["'kind' is a required property"]),
        (("Here", "There", "Far"), {"size": 1}, []),
        (("Here", "There", "Far"), {"host": "a", "size": 1}, ["('size' was unexpected)"]),
        (("Here", "There", "Far"), {"planet": 1}, ["1 is not of type 'string'"]),
        (("Here", "There", "Far"), {"plant": 1}, ["('plant' was unexpected)"]),
    ],
)
def test_only_the_chosen_member_of_a_union_is_checked(members: tuple[str, ...], value: Any, found: list[str]) -> None:
    said = mistakes(condition(union(*members), MODELS), value)
    assert len(said) == len(found)
    assert all(expected in one for expected, one in zip(found, said, strict=True)), said


def test_a_scalar_member_is_chosen_by_its_type() -> None:
    schema = condition([{"type": "string"}, *union("Cat")], MODELS)
    assert mistakes(schema, "text") == []
    assert mistakes(schema, {"kind": "cat"}) == []
    assert mistakes(schema, 1) == [": 1 is not of type 'string'"]
    assert mistakes(schema, {"kind": "dog"}) == ["kind: 'cat' was expected"]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (None, []),
        ({"lives": 3, "tricks": 1}, []),
        ({"live": 3}, [": Additional properties are not allowed ('live' was unexpected)"]),
        ({"kind": "cat", "tricks": 3}, [": Additional properties are not allowed ('tricks' was unexpected)"]),
        ({"kind": "cow"}, ["kind: 'cow' is not one of ['cat', 'dog', 'file']"]),
        ({"path": 1}, ["path: 1 is not of type 'string'"]),
        ("cat", [": 'cat' is not of type 'object', 'null'"]),
    ],
)
def test_a_member_without_a_kind_changes_the_inherited_one(value: Any, found: list[str]) -> None:
    assert mistakes(or_inherited(union("Cat", "Dog", "File"), MODELS), value) == found


def test_keys_of_an_inherited_member_have_their_descriptions() -> None:
    offered = or_inherited(union("Cat", "Dog"), MODELS)["else"]["properties"]
    assert offered == {"kind": {"enum": ["cat", "dog"]}, "lives": {}, "tricks": {"description": "What it can do."}}


def test_every_union_of_a_schema_is_replaced() -> None:
    pets = union("Cat", "Dog")
    schema: dict[str, Any] = {"a": [{"oneOf": pets, "default": 1}], "b": {"anyOf": [{"oneOf": pets}, {"type": "null"}]}}
    replace_unions(schema, MODELS)
    chosen = condition(pets, MODELS)
    assert schema == {"a": [chosen | {"default": 1}], "b": {"if": {"type": "null"}, "else": chosen}}


@pytest.fixture(scope="module")
def editor() -> Iterator[LanguageServer]:
    if not SCRIPT.exists():
        pytest.skip("The YAML language server is not installed: it needs Node.js and npm, and `make test` installs it.")
    with LanguageServer(SCRIPT, ROOT, ROOT / "stacks") as server:
        yield server


NOT_ACCEPTED = "Value is not accepted. Valid values: "
GKE = "gpuNodePools:\n    a:\n      provider: gke\n      "
EKS = "gpuNodePools:\n    a:\n      provider: eks\n      "


@pytest.mark.parametrize(
    ("text", "underlined"),
    [
        ("jobset: {replica: 2}", [Mistake(2, "replica", "Property replica is not allowed.")]),
        ('jobset: {replicas: "2"}', [Mistake(2, '"2"', 'Incorrect type. Expected "integer | null".')]),
        (
            "jobset: {mode: extern}",
            [Mistake(2, "extern", NOT_ACCEPTED + '"managed", "external".')],
        ),
        ("jobset: {mode: external, replicas: 2}", [Mistake(2, "replicas", "Property replicas is not allowed.")]),
        ("trainer: {stack: a/b/c, replicas: 2}", [Mistake(2, "replicas", "Property replicas is not allowed.")]),
        ("cluster: {stack: a/b/c, contxt: d}", [Mistake(2, "contxt", "Property contxt is not allowed.")]),
        (
            "runtimes:\n    a: {framework: torch, openmpiMajor: 4}",
            [Mistake(3, "openmpiMajor", "Property openmpiMajor is not allowed.")],
        ),
        (
            "runtimes:\n    a: {framework: deepspeed, gpusPerNode: eight}",
            [Mistake(3, "eight", 'Incorrect type. Expected "integer | null".')],
        ),
        (
            "runtimes:\n    a: {framework: deepsped, gpusPerNode: 8}",
            [
                Mistake(
                    3,
                    "deepsped",
                    NOT_ACCEPTED + '"torch", "torch-with-cache", "torchtune", "deepspeed", "mlx", '
                    '"jax", "xgboost", "flux", "manifest".',
                )
            ],
        ),
        ("runtimes:\n    a: {node: 4}", [Mistake(3, "node", "Property node is not allowed.")]),
        (
            "runtimes:\n    a: {framework: torch, volumes: {/data: {name: data, storage: 1Gi, emptyDir: {}}}}",
            [Mistake(3, "emptyDir", "Property emptyDir is not allowed.")],
        ),
        (
            "gpuNodePools:\n    a: {provider: gkee}",
            [
                Mistake(
                    3,
                    "gkee",
                    NOT_ACCEPTED + '"gke", "eks", "aks", "karpenter", "simulated", "existing", "stack".',
                )
            ],
        ),
        (
            GKE + "machineType: a3-highgpu-8g\n      cluster: c\n      location: l\n      zones: [z]\n"
            "      size: {min: 0, max: 1}\n      capacity: {kind: spott}",
            [
                Mistake(
                    10,
                    "spott",
                    NOT_ACCEPTED + '"on-demand", "spot", "flex-start", "queued", "reservation".',
                )
            ],
        ),
        (
            GKE + "machineType: a3-highgpu-8g\n      cluster: c\n      location: l\n      zones: [z]\n"
            "      size: {min: 0, max: 1}\n      nodeRoleArn: x",
            [Mistake(10, "nodeRoleArn", "Property nodeRoleArn is not allowed.")],
        ),
    ],
)
def test_an_editor_underlines_the_mistake_itself(editor: LanguageServer, text: str, underlined: list[Mistake]) -> None:
    assert editor.mistakes(HEAD + text + "\n") == underlined


def offered(editor: LanguageServer, text: str) -> set[str]:
    """What is completed, without the snippets that the server names after a model."""
    return {label for label in editor.completions(HEAD + text) if not label[0].isupper()}


def test_an_editor_completes_the_kinds(editor: LanguageServer) -> None:
    assert {"gke", "eks", "aks", "karpenter", "simulated", "existing", "stack"} == offered(
        editor, "gpuNodePools:\n    a:\n      provider: "
    )
    assert {"torch", "torch-with-cache", "torchtune", "deepspeed", "mlx", "jax", "xgboost", "flux", "manifest"} == (
        offered(editor, "runtimes:\n    a:\n      framework: ")
    )
    assert offered(editor, GKE + "capacity:\n        kind: ") == {
        "on-demand",
        "spot",
        "flex-start",
        "queued",
        "reservation",
    }
    assert offered(editor, EKS + "capacity:\n        kind: ") == {"on-demand", "spot", "reservation", "capacity-block"}


def test_an_editor_completes_the_keys_of_the_provider_and_the_framework_only(editor: LanguageServer) -> None:
    gke, eks = offered(editor, GKE), offered(editor, EKS)
    assert {"location", "zones", "compact", "machineType"} <= gke
    assert {"subnetIds", "nodeRoleArn", "machineType"} <= eks
    assert not gke & {"subnetIds", "nodeRoleArn", "framework", "provider"}
    assert not eks & {"location", "zones", "framework", "provider"}
    torch = offered(editor, "runtimes:\n    a:\n      framework: torch\n      ")
    deepspeed = offered(editor, "runtimes:\n    a:\n      framework: deepspeed\n      ")
    assert "openmpiMajor" in deepspeed - torch
    assert not torch & {"storage", "model", "modelUri", "datasetUri", "initializerServiceAccount"}
    assert "gpusPerNode" in torch & deepspeed


@pytest.mark.parametrize("cloud", ["gke", "eks", "aks"])
def test_an_editor_completes_the_machine_types_of_the_cloud(editor: LanguageServer, cloud: Any) -> None:
    text = f"gpuNodePools:\n    a:\n      provider: {cloud}\n      machineType: "
    assert set(editor.completions(HEAD + text)) == set(machines(cloud))

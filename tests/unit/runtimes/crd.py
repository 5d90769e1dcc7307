"""The CRD of Trainer 2.3.0 as a tree of fields, and the smallest manifests that reach each of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from tests.upstream import TRAINER_NOW

Schema = dict[str, Any]
ITEM = "[]"
"""A step into a list."""
VALUE = "{}"
"""A step into a mapping of any keys."""


def read_schema() -> Schema:
    """The schema of upstream's CRD, from the pinned Go module."""
    file = TRAINER_NOW.crd_files["clustertrainingruntimes.trainer.kubeflow.org"]
    crd = yaml.load(file.read_text(), Loader=yaml.CSafeLoader)
    schema: Schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema


POLICY = ("spec", "template", "spec", "volumeClaimPolicies", ITEM)
FILLED: Mapping[tuple[str, ...], dict[str, Any]] = {
    ("spec",): {"mlPolicy": {}},
    ("spec", "template"): {"spec": {}},
    ("spec", "template", "spec"): {"replicatedJobs": []},
    POLICY: {"templates": []},
    (*POLICY, "templates", ITEM): {"metadata": {}},
}
"""What objects need beyond their required fields: by minProperties, or by expressions of the CRD."""


@dataclass(frozen=True)
class Field:
    """A field of the API."""

    steps: tuple[str, ...]
    schema: Schema
    required: bool

    @property
    def path(self) -> str:
        """As a violation shows it."""
        shown = ""
        for step in self.steps:
            shown += "[0]" if step == ITEM else "[key]" if step == VALUE else f".{step}" if shown else step
        return shown

    @property
    def kind(self) -> str:
        return kind_of(self.schema)


def kind_of(schema: Schema) -> str:
    if schema.get("x-kubernetes-int-or-string"):
        return "quantity" if "pattern" in schema else "int-or-string"
    if schema["type"] == "object" and "additionalProperties" in schema:
        return "map"
    return str(schema["type"])


def fields(schema: Schema, steps: tuple[str, ...] = (), required: bool = False) -> Iterator[Field]:
    """Every field below a schema but the runtime's own metadata, of which the CRD says nothing."""
    if steps:
        yield Field(steps, schema, required)
    for name, inner in schema.get("properties", {}).items():
        if (*steps, name) != ("metadata",):
            yield from fields(inner, (*steps, name), name in schema.get("required", ()))
    if "items" in schema:
        yield from fields(schema["items"], (*steps, ITEM))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from fields(schema["additionalProperties"], (*steps, VALUE))


def at(schema: Schema, steps: tuple[str, ...]) -> Schema:
    """The schema at the end of `steps`."""
    for step in steps:
        schema = schema["items"] if step == ITEM else schema["properties"][step]
    return schema


def smallest(schema: Schema, steps: tuple[str, ...] = ()) -> Any:
    """The smallest value that a schema allows."""
    kind = kind_of(schema)
    if kind == "array":
        return [smallest(schema["items"], (*steps, ITEM))]
    if kind == "map":
        return {"key": smallest(schema["additionalProperties"], (*steps, VALUE))}
    if kind != "object":
        text = "2006-01-02T15:04:05Z" if schema.get("format") == "date-time" else schema.get("enum", ["a"])[0]
        return {"quantity": "1Gi", "int-or-string": 80, "integer": 1, "boolean": True, "string": text}[kind]
    value = {name: smallest(schema["properties"][name], (*steps, name)) for name in schema.get("required", ())}
    return value | FILLED.get(steps, {})


def defaulted(schema: Schema, value: Any) -> Any:
    """A value as the API server stores it: with the CRD's defaults."""
    if isinstance(value, list):
        return [defaulted(schema["items"], item) for item in value]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    defaults = {name: inner["default"] for name, inner in schema["properties"].items() if "default" in inner}
    return {name: defaulted(schema["properties"].get(name, {}), inner) for name, inner in (defaults | value).items()}


def manifest(schema: Schema, steps: tuple[str, ...], value: Any) -> dict[str, Any]:
    """The smallest runtime in which `value` stands at the end of `steps`."""
    smallest_runtime = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "a"},
        "spec": {"mlPolicy": {}},
    }
    return {**smallest_runtime, **_with(schema, steps, value, ())}


def _with(schema: Schema, steps: tuple[str, ...], value: Any, done: tuple[str, ...]) -> Any:
    if not steps:
        return value
    step, *rest = steps
    below = (*done, step)
    if step == ITEM:
        return [_with(schema["items"], tuple(rest), value, below)]
    if step == VALUE:
        return {"key": _with(schema["additionalProperties"], tuple(rest), value, below)}
    around = smallest(schema, done)
    return around | {step: _with(schema["properties"][step], tuple(rest), value, below)}

"""The JSON Schema of stack files, with which editors complete, explain and check them."""

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from components.gpu_node_pool.cloud import CloudPool
from components.gpu_node_pool.machines import machines
from components.k8s.base import ApiModel

from ..settings.model import StackConfig
from ..settings.runtimes import CatalogRuntime
from .choices import or_inherited, replace_unions
from .field_docs import docstrings, paragraphs

STACK_SCHEMA, BASE_SCHEMA = Path("stacks/reference/stack.json"), Path("stacks/reference/base.json")
"""Paths of the schemas of `Pulumi.<stack>.yaml` and of the files that it inherits from."""

KUBERNETES = "an object of Kubernetes, with its own keys"
"""The comment of models of Kubernetes objects. The comment of other models is the file that defines them."""

_DIALECT = "http://json-schema.org/draft-07/schema#"


class _Described(GenerateJsonSchema):
    """Adds the docstring of each field as its description."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        described = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        keys = described.get("properties", {})
        if issubclass(model, CatalogRuntime):
            keys.pop("name", None)  # the key above is the runtime's name
        if issubclass(model, CloudPool):
            keys["machineType"]["examples"] = sorted(machines(model.cloud))
        for key, text in docstrings(model).items():
            if key in keys:
                keys[key]["description"] = text
        if "description" in described:
            described["description"] = paragraphs(described["description"])
        described["$comment"] = (
            KUBERNETES if issubclass(model, ApiModel) else model.__module__.replace(".", "/") + ".py"
        )
        return described

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        described = super().tagged_union_schema(schema)
        described.pop("discriminator", None)  # OpenAPI's, and unknown to editors
        return described

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - of pydantic's class
        return False


def sections_schema() -> dict[str, Any]:
    """The schema of the sections, as the models have it."""
    return StackConfig.model_json_schema(by_alias=True, schema_generator=_Described)


def stack_schema(project: str) -> dict[str, Any]:
    """The schema of a stack's file in the project of that name."""
    sections = sections_schema()
    models = sections["$defs"]
    for named in ("gpuNodePools", "runtimes"):
        members = sections["properties"][named]
        members["additionalProperties"] = or_inherited(members["additionalProperties"]["oneOf"], models)
    replace_unions(sections, models)
    config = {
        "type": "object",
        "properties": {f"{project}:{key}": value for key, value in sections["properties"].items()},
        # Keys of providers (`gcp:project`) are theirs.
        "patternProperties": {f"^(?!{project}:)[^:]+:": {}},
        "additionalProperties": False,
    }
    pulumi = {key: {"type": "string"} for key in ("secretsprovider", "encryptedkey", "encryptionsalt")}
    return {
        "$schema": _DIALECT,
        "title": f"A stack's file of {project}",
        "type": "object",
        "properties": {"config": config, "environment": {}, **pulumi},
        "additionalProperties": False,
        "required": ["config"],
        "$defs": models,
    }


def base_schema(project: str) -> dict[str, Any]:
    """The schema of an inherited file: the same sections, without the project's name as prefix."""
    keys = [field.alias or name for name, field in StackConfig.model_fields.items() if name != "inherits"]
    section = f"{STACK_SCHEMA.name}#/properties/config/properties/{project}:"
    return {
        "$schema": _DIALECT,
        "title": f"What stack files of {project} inherit",
        "type": "object",
        "properties": {key: {"$ref": section + key} for key in keys},
        "additionalProperties": False,
    }


def to_json(schema: dict[str, Any]) -> str:
    """The text of the schema's file."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"

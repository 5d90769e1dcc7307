"""Unions in a JSON Schema as `if` and `then`: only the chosen member is checked, so that an editor underlines the
mistake itself, and completes the keys of this member only.

Of a `oneOf`, an editor shows the errors of the member that it takes for the nearest, or only that none fits.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]


@dataclass(frozen=True)
class Member:
    """One object of a union."""

    schema: Schema
    """The reference to its model."""

    model: Schema

    def const(self, key: str) -> str | None:
        """The only value that a key may have, if it has one."""
        found = self.model["properties"].get(key, {}).get("const")
        return found if isinstance(found, str) else None

    def requires(self, key: str) -> bool:
        """Whether a key must be there."""
        return key in self.model.get("required", ())


def replace_unions(schema: Schema, models: Mapping[str, Schema]) -> None:
    """Replace each `oneOf` of a schema by conditions. Pydantic writes `oneOf` for tagged unions only."""
    for node in list(_nodes(schema)):
        match node:
            case {"anyOf": [{"oneOf": options}, {"type": "null"}]}:
                del node["anyOf"]
                node.update({"if": {"type": "null"}, "else": condition(options, models)})
        if options := node.pop("oneOf", None):
            node.update(condition(options, models))


def or_inherited(options: list[Schema], models: Mapping[str, Schema]) -> Schema:
    """A named member of a section: as in `condition` if it says its kind, else what it changes in the inherited file,
    with the keys of all members. Null removes it."""
    members = [_member(option, models) for option in options]
    chosen = condition(options, models)
    [key] = chosen["properties"]
    kinds = [{"required": [name]} for name in (key, *(_own_key(member, members) for member in members)) if name]
    keys = {name: value for member in members for name, value in member.model["properties"].items() if name != key}
    changes = {name: {"description": value["description"]} for name, value in keys.items() if "description" in value}
    return {
        "type": ["object", "null"],
        "if": {"type": "object", "anyOf": kinds},
        "then": chosen,
        "else": {
            "properties": chosen["properties"] | {name: {} for name in keys} | changes,
            "additionalProperties": False,
        },
    }


def condition(options: list[Schema], models: Mapping[str, Schema]) -> Schema:
    """The conditions that stand for a union, of objects or of an object and a scalar."""
    scalars = [option for option in options if "$ref" not in option]
    members = [_member(option, models) for option in options if "$ref" in option]
    key = _common_key(members)
    if key and len(members) > 1:
        return _by_value(key, members)
    if scalars:
        return {"if": {"type": "object"}, "then": members[0].schema, "else": scalars[0]}
    return _by_presence(members)


def _member(option: Schema, models: Mapping[str, Schema]) -> Member:
    return Member(option, models[option["$ref"].rpartition("/")[2]])


def _common_key(members: list[Member]) -> str | None:
    """The key whose value chooses the member: it has one value in each."""
    return next((key for key in members[0].model["properties"] if all(member.const(key) for member in members)), None)


def _own_key(member: Member, members: list[Member]) -> str | None:
    """A key that a member requires and no other one has, unless it requires the common key as well."""
    common = _common_key(members)
    if common and member.requires(common):
        return None
    others = {key for other in members if other is not member for key in other.model["properties"]}
    return next((key for key in member.model.get("required", ()) if key not in others), None)


def _by_value(key: str, members: list[Member]) -> Schema:
    conditions: list[Schema] = []
    choosing: list[Schema] = [{"required": [key]}]
    for member in members:
        # Not `const`: with it, the YAML language server completes the keys of all members whose value begins alike.
        chosen: Schema = {"properties": {key: {"pattern": f"^{re.escape(member.const(key) or '')}$"}}}
        own = _own_key(member, members)
        if member.requires(key):
            chosen["required"] = [key]
        elif own:
            choosing.append({"required": [own]})
            chosen["anyOf"] = [{"required": [key]}, {"required": [own]}]
        else:
            choosing.append({})  # meant without any key
        conditions.append({"if": chosen, "then": member.schema})
    if {} not in choosing:
        conditions.append({"if": {"not": {"anyOf": choosing}}, "then": {"required": [key]}})
    values = [member.const(key) for member in members]
    return {"type": "object", "properties": {key: {"enum": values}}, "allOf": conditions}


def _by_presence(members: list[Member]) -> Schema:
    """By the key that only one member has. The first one without such a key is meant where none is present."""
    chosen = next((member for member in members if not _own_key(member, members)), members[0])
    result = chosen.schema
    for member in members:
        if member is not chosen:
            result = {"if": {"required": [_own_key(member, members)]}, "then": member.schema, "else": result}
    return dict(result)


def _nodes(node: Any) -> Iterator[Schema]:
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _nodes(child)

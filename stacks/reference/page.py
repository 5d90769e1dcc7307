"""The reference page of stack files, generated from the models by `python -m stacks write`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..settings.project import project_name
from ..settings.stack_file import FOLDER
from .json_schema import KUBERNETES, sections_schema

PAGE = Path("docs/stack-file.md")

_EXAMPLES = {
    "inherits": "staging",
    "cluster": "dev",
    "gpuNodePools": "staging",
    "jobset": "prod",
    "trainer": "layers-team",
    "runtimes": "dev",
    "validation": "staging",
    "images": "prod",
    "policies": "prod",
}
"""The stack file with the example of each section."""

_WORDS = {"object": "mapping", "boolean": "true or false"}
_LIMITS = {"minimum": "at least", "maximum": "at most"}

_HEAD = """# The stack file

This page lists every key of `stacks/Pulumi.<stack>.yaml`.
It is generated from the models (`python -m stacks write`).
So is the JSON schema in `stacks/reference`, which an editor uses to complete and check stack files; the first line of \
each file names it.

- Keys are camelCase.
- Durations are numbers, and the name of the key has the unit.
- Quantities are written as in Kubernetes: `500m`, `16Gi`.
- Write the name of the project before each section, as in `{project}:jobset`; base files omit it.
- `cluster` is required.
  Any other section that is absent is a layer that the stack does not deploy.
- No key takes a secret.
"""


def reference() -> str:
    """The text of the page."""
    project = project_name()
    schema = sections_schema()
    models, told = schema["$defs"], set[str]()
    parts = [_HEAD.format(project=project)]
    for name, section in schema["properties"].items():
        example = _example(f"{project}:{name}", _EXAMPLES[name])
        parts.append(f"## {name}\n\n{section['description']}\n\n```yaml\n{example}\n```\n")
        for model in _models(section, models, told):
            parts.append(_model(model, models[model]))
    return "\n".join(parts)


def _example(key: str, stack: str) -> str:
    """A section of a stack file, as text."""
    lines = (FOLDER / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8").splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith(f"  {key}:"))
    end = next((i for i in range(start + 1, len(lines)) if not lines[i].startswith("   ")), len(lines))
    return "\n".join(line[2:] for line in lines[start:end])


def _models(part: Any, models: Mapping[str, Any], told: set[str]) -> Iterator[str]:
    """The models that a part of the schema refers to, without those of Kubernetes and those that the page has
    already."""
    waiting = [*_references(part)]
    while waiting:
        name = waiting.pop(0)
        if name not in told and models[name]["$comment"] != KUBERNETES:
            told.add(name)
            yield name
            waiting.extend(_references(models[name]))


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, Mapping):
        if "$ref" in part:
            yield part["$ref"].rpartition("/")[2]
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list):
        for item in part:
            yield from _references(item)


def _model(name: str, model: Mapping[str, Any]) -> str:
    required = model.get("required", ())
    rows = [
        f"| `{key}` | {_type(value)} | {_default(key, value, required)} | {_cell(value.get('description', ''))} |"
        for key, value in model.get("properties", {}).items()
    ]
    source = f"[{model['$comment']}](../{model['$comment']})"
    head = f"### {name}\n\n{model.get('description', '')} Source: {source}.\n"
    return "\n".join([head, "| key | type | default | meaning |", "| --- | --- | --- | --- |", *rows, ""])


def _default(key: str, value: Mapping[str, Any], required: list[str]) -> str:
    if key in required:
        return "required"
    default = value.get("default")
    if default in (None, [], {}) or isinstance(default, Mapping):
        return ""
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _type(value: Mapping[str, Any]) -> str:
    """The name of a type for readers."""
    match value:
        case {"$ref": reference}:
            said = str(reference).rpartition("/")[2]
        case {"const": word}:
            said = f"`{word}`"
        case {"enum": words}:
            said = ", ".join(f"`{word}`" for word in words)
        case {"anyOf": options} | {"oneOf": options}:
            said = " or ".join(dict.fromkeys(_type(option) for option in options if option.get("type") != "null"))
        case {"type": "array", "items": items}:
            said = f"list of {_type(items)}"
        case {"type": "object", "additionalProperties": dict() as inner} if inner:
            said = f"mapping to {_type(inner)}"
        case {"type": kind}:
            said = _WORDS.get(kind, kind) + "".join(
                f", {word} {value[key]}" for key, word in _LIMITS.items() if key in value
            )
        case _:
            said = "anything"
    return said


def _cell(text: str) -> str:
    return text.replace("\n\n", "<br>").replace("|", "\\|")

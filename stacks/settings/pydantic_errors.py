"""Translates pydantic's errors about a stack file to violations with the file's keys."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from components.validation.errors import rule_error, yaml_repr
from components.validation.model_fields import keys_of, place_at
from components.validation.paths import FieldPath, format_path, remove_paths
from components.validation.pydantic_errors import Mistake, Words
from components.validation.violation import Violation

from .runtimes import CATALOG_RUNTIMES, CatalogRuntime, Manifest

MAX_LISTED = 80
"""Maximum length of a list of known keys after a fix."""

_ADD = {"cluster": "Add `cluster`, with the `context` of a kubeconfig: a stack deploys to the cluster that it names."}


def translate_errors(error: ValidationError, model: type[BaseModel], config: Mapping[str, Any]) -> Iterator[Violation]:
    """Yields a violation for each error about a config for `model`."""
    if misplaced := [*_sections_below(config, keys_of(model))]:
        yield from map(_misplaced, misplaced)
        yield from _errors_of(remove_paths(config, misplaced), model)
        return
    found: list[Violation] = []
    spelt, errors = config, error.errors(include_url=False)
    for details in errors:
        if details["type"] == "missing" and _is_there_misspelt(details, errors):
            continue
        mistake = _mistake(details, model, config)
        if details["type"] == "union_tag_not_found" and (misspelt := _misspelt(mistake.key, details["input"])):
            section = details["loc"]
            message = _no_key(misspelt, format_path(section))
            yield Violation("STK-01", format_path((*section, misspelt)), message, f"Did you mean `{mistake.key}`?")
            spelt = _rename_key(spelt, section, misspelt, mistake.key)
        said = _WORDS.explain(mistake).context or {}
        found.append(Violation(said["rule"], format_path(mistake.loc), said["message"], said["fix"]))
    if spelt is config:
        yield from found
        return
    # What else is there can be checked only where it is known what it is meant for.
    yield from _errors_of(spelt, model)


def _errors_of(config: Mapping[str, Any], model: type[BaseModel]) -> Iterator[Violation]:
    try:
        model.model_validate(config, by_alias=True, by_name=False)
    except ValidationError as error:
        yield from translate_errors(error, model, config)


def _sections_below(config: Mapping[str, Any], sections: Sequence[str]) -> Iterator[FieldPath]:
    """Sections that are indented too deep: `training-platform:jobset` anywhere below another section, or the name of a
    section in place of a pool or runtime."""
    for section, value in config.items():
        for loc in _paths(value, (section,)):
            namespace, _, name = str(loc[-1]).rpartition(":")
            # The kind of a pool and of a runtime is always said.
            inner = value[loc[1]] if len(loc) == 2 else None
            is_alone = section in ("gpuNodePools", "runtimes") and isinstance(inner, Mapping)
            is_pool = is_alone and {"provider", "framework", "manifest"} & set(inner or ())
            if name in sections and (namespace or (is_alone and not is_pool)):
                yield loc


def _paths(value: object, loc: FieldPath) -> Iterator[FieldPath]:
    """Paths of all keys, down to those of pools and runtimes."""
    if isinstance(value, Mapping) and len(loc) <= MAX_SECTION_DEPTH:
        for key, inner in value.items():
            yield (*loc, key)
            yield from _paths(inner, (*loc, key))


MAX_SECTION_DEPTH = 2
"""Maximum number of keys above a misplaced section."""


def _misplaced(loc: FieldPath) -> Violation:
    message = f"The section `{loc[-1]}` is indented too deep: it is a key of `{format_path(loc[:-1])}`."
    return Violation("STK-01", format_path(loc), message, f"Indent it like the section `{loc[0]}`.")


def _mistake(details: ErrorDetails, model: type[BaseModel], config: Mapping[str, Any]) -> Mistake:
    # Pydantic marks what is wrong with a key of a mapping.
    loc = details["loc"]
    place = place_at(model, tuple(part for part in loc if part != "[key]"), config)
    if place.one_of and details["type"].startswith("union_tag") and _may_have_keys(details["input"]):
        loc = (*loc, place.one_of.key)
    return Mistake(loc, details, place.owner, place.chosen(details["input"]).models, place.tags)


def _may_have_keys(value: object) -> bool:
    """Whether a value is a mapping, or a spec that a program has built."""
    return isinstance(value, Mapping | BaseModel)


def _misspelt(key: str, given: object) -> str | None:
    """A key that is probably a misspelling of the missing one."""
    words = [str(each) for each in given] if isinstance(given, Mapping) and key not in given else []
    return next(iter(get_close_matches(key, words, n=1)), None)


def _is_there_misspelt(missing: ErrorDetails, errors: Sequence[ErrorDetails]) -> bool:
    """Whether the missing key is probably misspelled. The misspelled key is then reported as unknown."""
    *section, key = missing["loc"]
    unknown = [str(each["loc"][-1]) for each in errors if each["type"] == "extra_forbidden"]
    beside = [each for each in unknown if (*section, each) in [other["loc"] for other in errors]]
    return bool(get_close_matches(str(key), beside, n=1))


def _rename_key(config: Any, loc: FieldPath, misspelt: str, key: str) -> Any:
    """A copy of the config in which a key of the mapping at `loc` is renamed."""
    if not loc:
        return {key if name == misspelt else name: value for name, value in config.items()}
    inner = _rename_key(config[loc[0]], loc[1:], misspelt, key)
    if isinstance(config, Mapping):
        return {**config, loc[0]: inner}
    return [inner if index == loc[0] else item for index, item in enumerate(config)]


def _no_key(key: str, section: str) -> str:
    return f"`{section}` has no key `{key}`." if section else f"Unknown section `{key}`."


class _StackWords(Words):
    """Words for authors of a stack file."""

    absent: ClassVar[str] = "STK-02"
    unknown: ClassVar[str] = "STK-01"
    invalid: ClassVar[str] = "STK-03"

    def unknown_key(self, mistake: Mistake) -> PydanticCustomError:
        known = mistake.known
        if mistake.owner and issubclass(mistake.owner, CatalogRuntime):
            known.remove("name")  # whoever is told of it would only be told next to take it out
        message = _no_key(mistake.key, format_path(mistake.loc[:-1]))
        hint = _hint(mistake.key, mistake.owner)
        return rule_error(self.unknown, message, hint or self.suggest(mistake.key, known))

    def missing_key(self, mistake: Mistake) -> PydanticCustomError:
        fix = _ADD.get(format_path(mistake.loc), f"Add `{mistake.key}`.")
        return rule_error(self.absent, f"`{mistake.key}` is required.", fix)

    def missing_choice(self, mistake: Mistake) -> PydanticCustomError:
        if mistake.value is None:
            return rule_error("STK-04", f"`{mistake.key}` is empty.", "Set a value, or remove it.")
        if not _may_have_keys(mistake.value):
            message = f"{yaml_repr(mistake.value)} is not a mapping."
            if any(mistake.key in keys_of(model) for model in mistake.models):
                section = format_path(mistake.loc[:-1])
                fix = f"Indent it more: `{mistake.key}` is a key of an entry of `{section}`."
            else:
                fix = "Write a mapping."
            return rule_error(self.invalid, message, fix)
        if isinstance(mistake.value, Mapping) and mistake.key in mistake.value:
            fix = f"Set `{mistake.key}`. {self.suggest('', mistake.tags)}"
            return rule_error("STK-04", f"`{mistake.key}` is empty.", fix)
        return super().missing_choice(mistake)

    def wrong_type(self, mistake: Mistake, expected: str) -> PydanticCustomError:
        value = mistake.value
        if mistake.key == "version" and isinstance(value, int | float) and not isinstance(value, bool):
            whole = ".".join([*str(value).split("."), "0", "0"][:3])
            message = f"{value} is a number, not a complete version."
            return rule_error(self.invalid, message, f'Write the complete version in quotes: "{whole}".')
        said = super().wrong_type(mistake, expected)
        message = (said.context or {})["message"]
        if expected == "a mapping" and isinstance(value, list):
            return rule_error(self.invalid, message, _by_name(mistake.key, value))
        if mistake.details["type"] in ("model_type", "model_attributes_type"):
            return rule_error(self.invalid, message, _mapping(value, mistake.models))
        return said


_WORDS = _StackWords()


def suggest(word: str, known: Sequence[str]) -> str:
    """The fix for an unknown word: the most similar known word, or a list of all."""
    return _WORDS.suggest(word, known)


def _by_name(key: str, items: Sequence[object]) -> str:
    """The fix for a list of named items where a mapping by name is expected."""
    names = [str(item["name"]) for item in items if isinstance(item, Mapping) and item.get("name")]
    inner = {"env": "value"}.get(key, "{...}")
    return f"Write a mapping, with names as keys: `{key}: {{{names[0] if names else 'name'}: {inner}}}`."


_HINTS = {
    "nodeSelector": "To choose nodes, set `nodePool` to a pool of `gpuNodePools`.",
    "tolerations": "To choose nodes, set `nodePool` to a pool of `gpuNodePools`: its taints are tolerated.",
    "affinity": "To choose nodes, set `nodePool` to a pool of `gpuNodePools`.",
    "numNodes": "Set `nodes`.",
    "replicas": "Set `nodes`.",
    "numProcPerNode": "Set `gpusPerNode`: one process is started for each GPU.",
    "resources": "Set `gpusPerNode`, `cpusPerNode` and `memoryPerNode`.",
    "command": "Leave it to TrainJobs, or give the whole runtime as a `manifest`.",
    "args": "Leave it to TrainJobs, or give the whole runtime as a `manifest`.",
    "serviceAccountName": "Set `serviceAccount`.",
    "imagePullSecrets": "Set `pullSecrets`.",
    "priorityClassName": "Set `priorityClass`.",
    "schedulerName": "Set `scheduler`.",
}
"""Keys of Kubernetes and Trainer that runtimes of the catalogue have under another name, or do not have."""


def _hint(key: str, owner: type[BaseModel] | None) -> str | None:
    """The fix for a key that a runtime or pool has under another name."""
    if key == "startupTaints":
        return "Remove it: only pools of the provider `karpenter` have startup taints, which an agent removes."
    if owner and issubclass(owner, CatalogRuntime) and key not in keys_of(owner):
        return _HINTS.get(key)
    if owner is Manifest and any(key in keys_of(each) for each in CATALOG_RUNTIMES):
        return f"Set it in the manifest, or name a `framework` instead of a `manifest`: only that has `{key}`."
    return "Set it in the manifest." if owner is Manifest and key in _HINTS else None


def _mapping(value: object, models: Sequence[type[BaseModel]]) -> str:
    """The fix for a value that must be a mapping of one of these models."""
    if len(models) == 1:
        if isinstance(value, int) and not isinstance(value, bool) and "max" in keys_of(models[0]):
            return f"Write `{{max: {value}}}`."
        known = ", ".join(f"`{key}`" for key in sorted(keys_of(models[0])))
        return "Write a mapping." + (f" Keys known there: {known}." if len(known) <= MAX_LISTED else "")
    words = sorted((f"{{{key}: {word}}}", word) for model in models for key, word in _choice(model))
    if meant := [text for text, word in words if word == value]:
        return f"Write `{meant[0]}`."
    return f"Write {' or '.join(f'`{text}`' for text, _ in words)}, with the other keys that it has."


def _choice(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """The key and the value that select this model in a union."""
    for name, field in model.model_fields.items():
        words = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
        # A choice between several says nothing about the variant.
        if len(words) == 1:
            yield field.alias or name, words[0]

"""Pydantic's errors about a stack's config, in the user's own keys and in plain words."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError
from pydantic_core import ErrorDetails

from components.validation.errors import RULE_ERROR, wrong_type, yaml_repr
from components.validation.near import nearest
from components.validation.paths import FieldPath, format_path
from components.validation.violation import Violation

from .runtimes import CatalogRuntime

_EXPECTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
}


_LIMITS = {
    "greater_than_equal": "Write {ge} or more.",
    "less_than_equal": "Write {le} or less.",
    "finite_number": "Write a finite number.",
    "string_too_short": "Write at least {min_length} character.",
    "string_pattern_mismatch": "Write what matches {pattern}",
}

_SHORT = 80
"""Characters of a list of keys that nobody asked for."""

_ADD = {"cluster": "Add `cluster`, with the `context` of a kubeconfig: a stack deploys to the cluster that it names."}


def translate_errors(error: ValidationError, model: type[BaseModel], config: Mapping[str, Any]) -> Iterator[Violation]:
    """Everything that `error` says about a config that was meant for `model`."""
    found: list[Violation] = []
    spelt, errors = config, error.errors(include_url=False)
    for details in errors:
        if details["type"] == "missing" and _is_there_misspelt(details, errors):
            continue
        loc, owner, options = _user_path(model, details["loc"])
        if details["type"] in ("union_tag_not_found", "union_tag_invalid"):
            key = details["ctx"]["discriminator"].strip("'()")
            if misspelt := _misspelt(key, details):
                message = _no_key(misspelt, format_path(loc))
                yield Violation("STK-01", format_path((*loc, misspelt)), message, f"Did you mean `{key}`?")
                spelt = _rename_key(spelt, loc, misspelt, key)
            if details["input"] is not None:
                loc = (*loc, key)
        rule, message, fix = _explained(details, loc, owner, [tag for option in options for tag in _tags(option)])
        if details["type"] in ("model_type", "model_attributes_type"):
            fix = _mapping(details["input"], [bare for option in options if _is_model(bare := _bare(option))])
        found.append(Violation(rule, format_path(loc), message, fix))
    if spelt is config:
        yield from found
        return
    # What else is there can be checked only where it is known what it is meant for.
    try:
        model.model_validate(spelt, by_alias=True, by_name=False)
    except ValidationError as rest:
        yield from translate_errors(rest, model, spelt)


def _misspelt(key: str, details: ErrorDetails) -> str | None:
    """What was probably meant for the key that is missing."""
    given = details["input"] if details["type"] == "union_tag_not_found" else None
    words = [str(each) for each in given] if isinstance(given, Mapping) and key not in given else []
    return next(iter(get_close_matches(key, words, n=1)), None)


def _is_there_misspelt(missing: ErrorDetails, errors: Sequence[ErrorDetails]) -> bool:
    """Whether a key that is missing was meant by one beside it that is not known, which is told."""
    *section, key = missing["loc"]
    unknown = [str(each["loc"][-1]) for each in errors if each["type"] == "extra_forbidden"]
    beside = [each for each in unknown if (*section, each) in [other["loc"] for other in errors]]
    return bool(get_close_matches(str(key), beside, n=1))


def _rename_key(config: Any, loc: FieldPath, misspelt: str, key: str) -> Any:
    """A copy of the config with a key of the mapping at `loc` spelt otherwise."""
    if not loc:
        return {key if name == misspelt else name: value for name, value in config.items()}
    inner = _rename_key(config[loc[0]], loc[1:], misspelt, key)
    if isinstance(config, Mapping):
        return {**config, loc[0]: inner}
    return [inner if index == loc[0] else item for index, item in enumerate(config)]


def _no_key(key: str, section: str) -> str:
    return f"`{section}` has no key `{key}`." if section else f"There is no section `{key}`."


def _explained(
    details: ErrorDetails, loc: FieldPath, owner: type[BaseModel] | None, tags: Sequence[str]
) -> tuple[str, str, str]:
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    key, section = str(loc[-1]), format_path(loc[:-1])
    known = keys_of(owner) if owner else []
    if owner and issubclass(owner, CatalogRuntime):
        known.remove("name")  # whoever is told of it would only be told next to take it out
    match kind:
        case "extra_forbidden":
            said = "STK-01", _no_key(key, section), suggest(key, known)
        case "missing":
            said = "STK-02", f"`{key}` is missing.", _ADD.get(format_path(loc), f"Add `{key}`.")
        case "union_tag_not_found":
            said = _no_word(key, value, tags)
        case "union_tag_invalid":
            said = "STK-03", f"{yaml_repr(context['tag'])} is not known here.", suggest(context["tag"], tags)
        case "literal_error":
            said = "STK-03", f"{yaml_repr(value)} is not known here.", f"Write {context['expected']}."
        case _ if kind == RULE_ERROR:
            said = context["rule"], context["message"], context["fix"]
        case "string_type" if key == "version" and isinstance(value, int | float) and not isinstance(value, bool):
            whole = ".".join([*str(value).split("."), "0", "0"][:3])
            said = "STK-03", f"{value} is a number, and no whole version.", f'Write all of it, in quotes: "{whole}".'
        case _ if kind in _EXPECTED:
            refusal = wrong_type(value, _EXPECTED[kind]).context or {}
            said = "STK-03", refusal["message"], refusal["fix"]
        case _ if kind in _LIMITS:
            said = "STK-03", f"{yaml_repr(value)} is not allowed.", _LIMITS[kind].format(**context)
        case _:
            said = "STK-03", f"{yaml_repr(value)} is not allowed: {details['msg']}.", "Change it."
    return said


def _no_word(key: str, value: object, tags: Sequence[str]) -> tuple[str, str, str]:
    """What is said where the word that chooses a variant is not there, or is there and empty."""
    if value is None:
        return "STK-04", f"`{key}` is empty.", "Write what it is, or take it out."
    if isinstance(value, Mapping) and key in value:
        return "STK-04", f"`{key}` is empty.", f"Set `{key}`. {suggest('', tags)}"
    return "STK-02", f"`{key}` is missing.", f"Add `{key}`. {suggest('', tags)}"


def suggest(key: str, known: Sequence[str]) -> str:
    """What to do about a word that is not known: the one that was probably meant, or all that are known."""
    if meant := nearest(key, known):
        return f"Did you mean `{meant}`?"
    return f"Known here: {', '.join(f'`{each}`' for each in sorted(known))}."


def _mapping(value: object, models: Sequence[type[BaseModel]]) -> str:
    """What a mapping of one of these models looks like."""
    if len(models) == 1:
        known = ", ".join(f"`{key}`" for key in sorted(keys_of(models[0])))
        return "Write a mapping." + (f" Keys known there: {known}." if len(known) <= _SHORT else "")
    words = sorted((f"{{{key}: {word}}}", word) for model in models for key, word in _choice(model))
    if meant := [text for text, word in words if word == value]:
        return f"Write `{meant[0]}`."
    return f"Write {' or '.join(f'`{text}`' for text, _ in words)}, with the other keys that it has."


def _user_path(model: type[BaseModel], loc: FieldPath) -> tuple[FieldPath, type[BaseModel] | None, Sequence[Any]]:
    """The location without pydantic's own marks; the model whose key its last part is; what may stand there."""
    written: list[int | str] = []
    options: Sequence[Any] = [model]
    owner: type[BaseModel] | None = None
    for index, part in enumerate(loc):
        variant = [option for option in options if len(options) > 1 and part in [*_tags(option)]]
        # Rules of a model name its keys alone, and a key may be called like its variant: `capacity.reservation`.
        models = filter(_is_model, map(_bare, variant))
        is_key = index == len(loc) - 1 and any(part in keys_of(each) for each in models)
        if variant and not is_key:
            options = variant
        else:
            written.append(part)
            owner = next(filter(_is_model, map(_bare, options)), None)
            options = [inner for option in options for inner in _inside(_bare(option), part)]
    return tuple(written), owner, options


def _options(annotation: Any) -> Iterator[Any]:
    """The alternatives of an annotation, without None."""
    bare = _bare(annotation)
    if get_origin(bare) in (Union, UnionType):
        for argument in get_args(bare):
            yield from _options(argument)
    elif bare is not type(None):
        yield annotation


def _inside(annotation: Any, part: int | str) -> Iterator[Any]:
    """The alternatives of what stands at a key or an index."""
    if _is_model(annotation):
        for name, field in annotation.model_fields.items():
            if part in (name, field.alias):
                yield from _options(field.annotation)
    elif get_origin(annotation) in (dict, Mapping):
        yield from _options(get_args(annotation)[1])
    elif get_origin(annotation) is tuple:
        yield from _options(get_args(annotation)[0])


def _tags(option: Any) -> Iterator[str]:
    """The words that choose this variant."""
    bare = _bare(option)
    marks = get_args(option)[1:] if get_origin(option) is Annotated else ()
    if tags := [mark.tag for mark in marks if isinstance(mark, Tag)]:
        yield from tags
    elif _is_model(bare):
        yield from (word for _, word in _choice(bare))


def keys_of(model: type[BaseModel]) -> list[str]:
    """What a model's fields are called in a stack's file."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _choice(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """The key and the word that choose this model among others."""
    for name, field in model.model_fields.items():
        words = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
        # A choice between several says nothing about the variant.
        if len(words) == 1:
            yield field.alias or name, words[0]


def _bare(annotation: Any) -> Any:
    return _bare(get_args(annotation)[0]) if get_origin(annotation) is Annotated else annotation


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)

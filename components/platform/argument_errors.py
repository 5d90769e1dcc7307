"""Pydantic's errors about a dict of a program, in the program's own keys."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ..validation.errors import RULE_ERROR, wrong_type, yaml_repr
from ..validation.paths import FieldPath, format_path
from ..validation.violation import Violation

_EXPECTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a mapping",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
}


def argument_violations(
    error: ValidationError, model: type[BaseModel] | None, given: Any, path: str
) -> Iterator[Violation]:
    """Everything that is wrong with what is given for a `model` at `path`. None: there is no model."""
    errors = error.errors(include_url=False)
    unknown = [_written(details["loc"], given) for details in errors if details["type"] == "extra_forbidden"]
    for details in errors:
        loc = _written(details["loc"], given)
        beside = [str(other[-1]) for other in unknown if other[:-1] == loc[:-1]]
        if details["type"] == "missing" and get_close_matches(str(loc[-1]), beside, n=1):
            continue  # it is there, misspelt, which is said
        rule, message, fix = _explained(details, model, loc)
        where = format_path((path, *loc))
        yield in_program_spelling(Violation(rule, where, message, fix), spell_path=False)


def _explained(details: ErrorDetails, model: type[BaseModel] | None, loc: FieldPath) -> tuple[str, str, str]:
    kind, value, key = details["type"], details["input"], str(loc[-1]) if loc else ""
    match kind:
        case _ if kind == RULE_ERROR:
            return details["ctx"]["rule"], details["ctx"]["message"], details["ctx"]["fix"]
        case "extra_forbidden":
            known = [*model.model_fields] if model and len(loc) == 1 else []
            return "STK-01", f"There is no `{key}` here.", suggest(key, known) if known else f"Remove `{key}`."
        case "missing":
            return "STK-02", f"`{key}` is missing.", f"Add `{key}`."
        case _ if kind in _EXPECTED:
            context = wrong_type(value, _EXPECTED[kind]).context or {}
            return "STK-03", context["message"], f"Set {_EXPECTED[kind]}."
    expected = details["msg"].removeprefix("Input should be ")
    return "STK-03", f"{yaml_repr(value)} is not {expected}.", f"Set a value that is {expected}."


def _written(loc: FieldPath, given: Any) -> FieldPath:
    """A location as the program wrote it: snake_case, unless the key is there in another spelling."""
    written: list[int | str] = []
    for part in loc:
        here = part
        if isinstance(part, str) and not (isinstance(given, Mapping) and part in given):
            here = _snake_case(part)
        written.append(here)
        try:
            given = given[here]
        except (KeyError, IndexError, TypeError):
            given = None
    return tuple(written)


def in_program_spelling(violation: Violation, spell_path: bool = True) -> Violation:
    """A violation with keys in snake_case: those of its path, and those in backquotes in its texts."""

    def spelt(text: str) -> str:
        return re.sub(r"`([a-z]+(?:[A-Z][a-z]+)+)`", lambda word: f"`{_snake_case(word[1])}`", text)

    path = ".".join(map(_snake_case, violation.path.split("."))) if spell_path else violation.path
    return replace(violation, path=path, message=spelt(violation.message), fix=spelt(violation.fix))


def _snake_case(word: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda letter: f"_{letter[1].lower()}", word)


def suggest(key: str, known: Sequence[str]) -> str:
    """What to do about a key that is not known."""
    close = get_close_matches(key, known, n=1)
    listed = ", ".join(f"`{each}`" for each in sorted(known))
    return f"Did you mean `{close[0]}`?" if close else f"Known keys: {listed}."

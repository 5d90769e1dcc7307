"""Pydantic's errors about arguments of a program, in the program's own keys."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from .errors import rule_error, yaml_repr
from .model_fields import Place, place_at
from .paths import FieldPath, format_path
from .pydantic_errors import Mistake, Words
from .violation import Violation

_TYPES = {"a mapping": "a dict", "true or false": "a boolean"}
"""What Python calls the types of YAML."""


def _repr(value: object) -> str:
    """A short form of a value, as Python would show it."""
    match value:
        case None | bool():
            return repr(value)
        case Mapping():
            return "A dict"
        case list() | tuple():
            return "A list"
        case _:
            return yaml_repr(value)


class _ProgramWords(Words):
    """What is said to a program, with the rules of stack files, which are the same."""

    absent = "STK-02"
    unknown = "STK-01"
    invalid = "STK-03"

    def unknown_key(self, mistake: Mistake) -> PydanticCustomError:
        known = [*mistake.owner.model_fields] if mistake.owner else []
        fix = self.suggest(mistake.key, known) if known else f"Remove `{mistake.key}`."
        return rule_error(self.unknown, f"Unknown key `{mistake.key}`.", fix)

    def wrong_type(self, mistake: Mistake, expected: str) -> PydanticCustomError:
        if isinstance(mistake.value, int | float) and not isinstance(mistake.value, bool) and expected == "a string":
            return super().wrong_type(mistake, expected)  # a number in quotes is what was meant
        expected = _TYPES.get(expected, expected)
        if expected == "a dict" and mistake.models:
            expected = f"{' or '.join(model.__name__ for model in mistake.models)} or a dict of its fields"
            return rule_error(self.invalid, f"{_repr(mistake.value)} is not a spec.", f"Set {expected}.")
        fix = "Set True or False." if expected == "a boolean" else f"Set {expected}."
        return rule_error(self.invalid, f"{_repr(mistake.value)} is not {expected}.", fix)


_WORDS = _ProgramWords()


def argument_violations(
    error: ValidationError, model: type[BaseModel] | None, given: Any, path: str = ""
) -> Iterator[Violation]:
    """Everything that is wrong with what is given for a `model`. None: there is no model.

    `path` is that of the value in the program's arguments. Empty: its keys are the arguments.
    """
    errors = error.errors(include_url=False)
    unknown = [_written(details["loc"], given) for details in errors if details["type"] == "extra_forbidden"]
    for details in errors:
        loc = _written(details["loc"], given)
        beside = [str(other[-1]) for other in unknown if other[:-1] == loc[:-1]]
        if details["type"] == "missing" and get_close_matches(str(loc[-1]), beside, n=1):
            continue  # the key is there, misspelt, and reported as that
        place = place_at(model, details["loc"], given) if model else Place(None, ())
        if place.one_of and details["type"].startswith("union_tag") and isinstance(details["input"], Mapping):
            loc = (*loc, place.one_of.key)
        said = _WORDS.explain(Mistake(loc, details, place.owner, place.models, place.tags)).context or {}
        violation = Violation(said["rule"], format_path((path, *loc) if path else loc), said["message"], said["fix"])
        yield in_program_spelling(violation, spell_path=False)


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
    return _WORDS.suggest(key, known)

"""Translates pydantic's errors about arguments to violations."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from ...validation.errors import rule_error
from ...validation.model_fields import place_at
from ...validation.near import nearest
from ...validation.paths import FieldPath
from ...validation.pydantic_errors import Mistake, Words
from ...validation.violation import Violation

_FREE_MAPPINGS = ("env", "volumes")
"""Arguments whose keys are data."""


def option_violations(error: ValidationError, model: type[BaseModel], given: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what is wrong with each argument of a `model`."""
    for details in error.errors(include_url=False):
        place = place_at(model, details["loc"], given)
        said = _WORDS.explain(Mistake(details["loc"], details, place.owner, place.models, place.tags)).context or {}
        yield Violation(said["rule"], _path(details["loc"]), said["message"], said["fix"])


class _ArgumentWords(Words):
    """Words for callers of the catalog's functions."""

    def unknown_key(self, mistake: Mistake) -> PydanticCustomError:
        if len(mistake.loc) > 1:
            message = f"`{_path(mistake.loc[:-1])}` has no key `{mistake.key}`."
            return rule_error(self.unknown, message, self.suggest(mistake.key, mistake.known))
        known = list(mistake.owner.model_fields) if mistake.owner else []
        meant = nearest(mistake.key, known)
        fix = f"Did you mean `{meant}`?" if meant else "Remove it."
        return rule_error(self.unknown, f"Unknown argument `{mistake.key}`.", fix)


_WORDS = _ArgumentWords()


def _path(loc: FieldPath) -> str:
    argument, *rest = loc
    path = f"{argument}"
    if argument in _FREE_MAPPINGS and rest:
        path += f"[{rest.pop(0)}]"
    return path + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)

"""Pydantic's errors in the words of whoever wrote the value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel
from pydantic_core import ErrorDetails, PydanticCustomError

from .errors import RULE_ERROR, rule_error, wrong_type, yaml_repr
from .model_fields import keys_of
from .near import nearest
from .paths import FieldPath

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


@dataclass(frozen=True)
class Mistake:
    """One error of pydantic's, and what may be at its place."""

    loc: FieldPath
    """Where, in the keys of whoever wrote it."""

    details: ErrorDetails

    owner: type[BaseModel] | None
    """The model whose key it is about. None: an item of a list or of a free mapping."""

    models: Sequence[type[BaseModel]] = ()
    """The models that may be there."""

    tags: Sequence[str] = ()
    """The words that choose one of them."""

    @property
    def key(self) -> str:
        """The key that it is about."""
        return str(self.loc[-1]) if self.loc else ""

    @property
    def value(self) -> Any:
        """What is there."""
        return self.details["input"]

    @property
    def known(self) -> list[str]:
        """The keys that there are beside it."""
        return keys_of(self.owner) if self.owner else []


class Words:
    """What is said of each kind of error, with which rule id: to a program, unless a subclass says it to others."""

    absent: ClassVar[str] = "CAT-01"
    """The rule of a key that is missing."""

    unknown: ClassVar[str] = "CAT-01"
    """The rule of a key that does not exist."""

    invalid: ClassVar[str] = "CAT-01"
    """The rule of a value that is not allowed."""

    def explain(self, mistake: Mistake) -> PydanticCustomError:
        """What is wrong and what to do about it."""
        kind, value, context = mistake.details["type"], mistake.value, mistake.details.get("ctx", {})
        match kind:
            case "extra_forbidden" | "invalid_key":
                said = self.unknown_key(mistake)
            case "missing":
                said = self.missing_key(mistake)
            case "union_tag_not_found":
                said = self.missing_choice(mistake)
            case "union_tag_invalid":
                said = self.unsupported(mistake, self.suggest(str(context["tag"]), mistake.tags))
            case "literal_error":
                said = self.unsupported(mistake, f"Write {context['expected']}.")
            case _ if kind == RULE_ERROR:
                said = rule_error(**context)
            case _ if kind in _EXPECTED:
                said = self.wrong_type(mistake, _EXPECTED[kind])
            case _ if kind in _LIMITS:
                said = rule_error(self.invalid, f"{yaml_repr(value)} is not allowed.", _LIMITS[kind].format(**context))
            case _:
                message = f"{yaml_repr(value)} is not allowed: {mistake.details['msg']}."
                said = rule_error(self.invalid, message, "Correct the value.")
        return said

    def unknown_key(self, mistake: Mistake) -> PydanticCustomError:
        """A key that does not exist."""
        message = f"Unknown key `{mistake.key}`."
        return rule_error(self.unknown, message, self.suggest(mistake.key, mistake.known))

    def missing_key(self, mistake: Mistake) -> PydanticCustomError:
        """A required key that is not there."""
        return rule_error(self.absent, f"`{mistake.key}` is required.", f"Add `{mistake.key}`.")

    def missing_choice(self, mistake: Mistake) -> PydanticCustomError:
        """The key is not there that chooses a member of a union."""
        said = self.missing_key(mistake).context or {}
        return rule_error(self.absent, said["message"], f"{said['fix']} {self.suggest('', mistake.tags)}")

    def unsupported(self, mistake: Mistake, fix: str) -> PydanticCustomError:
        """A word that is not among those that are allowed."""
        value = mistake.details.get("ctx", {}).get("tag", mistake.value)
        return rule_error(self.invalid, f"{yaml_repr(value)} is not a known value.", fix)

    def wrong_type(self, mistake: Mistake, expected: str) -> PydanticCustomError:
        """A value of another type."""
        said = wrong_type(mistake.value, expected).context or {}
        return rule_error(self.invalid, said["message"], said["fix"])

    def suggest(self, word: str, known: Sequence[str]) -> str:
        """What to do about an unknown word: write the one that was probably meant, or any that is known."""
        if meant := nearest(word, known):
            return f"Did you mean `{meant}`?"
        return f"Choose from {', '.join(f'`{each}`' for each in sorted(known))}."

"""Translates pydantic's errors about arguments to violations."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ...validation.errors import RULE_ERROR, yaml_repr
from ...validation.violation import Violation

"""Id of these violations, but for those of the API's own objects, which keep theirs."""

_UNION_FIELDS = ("env", "volumes")
"""Mappings with union values, for which pydantic adds the name of the variant to the path."""


def option_violations(error: ValidationError, known: Sequence[str]) -> Iterator[Violation]:
    """Yield what is wrong with each argument. `known` are the names of all arguments."""
    for details in error.errors(include_url=False):
        yield _violation(details, known)


def _violation(details: ErrorDetails, known: Sequence[str]) -> Violation:
    path, kind = _path(details["loc"]), details["type"]
    if kind == RULE_ERROR:
        return Violation(details["ctx"]["rule"], path, details["ctx"]["message"], details["ctx"]["fix"])
    if kind == "missing":
        return Violation("CAT-01", path, "This argument is required.", "Set it.")
    if kind == "extra_forbidden":
        near = get_close_matches(path, known, n=1)
        fix = f"Did you mean {near[0]}?" if near else "Remove it."
        return Violation("CAT-01", path, f"Unknown argument {details['loc'][-1]}.", fix)
    expected = details["msg"].removeprefix("Input should be ")
    return Violation("CAT-01", path, f"{yaml_repr(details['input'])} is not {expected}.", f"Set it to {expected}.")


def _path(loc: tuple[int | str, ...]) -> str:
    argument, *rest = loc
    path = f"{argument}"
    if argument in _UNION_FIELDS and rest:
        path += f"[{rest[0]}]"
        rest = rest[2:]
    return path + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)

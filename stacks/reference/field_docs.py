"""Reads the docstrings of a model's fields, which describe meaning, unit and default."""

import ast
import inspect
import re
import textwrap
from functools import cache
from itertools import pairwise

from pydantic import BaseModel


@cache
def docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The docstring of each field of a model, by the field's key in a stack file. Keys in the text are in camelCase
    too."""
    keys = {name: field.alias or name for name, field in model.model_fields.items()}
    found: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if issubclass(each, BaseModel) and each is not BaseModel:
            found |= {keys[name]: _spelt(text, keys) for name, text in _own(each).items() if name in keys}
    return found


def paragraphs(text: str) -> str:
    """The text with one line for each paragraph."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


@cache
def _own(model: type[BaseModel]) -> dict[str, str]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    statements = getattr(definition, "body", [])
    return {
        field.target.id: paragraphs(text.value.value)
        for field, text in pairwise(statements)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }


def _spelt(text: str, keys: dict[str, str]) -> str:
    return re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda word: keys.get(word[0], word[0]), text)

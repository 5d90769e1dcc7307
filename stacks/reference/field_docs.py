"""What is written below the fields of a model, which is where their meaning, unit and default stand."""

import ast
import inspect
import re
import textwrap
from functools import cache
from itertools import pairwise

from pydantic import BaseModel


@cache
def docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The text below each field of a model, by the field's key in a file; keys in the text are spelt as there too."""
    keys = {name: field.alias or name for name, field in model.model_fields.items()}
    found: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if issubclass(each, BaseModel) and each is not BaseModel:
            found |= {keys[name]: _spelt(text, keys) for name, text in _own(each).items() if name in keys}
    return found


def paragraphs(text: str) -> str:
    """The text without the ends of lines inside paragraphs."""
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

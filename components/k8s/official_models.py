"""Rarely used Kubernetes objects, checked against the models in the package kubeflow-trainer-api.

Those models know every field of the API, its type and its allowed values. But they ignore unknown fields, and take
about a second to import. So only their field definitions are used, and they are imported when the first such object is
met.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from ..validation.errors import raise_errors, rule_error, wrong_type, yaml_repr
from ..validation.extras import install_command
from ..validation.paths import FieldPath
from .scalars import int_or_string, integer, quantity
from .unknown_fields import unknown_field

Refused = list[tuple[FieldPath, PydanticCustomError]]


def validate_official(name: str, value: object) -> Any:
    """Return `value` as the API server would store it, after checking it against the model `name`.

    Raises pydantic's ValidationError with every mistake in it. Without the package kubeflow-trainer-api it raises the
    error of rule CTR-38, and checks nothing.
    """
    try:
        from kubeflow_trainer_api import models  # takes a second, needed for rare objects only
    except ModuleNotFoundError:
        message = "The package kubeflow-trainer-api, which has the schema of this rare field, is not installed."
        raise rule_error("CTR-38", message, f"Run: {install_command('official-models', __name__)}") from None

    refused: Refused = []
    read = _object(getattr(models, name), value, (), refused)
    if refused:
        raise_errors(refused)
    return read


def _object(model: type[BaseModel], value: object, loc: FieldPath, refused: Refused) -> Any:
    if not isinstance(value, Mapping):
        refused.append((loc, wrong_type(value, "a mapping")))
        return value
    fields = {field.alias or name: (name, field) for name, field in model.model_fields.items()}
    read = {}
    for key, inner in value.items():
        if key not in fields:
            refused.append(((*loc, str(key)), unknown_field(str(key), fields)))
        elif inner is not None:
            name, field = fields[key]
            read[key] = _value(field.annotation, inner, (*loc, key), refused)
            # The API server discards a status on create without checking its values.
            is_read = isinstance(inner, str) and not model.__name__.endswith("Status")
            if is_read and (allowed := _not_allowed(model, name, str(inner))):
                refused.append(((*loc, key), allowed))
    for key, (_, field) in fields.items():
        if field.is_required() and value.get(key) is None:
            refused.append(((*loc, key), rule_error("CTR-35", f"{key} is required and missing.", f"Set {key}.")))
    return read


def _not_allowed(model: type[BaseModel], name: str, value: str) -> PydanticCustomError | None:
    """The error for a value that the model does not allow, or None."""
    try:
        model.__pydantic_validator__.validate_assignment(model.model_construct(), name, value)
    except ValidationError as error:
        for details in error.errors():
            if details["type"] == "value_error":
                allowed = str(details["ctx"]["error"]).removeprefix("must be one of enum values ")
                return rule_error("K8S-22", f"{yaml_repr(value)} is not supported here.", f"Use one of {allowed}.")
    return None


def _value(annotation: Any, value: object, loc: FieldPath, refused: Refused) -> Any:
    kind, arguments = get_origin(annotation), get_args(annotation)
    if kind in (Union, Annotated):
        return _value(arguments[0], value, loc, refused)
    if kind is list and isinstance(value, list | tuple):
        return [_value(arguments[0], item, (*loc, index), refused) for index, item in enumerate(value)]
    if kind is dict and isinstance(value, Mapping):
        return {key: _value(arguments[1], inner, (*loc, key), refused) for key, inner in value.items()}
    if kind is None and (read := _SCALARS.get(annotation.__name__)):
        try:
            return read(value)
        except PydanticCustomError as error:
            refused.append((loc, error))
    elif kind is None:
        return _object(annotation, value, loc, refused)
    else:
        refused.append((loc, wrong_type(value, "a list" if kind is list else "a mapping")))
    return value


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise wrong_type(value, "a string")
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise wrong_type(value, "true or false")
    return value


def _time(value: object) -> str:
    text = _string(value)
    try:
        if "T" in text and datetime.fromisoformat(text).tzinfo:
            return text
    except ValueError:
        pass
    raise rule_error("CTR-34", f"{yaml_repr(value)} is not a valid time.", "Write it as 2006-01-02T15:04:05Z.")


_SCALARS: Mapping[str, Callable[[object], object]] = {
    "str": _string,
    "bool": _boolean,
    "int": partial(integer, 32),
    "datetime": _time,
    "IoK8sApimachineryPkgApiResourceQuantity": quantity,
    "IoK8sApimachineryPkgUtilIntstrIntOrString": int_or_string,
}

"""Pydantic's errors about a manifest, translated to violations with rule ids."""

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from ..validation.errors import RULE_ERROR, rule_error, wrong_type, yaml_repr
from ..validation.paths import FieldPath, format_path
from ..validation.violation import Violation
from .schema import fields_of, model_at, suggest_path, to_wire_path
from .unknown_fields import find_removed_field, removed_field, unknown_field

# The rule that a missing field violates, by the model of its parent.
_MISSING = {
    "EnvInjectionTarget": "CTR-10",
    "ReplicatedJob": "CTR-17",
    "JobSpec": "CTR-18",
    "PodSpec": "CTR-18",
    "Container": "CTR-19",
    "EphemeralContainer": "CTR-19",
    "DependsOn": "CTR-21",
    "SuccessPolicy": "CTR-22",
    "StartupPolicy": "CTR-23",
    "FailurePolicyRule": "CTR-24",
    "Coordinator": "CTR-27",
}

# The rule that an unsupported value violates, by the model of its parent.
_UNSUPPORTED = {
    "MPIPolicy": "CTR-04",
    "NetworkTopology": "CTR-14",
    "DependsOn": "CTR-21",
    "SuccessPolicy": "CTR-22",
    "StartupPolicy": "CTR-23",
    "FailurePolicyRule": "CTR-25",
    "FailurePolicy": "CTR-26",
    "VolumeRetentionPolicy": "CTR-31",
    "ClusterTrainingRuntime": "CTR-37",
    "TrainingRuntime": "CTR-37",
}

_EXPECTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a mapping",
    "mapping_type": "a mapping",
    "dict_type": "a mapping",
}


def violations_of(error: ValidationError, model: type[BaseModel]) -> tuple[Violation, ...]:
    """The violations that `error` reports about a `model`."""
    violations = []
    for details in error.errors(include_url=False):
        loc = to_wire_path(model, details["loc"])
        if details["type"] == "extra_forbidden":
            # Where only names in manifests are accepted, a Python name is an unknown field.
            loc = (*loc[:-1], details["loc"][-1])
        refusal = _refusal(details, model, loc).context or {}
        violations.append(Violation(refusal["rule"], format_path(loc), refusal["message"], refusal["fix"]))
    return tuple(violations)


def _refusal(details: ErrorDetails, model: type[BaseModel], loc: FieldPath) -> PydanticCustomError:
    kind, value = details["type"], details["input"]
    owner = model_at(model, loc[:-1])
    known = fields_of(owner) if owner else {}
    name, owner_name = str(loc[-1]) if loc else "", owner.__name__ if owner else ""
    if kind == "missing" or (value is None and name in known):
        return rule_error(_MISSING.get(owner_name, "CTR-35"), f"{name} is required and missing.", f"Set {name}.")
    match kind:
        case "extra_forbidden" | "invalid_key":
            removed = find_removed_field(loc)
            return removed_field(name, removed) if removed else unknown_field(name, known, suggest_path(model, loc))
        case "literal_error":
            fix = f"Use {details['ctx']['expected']}."
            return rule_error(_UNSUPPORTED.get(owner_name, "CTR-34"), f"{yaml_repr(value)} is not supported here.", fix)
        case _ if kind == RULE_ERROR:
            return rule_error(**details["ctx"] | _of_device(name, value))
        case _ if kind in _EXPECTED:
            return wrong_type(value, _EXPECTED[kind])
    # For example a lone surrogate, which cannot be written in UTF-8.
    return rule_error("CTR-34", f"{yaml_repr(value)} is not valid: {details['msg']}.", "Correct the value.")


def _of_device(resource: str, value: object) -> dict[str, str]:
    """The fix for a fraction of a device: in quotes it would break the next rule (K8S-09)."""
    is_device = "/" in resource and isinstance(value, float)
    return {"fix": "Write a whole number: devices cannot be divided."} if is_device else {}

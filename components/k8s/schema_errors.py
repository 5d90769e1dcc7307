"""Pydantic's errors about a manifest, translated to violations with rule ids."""

from typing import ClassVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from ..validation.errors import RULE_ERROR, rule_error, yaml_repr
from ..validation.paths import format_path
from ..validation.pydantic_errors import Mistake, Words
from ..validation.violation import Violation
from .schema import model_at, suggest_path, to_wire_path
from .unknown_fields import find_removed_field, foreign_field, removed_field, unknown_field

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

_OFFERED = {
    ("MPIPolicy", "mpiImplementation"): "'OpenMPI'",
    ("FailurePolicy", "restartStrategy"): "'Recreate' or 'BlockingRecreate'",
}
"""The values to offer where another rule rejects some that the API accepts: REC-01, JSW-12."""

_ONLY_OPEN_MPI = ": Trainer 2.3.0 writes Open MPI's hostfile and variables, and no others"
_WHY_UNSUPPORTED = {("MPIPolicy", name): _ONLY_OPEN_MPI for name in ("intel", "mpich", "intelmpi", "mvapich")}


def violations_of(error: ValidationError, model: type[BaseModel]) -> tuple[Violation, ...]:
    """Every violation that `error` reports about a `model`."""
    words = _ManifestWords(model)
    violations = []
    for details in error.errors(include_url=False):
        loc = to_wire_path(model, details["loc"])
        if details["type"] == "extra_forbidden":
            # A name in Python is an unknown field where only those of the wire are read.
            loc = (*loc[:-1], details["loc"][-1])
        said = words.explain(Mistake(loc, details, model_at(model, loc[:-1]))).context or {}
        violations.append(Violation(said["rule"], format_path(loc), said["message"], said["fix"]))
    return tuple(violations)


class _ManifestWords(Words):
    """To whoever writes a manifest."""

    absent: ClassVar[str] = "CTR-35"
    unknown: ClassVar[str] = "CTR-36"
    invalid: ClassVar[str] = "CTR-34"

    def __init__(self, root: type[BaseModel]) -> None:
        self._root = root

    def explain(self, mistake: Mistake) -> PydanticCustomError:
        if mistake.value is None and mistake.key in mistake.known:
            return self.missing_key(mistake)
        if mistake.details["type"] == RULE_ERROR and "/" in mistake.key and isinstance(mistake.value, float):
            # In quotes, as other quantities are mended, it would violate the next rule (K8S-09).
            said = mistake.details["ctx"]
            return rule_error(said["rule"], said["message"], "Write a whole number: devices cannot be divided.")
        return super().explain(mistake)

    def missing_key(self, mistake: Mistake) -> PydanticCustomError:
        rule = _MISSING.get(_name(mistake), self.absent)
        return rule_error(rule, f"{mistake.key} is required and missing.", f"Set {mistake.key}.")

    def unknown_key(self, mistake: Mistake) -> PydanticCustomError:
        if removed := find_removed_field(mistake.loc):
            return removed_field(mistake.key, removed)
        if foreign := foreign_field(mistake.loc, mistake.value, self._root.__name__):
            return foreign
        return unknown_field(mistake.key, mistake.known, suggest_path(self._root, mistake.loc))

    def unsupported(self, mistake: Mistake, fix: str) -> PydanticCustomError:
        rule = _UNSUPPORTED.get(_name(mistake), self.invalid)
        word = mistake.value.lower() if isinstance(mistake.value, str) else ""
        why = _WHY_UNSUPPORTED.get((_name(mistake), word), "")
        offered = _OFFERED.get((_name(mistake), mistake.key))
        fix = f"Use {offered}." if offered else fix.replace("Write ", "Use ", 1)
        return rule_error(rule, f"{yaml_repr(mistake.value)} is not supported here{why}.", fix)


def _name(mistake: Mistake) -> str:
    return mistake.owner.__name__ if mistake.owner else ""

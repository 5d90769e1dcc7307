"""What a change of a runtime does to the TrainJobs that are created after it."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ..runtimes.api import BaseTrainingRuntime
from ..runtimes.explain import LATEST, RELEASES, ExplainError, differences, explain
from ..runtimes.server_fields import strip_server_fields

_KEYS = ("apiVersion", "kind", "metadata", "spec")


def train_job_changes(old: Mapping[str, Any], new: Mapping[str, Any], trainer: str) -> tuple[str, ...]:
    """A line for each difference that a TrainJob will have: pods, order, environment, containers, other objects.

    `old` and `new`: the runtime as a manifest. `trainer`: the version of Trainer; one of its minor version is
    explained, or else the newest. Empty where nothing differs, and where a manifest cannot be explained.
    """
    version = next((known for known in RELEASES if _minor(known) == _minor(trainer)), LATEST)
    try:
        before, after = (explain(_runtime(each), trainer=version) for each in (old, new))
    except (ValidationError, ExplainError):
        return ()
    return differences(before, after)


def _runtime(manifest: Mapping[str, Any]) -> BaseTrainingRuntime:
    known = {key: manifest[key] for key in _KEYS if key in manifest}
    return BaseTrainingRuntime.model_validate(strip_server_fields(known), by_alias=True, by_name=False)


def _minor(version: str) -> tuple[str, ...]:
    return tuple(version.split(".")[:2])

"""What a change of a runtime does to the TrainJobs that are created after it."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ..runtimes.api import BaseTrainingRuntime
from ..runtimes.explain import ExplainError, closest_release, differences, explain
from ..runtimes.server_fields import strip_server_fields

_KEYS = ("apiVersion", "kind", "metadata", "spec")


def train_job_changes(old: Mapping[str, Any], new: Mapping[str, Any], trainer: str) -> tuple[str, ...]:
    """A line for each difference that a TrainJob will have: pods, order, environment, containers, other objects.

    `old` and `new`: the runtime as a manifest. `trainer`: the version of Trainer; the closest one that is
    known is explained. Empty where nothing differs, and where a manifest cannot be explained.
    """
    version = closest_release(trainer).trainer
    try:
        before, after = (explain(_runtime(each), trainer=version) for each in (old, new))
    except (ValidationError, ExplainError):
        return ()
    return differences(before, after)


def _runtime(manifest: Mapping[str, Any]) -> BaseTrainingRuntime:
    known = {key: manifest[key] for key in _KEYS if key in manifest}
    return BaseTrainingRuntime.model_validate(strip_server_fields(known), by_alias=True, by_name=False)

"""The operators of a stack: who installs JobSet, and whether the two fit each other."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Tag

from components.jobset import ExternalJobSet, JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.compatibility import check_jobset_version
from components.validation.one_of import OneOf
from components.validation.violation import Violation


def _mode(settings: object) -> str | None:
    """Who installs it, by the key `mode`."""
    if isinstance(settings, ExternalJobSet):
        return settings.mode
    return settings.get("mode", "managed") if isinstance(settings, Mapping) else "managed"


JobSetSettings = Annotated[
    Annotated[JobSetOperatorSpec, Tag("managed")] | Annotated[ExternalJobSet, Tag("external")], OneOf("mode", _mode)
]
"""Who installs JobSet: this stack, or `external`, someone else."""


def check_operators_together(
    jobset: JobSetOperatorSpec | ExternalJobSet, trainer: KubeflowTrainerSpec
) -> Iterator[Violation]:
    """What is to be said about the operators of one stack."""
    if jobset.version:
        yield from check_jobset_version(trainer.version, jobset.version, "jobset.version")
    if isinstance(jobset, JobSetOperatorSpec) and jobset.namespace == trainer.namespace:
        message = (
            f"JobSet and Trainer both use namespace {trainer.namespace}, and each deletes its namespace on destroy."
        )
        yield Violation("STK-06", "trainer.namespace", message, "Set a different namespace for each operator.")

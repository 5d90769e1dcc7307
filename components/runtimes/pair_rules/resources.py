"""GPUs as Trainer counts them: amounts of resources with "gpu" in their names."""

from collections.abc import Mapping

from ...k8s.containers import ResourceRequirements
from ...k8s.quantities import amount
from ..rules.trainer.frameworks import counted_container
from .pair import Pair


def counted_gpus(resources: ResourceRequirements | None) -> int:
    """The number of GPUs in requests, or in limits if requests have none.

    Source: pkg/runtime/runtime.go:276-298@trainer@v2.3.0.
    """
    if resources is None:
        return 0
    return _gpus(resources.requests) or _gpus(resources.limits)


def _gpus(amounts: Mapping[str, int | str] | None) -> int:
    return next((-int(-amount(value) // 1) for name, value in (amounts or {}).items() if "gpu" in name.lower()), 0)


def gpus_per_node(pair: Pair) -> int:
    """The GPUs of a node: those of the TrainJob's `resourcesPerNode`, or the runtime's if the TrainJob has none."""
    given = pair.trainer.resources_per_node if pair.trainer else None
    return counted_gpus(given) if given is not None else runtime_gpus(pair)


def runtime_gpus(pair: Pair) -> int:
    """The GPUs that the runtime's training container requests."""
    at = counted_container(pair.view) if pair.view else None
    return counted_gpus(at.model.resources) if at else 0

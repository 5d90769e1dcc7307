"""The resources of a training's nodes, as Trainer's plugins read them.

Source: ExtractResourcePerNodeFromRuntime and GetNumGPUPerNode in pkg/runtime/runtime.go, getNumCPUPerNode in
pkg/runtime/framework/plugins/torch/torch.go of Trainer v2.2.0 and v2.3.0.
"""

from collections.abc import Mapping
from typing import Any

from ..topology import NODE
from .quantities import rounded_up
from .reconciliation import TRAINER, Reconciliation, ancestor_of, pod_of


def node_resources(work: Reconciliation) -> Mapping[str, Any]:
    """Limits and requests of a node: the TrainJob's, or those of the runtime's first job that trains."""
    given = (work.trainer or {}).get("resourcesPerNode")
    if given is not None:
        return dict(given)
    for job in work.spec.get("replicatedJobs") or ():
        if job["name"] == NODE or ancestor_of(job) == TRAINER:
            for container in pod_of(job).get("containers") or ():
                if container["name"] == NODE:
                    return dict(container.get("resources") or {})
    return {}


def gpus_of(resources: Mapping[str, Any]) -> int:
    """The number of the first resource whose name contains "gpu": of the requests, or else of the limits."""
    return _gpus(resources.get("requests")) or _gpus(resources.get("limits"))


def cpus_of(resources: Mapping[str, Any]) -> int:
    """CPUs, rounded up: the request, or else the limit."""
    request = rounded_up((resources.get("requests") or {}).get("cpu", 0))
    return request or rounded_up((resources.get("limits") or {}).get("cpu", 0))


def _gpus(resources: Mapping[str, int | str] | None) -> int:
    return next((rounded_up(count) for name, count in (resources or {}).items() if "gpu" in name.lower()), 0)

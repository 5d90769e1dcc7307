"""What a TrainJob becomes: its JobSet, Jobs, pods, Services, Secrets, ConfigMaps and PodGroup, the environment of each
container, the order of creation, and what later changes do.

`explain(runtime, train_job)` returns an `Explanation`. Nothing is asked of a cluster.
"""

from .differences import differences
from .explainer import ExplainError, explain
from .explanation import Capacity, Change, ExplainedJob, Explanation, Step, Variable
from .releases import LATEST, RELEASES, Release, closest_release

__all__ = [
    "LATEST",
    "RELEASES",
    "Capacity",
    "Change",
    "ExplainError",
    "ExplainedJob",
    "Explanation",
    "Release",
    "Step",
    "Variable",
    "closest_release",
    "differences",
    "explain",
]

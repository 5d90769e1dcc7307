"""`TrainingPlatform`: GPU node pools, operators, runtimes and gate of one cluster, wired together."""

from .args import TrainingPlatformArgs
from .component import TrainingPlatform
from .errors import InvalidPlatformError
from .spec import PlatformSpec
from .target import Target, TargetKeys

__all__ = [
    "InvalidPlatformError",
    "PlatformSpec",
    "Target",
    "TargetKeys",
    "TrainingPlatform",
    "TrainingPlatformArgs",
]

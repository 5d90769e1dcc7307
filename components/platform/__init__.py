"""`TrainingPlatform`: GPU node pools, operators, runtimes and gate of one cluster, wired together."""

from ..validation.extras import missing_extra

try:
    from .args import TrainingPlatformArgs
    from .component import TrainingPlatform
    from .errors import InvalidPlatformError
    from .spec import PlatformSpec
    from .target import Target, TargetKeys
except ModuleNotFoundError as error:
    raise missing_extra("pulumi", error, __name__) from None

__all__ = [
    "InvalidPlatformError",
    "PlatformSpec",
    "Target",
    "TargetKeys",
    "TrainingPlatform",
    "TrainingPlatformArgs",
]

"""The settings of the validation."""

from pydantic import Field

from ..k8s.names import DnsLabel
from ..validation.model import FrozenList, StrictModel


class ValidationSpec(StrictModel):
    """A small TrainJob for each runtime, which runs at the end of an `up` and is then deleted."""

    namespace: DnsLabel = "default"
    """Namespace of the TrainJobs and of the reports, which must exist. A TrainingRuntime is validated in its own
    namespace. Default `default`."""

    runtimes: FrozenList[str] | None = None
    """Names of the runtimes to validate, each on its pool. Default: all that can be validated, which are those of
    torch, MPI, JAX and XGBoost without initializers."""

    nodes: int | None = Field(default=None, ge=1, le=1000)
    """Number of nodes of each TrainJob. Default: 2, for MPI 3, but at most as many as the pool can have."""

    timeout_seconds: int = Field(default=600, ge=10, le=86_400)
    """Time limit of each TrainJob in seconds, including the time in which nodes are created and images are pulled.
    Default 600."""

    strict: bool = False
    """Fail `up` if a validation fails. Default: a warning has the report."""

    labels: dict[str, str] = Field(default_factory=dict)
    """Labels of the TrainJobs, such as `kueue.x-k8s.io/queue-name`. Default: none. Priority classes are those of the
    runtimes, because a TrainJob cannot set one."""

"""Kubeflow Trainer, the operator that turns TrainJobs into JobSets."""

from typing import Any, ClassVar, Literal

from pydantic import Field

from .validation.extras import missing_extra

try:
    import pulumi
except ModuleNotFoundError as error:
    raise missing_extra("pulumi", error, __name__) from None

from .k8s.names import DnsLabel
from .operators.chart import OperatorArgs, OperatorChart
from .operators.chart_facts import TRAINER
from .operators.compatibility import parse_version
from .operators.spec import DEFAULT_READY_TIMEOUT, MAX_READY_SECONDS, ChartVersion, NonEmptyStr, OperatorSpec
from .validation.merge import deep_merge
from .validation.model import StrictModel


class Metrics(StrictModel):
    """Endpoint of the metrics. Keys of the chart's `manager.config.metrics`."""

    bind_address: NonEmptyStr | None = None
    """Address and port, such as `:8443`; `"0"` disables metrics. Default: the chart's, `:8443`."""

    secure_serving: bool | None = None
    """Serve metrics over TLS, to authorized clients only. Default: the chart's, true."""


class KubeflowTrainerSpec(OperatorSpec):
    """Settings of Trainer. Values of its chart: Trainer 2.3.0, charts/kubeflow-trainer/values.yaml."""

    facts: ClassVar = TRAINER

    version: ChartVersion = "2.3.0"
    """Version of the chart. Default: the one for which the catalog's runtimes are written."""

    chart: NonEmptyStr = "oci://ghcr.io/kubeflow/charts/kubeflow-trainer"
    """Location of the chart. Default: upstream's registry."""

    namespace: DnsLabel = "kubeflow-system"
    """Namespace of Trainer. Default: upstream's."""

    metrics: Metrics | None = None
    """Endpoint of the metrics. Default: the chart's."""

    feature_gates: dict[str, bool] | None = None
    """Features of Trainer to enable or disable, by name. Default: Trainer's."""

    failure_policy: Literal["Fail", "Ignore"] | None = None
    """What the API server does with objects while the webhooks do not answer: Fail (reject them) or Ignore (admit them
    unchecked). Default: the chart's, Fail."""

    def chart_values(self) -> dict[str, Any]:
        """The values for the chart. Before 2.2 they include the controller's tag: the chart of 2.0 deploys `latest` by
        default, that of 2.1 an appVersion that its Chart.yaml does not have."""
        if parse_version(self.version)[:2] >= (2, 2):
            return super().chart_values()
        return deep_merge({"image": {"tag": f"v{self.version}"}}, super().chart_values())


class ExternalTrainer(StrictModel):
    """Trainer, installed by another owner."""

    mode: Literal["external"]

    ready_timeout_seconds: int = Field(default=DEFAULT_READY_TIMEOUT, ge=0, le=MAX_READY_SECONDS)
    """How long `up` waits for its webhooks to answer before runtimes are made, in seconds. 0: no webhooks are asked. To
    ask takes the rights to create ClusterTrainingRuntimes, and TrainJobs in the namespace `default`. Default 120."""

    interrupt_train_jobs: bool = False
    """Whether runtimes may be removed while unfinished TrainJobs name them. To look for these takes the right to list
    TrainJobs. Default: the removal is refused, and names them."""


class KubeflowTrainerArgs(OperatorArgs):
    """The arguments of `KubeflowTrainer`."""

    spec: KubeflowTrainerSpec
    """The settings."""


class KubeflowTrainer(OperatorChart):
    """The Trainer operator, with its CRDs and webhooks, but without its chart's JobSet and runtimes.

    It needs JobSet in the cluster: list the component that installs it in `depends_on`.
    """

    def __init__(self, name: str, args: KubeflowTrainerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:KubeflowTrainer", name, args["spec"], args, opts)

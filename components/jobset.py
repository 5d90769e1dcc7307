"""JobSet, the operator that runs groups of Jobs as one: installed by this stack, or external."""

from typing import ClassVar, Literal

from .validation.extras import missing_extra

try:
    import pulumi
except ModuleNotFoundError as error:
    raise missing_extra("pulumi", error, __name__) from None

from .k8s.names import DnsLabel
from .operators.chart import OperatorArgs, OperatorChart
from .operators.chart_facts import JOBSET
from .operators.spec import ChartVersion, NonEmptyStr, OperatorSpec
from .validation.model import StrictModel


class Prometheus(StrictModel):
    """Metrics for Prometheus. Keys of the chart's `prometheus`."""

    enable: bool = True
    """Create a ServiceMonitor, whose CRD must exist in the cluster. Default: true."""

    prometheus_namespace: DnsLabel | None = None
    """Namespace of Prometheus. Default: the chart's, `monitoring`."""

    prometheus_client_cert_secret_name: NonEmptyStr | None = None
    """Name of the Secret with Prometheus' client certificate. Default: the chart's."""


class JobSetOperatorSpec(OperatorSpec):
    """Settings of JobSet. Values of its chart: JobSet 0.12.0, charts/jobset/values.yaml."""

    facts: ClassVar = JOBSET

    mode: Literal["managed"] = "managed"
    """`managed`: this stack installs JobSet. `external`: someone else does."""

    version: ChartVersion = "0.12.0"
    """Version of the chart. Default: the one that was tested with Trainer 2.3.0."""

    chart: NonEmptyStr = "oci://registry.k8s.io/jobset/charts/jobset"
    """Location of the chart. Default: upstream's registry."""

    namespace: DnsLabel = "jobset-system"
    """Namespace of JobSet. Default: upstream's."""

    prometheus: Prometheus | None = None
    """Metrics for Prometheus. Default: none."""


class ExternalJobSet(StrictModel):
    """JobSet, installed by someone else. Its version is read from the cluster before runtimes are created."""

    mode: Literal["external"]

    version: ChartVersion | None = None
    """Its version. Needed only if its image has no version tag. Default: read from the image."""


class JobSetArgs(OperatorArgs):
    """The arguments of `JobSet`."""

    spec: JobSetOperatorSpec
    """The settings."""


class JobSet(OperatorChart):
    """The JobSet operator, with its CRD and webhooks."""

    def __init__(self, name: str, args: JobSetArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:JobSet", name, args["spec"], args, opts)

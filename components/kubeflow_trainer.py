"""Kubeflow Trainer, the operator that turns TrainJobs into JobSets."""

from typing import Any, ClassVar, Literal

import pulumi

from .k8s.names import DnsLabel
from .operators.chart import OperatorArgs, OperatorChart
from .operators.compatibility import parse_version
from .operators.spec import NonEmptyStr, OperatorSpec, controller_value_paths
from .validation.merge import deep_merge
from .validation.model import StrictModel

_RUNTIMES_REASON = (
    "the chart installs runtimes with a hook Job, which Pulumi does not run; deploy them as `TrainingRuntimes`"
)


class Metrics(StrictModel):
    """Endpoint of the metrics. Keys of the chart's `manager.config.metrics`."""

    bind_address: NonEmptyStr | None = None
    """Address and port, such as `:8443`; `"0"` disables metrics. Default: the chart's, `:8443`."""

    secure_serving: bool | None = None
    """Serve metrics over TLS, to authorized clients only. Default: the chart's, true."""


class KubeflowTrainerSpec(OperatorSpec):
    """Settings of Trainer. Values of its chart: Trainer 2.3.0, charts/kubeflow-trainer/values.yaml."""

    section: ClassVar = "trainer"
    release: ClassVar = "kubeflow-trainer"
    title: ClassVar = "Trainer"
    crds: ClassVar = tuple(
        f"{plural}.trainer.kubeflow.org" for plural in ("clustertrainingruntimes", "trainingruntimes", "trainjobs")
    )
    webhooks: ClassVar = ("validator.trainjob.trainer.kubeflow.org",)
    adds_runtime_finalizers: ClassVar = True
    keys: ClassVar = controller_value_paths("manager") | {
        "qps": "manager.config.clientConnection.qps",
        "burst": "manager.config.clientConnection.burst",
        "metrics": "manager.config.metrics",
        "feature_gates": "manager.config.featureGates",
        "failure_policy": "webhook.failurePolicy",
        "image_registry": "image.registry",
    }
    since: ClassVar = {
        "metrics": "2.1",
        "pod_annotations": "2.2",
        "feature_gates": "2.2",
        "qps": "2.3",
        "burst": "2.3",
    }
    upstream_registry: ClassVar = "ghcr.io"
    image_path: ClassVar = "kubeflow/trainer/trainer-controller-manager"
    reserved_values: ClassVar = {
        "jobset": "JobSet is installed as an operator of its own, not by Trainer's chart",
        "crds.enabled": "the CRDs must be installed with the chart; runtimes need them",
        "runtimes": _RUNTIMES_REASON,
        "dataCache.runtimes": _RUNTIMES_REASON,
        "manager.config.webhook.port": "`istio` and firewall rules depend on it",
    }
    enforced_values: ClassVar = {"jobset": {"install": False}, "runtimes": {"defaultEnabled": False}}

    version: NonEmptyStr = "2.3.0"
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

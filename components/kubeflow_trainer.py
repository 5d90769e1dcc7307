"""Kubeflow Trainer, the operator that turns TrainJobs into JobSets: its version, its chart, its namespace."""

from typing import Any, ClassVar, Literal

import pulumi

from .k8s.names import DnsLabel
from .operators.chart import OperatorArgs, OperatorChart
from .operators.compatibility import parse_version
from .operators.spec import NonEmptyStr, OperatorSpec, controller_value_paths
from .validation.merge import deep_merge
from .validation.model import StrictModel

_RUNTIMES_REASON = "the chart installs runtimes with a Job that Pulumi does not run; deploy them as `TrainingRuntimes`"


class Metrics(StrictModel):
    """Where metrics are served. Keys of the chart's `manager.config.metrics`."""

    bind_address: NonEmptyStr | None = None
    """Address and port, `:8443`; `"0"` for none. Default: the chart's own, `:8443`."""

    secure_serving: bool | None = None
    """Whether by TLS, to those who may. Default: the chart's own, true."""


class KubeflowTrainerSpec(OperatorSpec):
    """What people set of Trainer. Keys of the chart's values: Trainer 2.3.0, charts/kubeflow-trainer/values.yaml."""

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
        "common_labels": None,
    }
    upstream_registry: ClassVar = "ghcr.io"
    image_path: ClassVar = "kubeflow/trainer/trainer-controller-manager"
    reserved_values: ClassVar = {
        "jobset": "JobSet is installed once, as an operator of its own, never by Trainer's chart",
        "crds.enabled": "the CRDs come with the chart and stay when it goes; without them no runtime can be made",
        "runtimes": _RUNTIMES_REASON,
        "dataCache.runtimes": _RUNTIMES_REASON,
        "manager.config.webhook.port": "it is where the API server, a sidecar and a firewall expect it",
    }
    enforced_values: ClassVar = {"jobset": {"install": False}, "runtimes": {"defaultEnabled": False}}

    version: NonEmptyStr = "2.3.0"
    """Version of the chart. Default: the one that the runtimes here are written for."""

    chart: NonEmptyStr = "oci://ghcr.io/kubeflow/charts/kubeflow-trainer"
    """Where the chart is. Default: upstream's registry."""

    namespace: DnsLabel = "kubeflow-system"
    """Namespace of Trainer. Default: upstream's."""

    metrics: Metrics | None = None
    """Where metrics are served. Default: the chart's own."""

    feature_gates: dict[str, bool] | None = None
    """Features of Trainer to switch on or off, by name. Default: Trainer's own."""

    failure_policy: Literal["Fail", "Ignore"] | None = None
    """What the API server does with objects when the webhooks don't answer: refuse them, or take them unchecked.
    Default: the chart's own, Fail."""

    def chart_values(self) -> dict[str, Any]:
        """The values to render the chart with, the controller's tag included before 2.2: 2.0's chart deploys `latest`
        by default, 2.1's an appVersion that its Chart.yaml does not have."""
        if parse_version(self.version)[:2] >= (2, 2):
            return super().chart_values()
        return deep_merge({"image": {"tag": f"v{self.version}"}}, super().chart_values())


class KubeflowTrainerArgs(OperatorArgs):
    """What `KubeflowTrainer` takes."""

    spec: KubeflowTrainerSpec
    """What differs from the defaults."""


class KubeflowTrainer(OperatorChart):
    """The Trainer operator, with its CRDs and webhooks, without the JobSet and the runtimes of its chart.

    It needs JobSet in the cluster: give the component that installs it in `depends_on`.
    """

    def __init__(self, name: str, args: KubeflowTrainerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:KubeflowTrainer", name, args["spec"], args, opts)

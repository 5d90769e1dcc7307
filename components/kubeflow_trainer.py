"""Kubeflow Trainer, the operator that turns TrainJobs into JobSets: its version, its chart, its namespace."""

from typing import ClassVar

import pulumi

from .names import DnsLabel
from .operator_chart import OperatorArgs, OperatorChart, OperatorSpec, Text

_RUNTIMES = "the chart installs runtimes with a Job that Pulumi does not run; deploy them as `TrainingRuntimes`"


class KubeflowTrainerSpec(OperatorSpec):
    """What people set of Trainer. Keys of the chart's values: Trainer 2.3.0, charts/kubeflow-trainer/values.yaml."""

    release: ClassVar = "kubeflow-trainer"
    pod_key: ClassVar = "manager"
    image_key: ClassVar = "image.registry"
    upstream_registry: ClassVar = "ghcr.io"
    image_path: ClassVar = "kubeflow/trainer/trainer-controller-manager"
    owned_values: ClassVar = {
        "jobset": "JobSet is installed once, as an operator of its own, never by Trainer's chart",
        "crds.enabled": "the CRDs come with the chart and stay when it goes; without them no runtime can be made",
        "runtimes": _RUNTIMES,
        "dataCache.runtimes": _RUNTIMES,
    }
    fixed_values: ClassVar = {"jobset": {"install": False}, "runtimes": {"defaultEnabled": False}}

    version: Text = "2.3.0"
    """Version of the chart. Default: the one that the runtimes here are written for."""

    chart: Text = "oci://ghcr.io/kubeflow/charts/kubeflow-trainer"
    """Where the chart is. Default: upstream's registry."""

    namespace: DnsLabel = "kubeflow-system"
    """Namespace of Trainer. Default: upstream's."""


class KubeflowTrainerArgs(OperatorArgs):
    """What `KubeflowTrainer` takes."""

    spec: KubeflowTrainerSpec
    """What differs from the defaults."""


class KubeflowTrainer(OperatorChart):
    """The Trainer operator, with its CRDs and webhooks, without the JobSet and the runtimes of its chart.

    It needs JobSet in the cluster: give the component that installs it in `depends_on`.
    """

    def __init__(self, name: str, args: KubeflowTrainerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:KubeflowTrainer", name, args["spec"], args.get("crd_provider"), opts)

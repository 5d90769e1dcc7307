"""JobSet, the operator that runs groups of Jobs as one: its version, its chart, its namespace; or who else runs it."""

from typing import ClassVar, Literal

import pulumi

from .k8s.names import DnsLabel
from .operators.chart import OperatorArgs, OperatorChart
from .operators.spec import NonEmptyStr, OperatorSpec, controller_value_paths
from .validation.model import StrictModel

WEBHOOKS = ("validate-jobset-x-k8s-io-v1alpha2-jobset.x-k8s.io", "vjobset.kb.io")
"""Names of the webhook that validates JobSets: Helm's (charts/jobset/templates/webhook) and kustomize's
(config/components/webhook/manifests.yaml), both in JobSet 0.8.2, 0.11.1 and 0.12.0."""


class Prometheus(StrictModel):
    """Metrics for Prometheus. Keys of the chart's `prometheus`."""

    enable: bool = True
    """Whether there is a ServiceMonitor, whose CRD must then be in the cluster. Default: there is."""

    prometheus_namespace: DnsLabel | None = None
    """Namespace of Prometheus. Default: the chart's own, `monitoring`."""

    prometheus_client_cert_secret_name: NonEmptyStr | None = None
    """Secret with the certificate that Prometheus shows. Default: the chart's own."""


class JobSetOperatorSpec(OperatorSpec):
    """What people set of JobSet. Keys of the chart's values: JobSet 0.12.0, charts/jobset/values.yaml."""

    section: ClassVar = "jobset"
    release: ClassVar = "jobset"
    title: ClassVar = "JobSet"
    crds: ClassVar = ("jobsets.jobset.x-k8s.io",)
    webhooks: ClassVar = WEBHOOKS
    keys: ClassVar = controller_value_paths("controller") | {
        "host_network": "controller.hostNetwork",
        "qps": "controller.clientConnection.qps",
        "burst": "controller.clientConnection.burst",
        "prometheus": "prometheus",
        "image_registry": "image.repository",
    }
    since: ClassVar = {"host_network": "0.9", "pod_annotations": "0.12"}
    image_registry_template: ClassVar = "{registry}/jobset/jobset"
    upstream_registry: ClassVar = "registry.k8s.io"
    image_path: ClassVar = "jobset/jobset"

    mode: Literal["managed"] = "managed"
    """That this stack installs JobSet. `external`: another one does."""

    version: NonEmptyStr = "0.12.0"
    """Version of the chart. Default: the one that was seen to work with Trainer 2.3.0."""

    chart: NonEmptyStr = "oci://registry.k8s.io/jobset/charts/jobset"
    """Where the chart is. Default: upstream's registry."""

    namespace: DnsLabel = "jobset-system"
    """Namespace of JobSet. Default: upstream's."""

    prometheus: Prometheus | None = None
    """Metrics for Prometheus. Default: none."""


class ExternalJobSet(StrictModel):
    """JobSet, installed by someone else. Its version is read from the cluster before runtimes are made."""

    mode: Literal["external"]

    version: NonEmptyStr | None = None
    """Its version, for a controller whose image has no tag that says it. Default: what the image's tag says."""


class JobSetArgs(OperatorArgs):
    """What `JobSet` takes."""

    spec: JobSetOperatorSpec
    """What differs from the defaults."""


class JobSet(OperatorChart):
    """The JobSet operator, with its CRD and webhooks."""

    def __init__(self, name: str, args: JobSetArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:JobSet", name, args["spec"], args, opts)

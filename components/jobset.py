"""JobSet, the operator that runs groups of Jobs as one: its version, its chart, its namespace."""

from typing import ClassVar

import pulumi

from .names import DnsLabel
from .operator_chart import OperatorArgs, OperatorChart, OperatorSpec, Text


class JobSetSpec(OperatorSpec):
    """What people set of JobSet. Keys of the chart's values: JobSet 0.12.0, charts/jobset/values.yaml."""

    release: ClassVar = "jobset"
    pod_key: ClassVar = "controller"
    image_key: ClassVar = "image.repository"
    image_pattern: ClassVar = "{registry}/jobset/jobset"
    upstream_registry: ClassVar = "registry.k8s.io"
    image_path: ClassVar = "jobset/jobset"

    version: Text = "0.12.0"
    """Version of the chart. Default: the one that was seen to work with Trainer 2.3.0."""

    chart: Text = "oci://registry.k8s.io/jobset/charts/jobset"
    """Where the chart is. Default: upstream's registry."""

    namespace: DnsLabel = "jobset-system"
    """Namespace of JobSet. Default: upstream's."""


class JobSetArgs(OperatorArgs):
    """What `JobSet` takes."""

    spec: JobSetSpec
    """What differs from the defaults."""


class JobSet(OperatorChart):
    """The JobSet operator, with its CRD and webhooks."""

    def __init__(self, name: str, args: JobSetArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:JobSet", name, args["spec"], args.get("crd_provider"), opts)

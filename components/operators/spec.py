"""The settings of an operator, and the values with which its chart is rendered."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import reduce
from hashlib import sha256
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, field_validator

from ..k8s.containers import ResourceRequirements
from ..k8s.images import Registry
from ..k8s.names import DnsLabel, DnsSubdomain
from ..k8s.scheduling import Affinity, Toleration
from ..validation.errors import raise_errors, rule_error, yaml_repr
from ..validation.merge import deep_merge, from_dotted_path
from ..validation.model import FrozenList, StrictModel
from .chart_facts import ChartFacts

NonEmptyStr = Annotated[str, Field(min_length=1)]


_VERSION = re.compile(r"\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?")


def _chart_version(version: str) -> str:
    if not _VERSION.fullmatch(version):
        bare = version.removeprefix("v")
        fix = f'Write "{bare}".' if _VERSION.fullmatch(bare) else 'Write a whole version, such as "1.2.3".'
        raise rule_error("VER-07", f"{yaml_repr(version)} is not the version of a chart.", fix)
    return version


ChartVersion = Annotated[NonEmptyStr, AfterValidator(_chart_version)]
"""A version as charts have them: semantic, without `v`."""

DEFAULT_READY_TIMEOUT = 120

MAX_REPLICAS = 100
"""Maximum number of controllers of an operator. Only one is active, whatever their number."""

MAX_CALLS = 1_000_000
"""Maximum for the rate of API calls, per second."""

MAX_READY_SECONDS = 86_400
"""One day."""

ISTIO_EXCLUDE_INBOUND_PORTS = "traffic.sidecar.istio.io/excludeInboundPorts"
"""Istio's pod annotation for ports that the sidecar does not intercept. The API server is outside the mesh: without the
annotation its webhook calls end in EOF (seen in kubeflow/trainer#3259)."""


class OperatorSpec(StrictModel):
    """Settings that all operators have.

    Reserved keys in `values` are errors, one for each of them.
    """

    facts: ClassVar[ChartFacts]
    """What is known of the operator's chart."""

    version: ChartVersion
    """Version of the chart."""

    chart: NonEmptyStr
    """Location of the chart: an `oci://` URL of upstream or of a mirror, or a folder relative to the project's."""

    namespace: DnsLabel
    """Namespace of the operator. It is created with the operator and deleted with it."""

    replicas: int | None = Field(default=None, ge=1, le=MAX_REPLICAS)
    """Number of controllers. One is active, the others stand by. Default: the chart's, one."""

    resources: ResourceRequirements | None = None
    """CPU and memory of the controller, as Kubernetes quantities. Default: the chart's."""

    node_selector: dict[str, str] | None = None
    """Labels that a node must have for the controller to run there. Default: none."""

    tolerations: FrozenList[Toleration] | None = None
    """Node taints that the controller tolerates. Default: none."""

    affinity: Affinity | None = None
    """Scheduling constraints and preferences of the controller. Default: none."""

    priority_class: DnsSubdomain | None = None
    """PriorityClass of the controller's pod, such as `system-cluster-critical`, which protects it from eviction. Set on
    the Deployment, because the charts have no value for it. Default: none."""

    host_network: bool = False
    """Run the controller in the node's network, for clusters whose API server cannot reach pods. The controller's ports
    must be free on that node. Default: false."""

    pod_annotations: dict[str, str] | None = None
    """Annotations of the controller's pod. Default: none."""

    istio: bool = False
    """Set if the namespace is in an Istio mesh. The sidecar then does not intercept the webhooks' port, which the API
    server calls from outside the mesh. Default: false."""

    pull_secrets: FrozenList[DnsSubdomain] | None = None
    """Names of Secrets in the operator's namespace with which its image is pulled. Default: none."""

    common_labels: dict[str, str] | None = None
    """Labels of every object of the chart and of the controller's pods; the chart's own labels keep their values.
    Trainer's charts up to 2.3.0 do not read their value of that name, so the labels are set on what the chart renders.
    Default: none."""

    qps: float | None = Field(default=None, gt=0, le=MAX_CALLS, allow_inf_nan=False)
    """API calls per second that the controller may make. Default: the chart's."""

    burst: int | None = Field(default=None, ge=1, le=MAX_CALLS)
    """API calls that the controller may make in a burst above `qps`. Default: the chart's."""

    image_registry: Registry | None = None
    """Registry from which the controller's image is pulled, with a mirror's path if needed. Default: upstream's."""

    values: dict[str, Any] = Field(default_factory=dict)
    """Further values of the chart, as in its `values.yaml`. Default: none."""

    ready_timeout_seconds: int = Field(default=DEFAULT_READY_TIMEOUT, ge=0, le=MAX_READY_SECONDS)
    """Seconds that `up` waits for the webhooks to answer after the controller's pod is ready. With two operators the
    longer time applies; 0 in either disables the check. Default 120. Most webhooks need a second or two, some networks
    up to a minute."""

    adopt: bool = False
    """Take over existing objects of this operator, whoever created them. A namespace that existed before is then kept
    on destroy. Default: `up` fails and lists the objects with their owners."""

    keep_namespace: bool = False
    """Keep the namespace when the operator is removed, with everything in it that this stack did not create. Default:
    it is deleted, and the destroy is rejected while it holds anything else. A namespace that existed before is always
    kept."""

    allow_downgrade: bool = False
    """Allow an older version than the installed one. Objects that the newer version wrote may lose fields that the
    older CRDs do not have. Default: false."""

    destroy_crds: bool = False
    """Delete the CRDs on destroy, and with them all their objects, of all users. Default: they are kept, and the next
    `up` takes them over."""

    confirmed_object_loss: int | None = Field(default=None, ge=0)
    """With `destroyCrds`: the number of objects of users that the destroy may delete. Default: none; the destroy fails
    with their number and a list."""

    interrupt_train_jobs: bool = False
    """Allow removing the operator while TrainJobs, or JobSets without one, are unfinished. Default: the removal fails
    and lists them."""

    @field_validator("values")
    @classmethod
    def _reject_reserved_values(cls, values: dict[str, Any]) -> dict[str, Any]:
        refused = [
            (
                tuple(key.split(".")),
                rule_error("OPR-01", f"This value of the chart cannot be set here: {reason}.", "Remove it."),
            )
            for key, reason in cls._decided_elsewhere().items()
            if _has_path(values, key)
        ]
        if refused:
            raise_errors(refused)
        return values

    @classmethod
    def _decided_elsewhere(cls) -> dict[str, str]:
        keys = {**cls.facts.value_paths, "common_labels": "commonLabels"}
        typed = {key: f"`{cls._alias(field)}` beside `values` sets it" for field, key in keys.items()}
        return {**cls.facts.reserved_values, **typed}

    @classmethod
    def _alias(cls, field: str) -> str:
        return cls.model_fields[field].alias or field

    @property
    def image_values(self) -> Mapping[str, Any]:
        """The section `image` of `values`."""
        image = self.values.get("image")
        return image if isinstance(image, Mapping) else {}

    @property
    def controller_image(self) -> str:
        """Reference of the controller's image. `values` may set another one."""
        path, tag = self.image_values.get("repository") or self.facts.image_path, self.image_values.get("tag")
        return f"{self.image_registry or self.facts.upstream_registry}/{path}:{tag or f'v{self.version}'}"

    def keeps(self, namespace: str | None) -> bool:
        """Whether a destroy keeps this namespace of the operator. One from before a rename is deleted if the stack
        created it."""
        return self.keep_namespace and namespace == self.namespace

    def chart_values(self) -> dict[str, Any]:
        """The values for the chart: the fields declared here, and `values`."""
        typed = [from_dotted_path(key, value) for key, value in self._typed_values()]
        return reduce(deep_merge, [self.values, *typed, self.facts.enforced_values], {})

    def _typed_values(self) -> Iterator[tuple[str, Any]]:
        mine = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        if self.image_registry:
            mine["imageRegistry"] = self.facts.image_registry_template.format(registry=self.image_registry)
        if self.pull_secrets:
            mine["pullSecrets"] = [{"name": name} for name in self.pull_secrets]
        if self.istio:
            mine["podAnnotations"] = {
                **mine.get("podAnnotations", {}),
                ISTIO_EXCLUDE_INBOUND_PORTS: self.facts.webhook_port,
            }
        for field, key in self.facts.value_paths.items():
            value = mine.get(self._alias(field))
            if value is not None and value is not False:
                yield key, value

    def configuration_digest(self) -> str | None:
        """A digest of the settings in the controller's configuration. None: there are no such settings.

        Controllers read their configuration only when they start. The charts, up to Trainer 2.3.0 and JobSet 0.12.0, do
        not restart them when it changes (seen in real pods).
        """
        values = self.chart_values()
        found = {key: value for key in self.facts.configuration if (value := _at_path(values, key)) is not None}
        return sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:12] if found else None

    def pod_fields(self) -> dict[str, Any]:
        """The fields declared here for which the chart has no value, as fields of the controller's pod spec."""
        fields: dict[str, Any] = {}
        if self.priority_class:
            fields["priorityClassName"] = self.priority_class
        if self.host_network and "host_network" not in self.facts.value_paths:
            # A pod in its node's network resolves names of the cluster only with this policy.
            fields |= {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
        return fields


def _at_path(values: Any, key: str) -> Any:
    """The value at a dotted key. None: there is no value."""
    for part in key.split("."):
        values = values.get(part) if isinstance(values, Mapping) else None
    return values


def _has_path(values: Any, key: str) -> bool:
    """Whether a dotted path exists. A null counts, because Helm removes the chart's default for it."""
    *outer, last = key.split(".")
    for part in outer:
        values = values.get(part) if isinstance(values, Mapping) else None
    return isinstance(values, Mapping) and last in values

"""What people set of an operator, and what its chart is rendered with."""

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator

from ..k8s.containers import ResourceRequirements
from ..k8s.images import Registry
from ..k8s.names import DnsLabel, DnsSubdomain
from ..k8s.scheduling import Affinity, Toleration
from ..validation.errors import raise_errors, rule_error
from ..validation.merge import deep_merge, from_dotted_path
from ..validation.model import FrozenList, StrictModel

NonEmptyStr = Annotated[str, Field(min_length=1)]

DEFAULT_READY_TIMEOUT = 120

MAX_REPLICAS = 100
"""Controllers of an operator: one works, whatever their number."""

MAX_CALLS = 1_000_000
"""Calls of the API server in a second that can be asked for."""

MAX_READY_SECONDS = 86_400
"""A day."""

ISTIO_EXCLUDE_INBOUND_PORTS = "traffic.sidecar.istio.io/excludeInboundPorts"
"""Istio's annotation of pods whose port a sidecar leaves alone. Behind one the API server's calls of a webhook end in
EOF (seen in kubeflow/trainer#3259): it is outside of the mesh."""


class OperatorSpec(StrictModel):
    """What people set of an operator, whichever it is.

    Raises `pydantic.ValidationError` when `values` holds keys that are decided elsewhere: one error for each of them.
    """

    section: ClassVar[str]
    """Its section of a stack's file, by which messages name it."""

    release: ClassVar[str]
    """Name of the Helm release, which the chart puts into the names of its objects."""

    title: ClassVar[str]
    """What messages call it."""

    crds: ClassVar[tuple[str, ...]]
    """Names of its CRDs."""

    webhooks: ClassVar[tuple[str, ...]]
    """Names of the validating webhook that only an installed copy of it has, one for each way to install it. The
    webhook's Service is in the operator's namespace."""

    adds_runtime_finalizers: ClassVar[bool] = False
    """Whether it puts finalizers on runtimes, which nobody takes off when it is gone."""

    webhook_port: ClassVar[str] = "9443"
    """Port of its webhooks."""

    keys: ClassVar[Mapping[str, str]]
    """Where the chart's values have what is typed here, by field."""

    since: ClassVar[Mapping[str, str | None]] = {}
    """Fields that older charts ignore, each with the first release line whose chart reads it, major and minor. None: no
    released chart reads it."""

    image_registry_template: ClassVar[str] = "{registry}"
    """What stands at the key of `image_registry`, around the registry."""

    upstream_registry: ClassVar[str]
    """Registry of the controller's image when `image_registry` says nothing."""

    image_path: ClassVar[str]
    """Path of the controller's image in its registry. Its tag is the chart's version, with a `v` before it."""

    reserved_values: ClassVar[Mapping[str, str]] = {}
    """Keys of the chart's values that nobody may set, each with the reason."""

    enforced_values: ClassVar[Mapping[str, Any]] = {}
    """What stands at such keys."""

    version: NonEmptyStr
    """Version of the chart."""

    chart: NonEmptyStr
    """Where the chart is: `oci://` with upstream's path or a mirror's, or a folder, relative to the project's."""

    namespace: DnsLabel
    """Namespace of the operator: made for it, and removed with it."""

    replicas: int | None = Field(None, ge=1, le=MAX_REPLICAS)
    """Controllers that run: one leads, the others stand by. Default: the chart's own, one."""

    resources: ResourceRequirements | None = None
    """CPU and memory of the controller, as Kubernetes quantities. Default: the chart's own."""

    node_selector: dict[str, str] | None = None
    """Labels that a node needs for the controller to run there. Default: none."""

    tolerations: FrozenList[Toleration] | None = None
    """Taints of nodes that the controller may run on nevertheless. Default: none."""

    affinity: Affinity | None = None
    """Nodes and neighbours that the controller needs, or would like. Default: none."""

    priority_class: DnsSubdomain | None = None
    """PriorityClass of the controller's pod, `system-cluster-critical` for one that is not evicted. Neither chart has a
    value for it: it is set on the Deployment that the chart renders. Default: none."""

    host_network: bool = False
    """Whether the controller is in its node's network, for clusters whose API server does not reach pods. Its ports
    are then taken on that node. Default: it is in the cluster's."""

    pod_annotations: dict[str, str] | None = None
    """Annotations of the controller's pod. Default: none."""

    istio: bool = False
    """Whether the namespace is in an Istio mesh: the sidecar then leaves the webhooks' port alone, whose caller, the
    API server, is outside of it. Default: it is not."""

    pull_secrets: FrozenList[DnsSubdomain] | None = None
    """Names of Secrets in the operator's namespace to pull its image with. Default: none."""

    common_labels: dict[str, str] | None = None
    """Labels of every object of the chart. Default: none."""

    qps: float | None = Field(None, gt=0, le=MAX_CALLS, allow_inf_nan=False)
    """Calls of the API server that the controller makes in a second. Default: the chart's own."""

    burst: int | None = Field(None, ge=1, le=MAX_CALLS)
    """Calls that it may make at once beyond that. Default: the chart's own."""

    image_registry: Registry | None = None
    """Registry to pull the controller's image from, with the mirror's path if it has one. Default: upstream's."""

    values: dict[str, Any] = Field(default_factory=dict)
    """Anything else that the chart's `values.yaml` has, in its own words."""

    ready_timeout_seconds: int = Field(DEFAULT_READY_TIMEOUT, ge=0, le=MAX_READY_SECONDS)
    """How long `up` waits for the webhooks to answer after the controller's pod is ready, in seconds. Of two operators
    the longer time counts; 0 in one: neither's are asked. Default 120; they need one or two, some networks up to a
    minute."""

    adopt: bool = False
    """Whether to take over what is already in the cluster of this operator, from whoever made it. The namespace, if it
    was there, then stays on destroy. Default: `up` refuses and says what is there, and whose it is."""

    keep_namespace: bool = False
    """Whether the namespace stays when the operator goes, with everything in it that this stack did not create.
    Default: it goes, and a destroy is refused while it holds anything else. One that was there before always stays."""

    allow_downgrade: bool = False
    """Whether the version may go back. Objects that a newer version wrote may be lost on an older one, whose CRDs don't
    know their fields. Default: it may not."""

    destroy_crds: bool = False
    """Whether a destroy takes the CRDs too, and with them every object of theirs, of every user. Default: they stay,
    and the next `up` takes them over."""

    confirmed_object_loss: int | None = Field(None, ge=0)
    """With `destroyCrds`: how many objects of users the destroy may take. Default: none, and the destroy refuses with a
    list of them and their number."""

    interrupt_train_jobs: bool = False
    """Whether a removal goes on while TrainJobs, or JobSets without one, are unfinished. Default: it refuses, and names
    them."""

    @field_validator("values")
    @classmethod
    def _reject_reserved_values(cls, values: dict[str, Any]) -> dict[str, Any]:
        refused = [
            (
                tuple(key.split(".")),
                rule_error("OPR-01", f"this value of the chart is not yours to set: {reason}.", "Take it out."),
            )
            for key, reason in cls._decided_elsewhere().items()
            if _has_path(values, key)
        ]
        if refused:
            raise_errors(refused)
        return values

    @classmethod
    def _decided_elsewhere(cls) -> dict[str, str]:
        typed = {key: f"`{cls._alias(field)}` beside `values` decides this" for field, key in cls.keys.items()}
        return {**cls.reserved_values, **typed}

    @classmethod
    def _alias(cls, field: str) -> str:
        return cls.model_fields[field].alias or field

    @classmethod
    def image_name(cls) -> str:
        """Last part of the name of its controller's image, in whichever registry."""
        return cls.image_path.rpartition("/")[2]

    @property
    def image_values(self) -> Mapping[str, Any]:
        """What `values` says of the controller's image."""
        image = self.values.get("image")
        return image if isinstance(image, Mapping) else {}

    @property
    def controller_image(self) -> str:
        """The controller's image, as it is pulled: `values` may name another one."""
        path, tag = self.image_values.get("repository") or self.image_path, self.image_values.get("tag")
        return f"{self.image_registry or self.upstream_registry}/{path}:{tag or f'v{self.version}'}"

    def keeps(self, namespace: str | None) -> bool:
        """Whether a destroy leaves this namespace of the operator. One of before a rename goes as it was created."""
        return self.keep_namespace and namespace == self.namespace

    def chart_values(self) -> dict[str, Any]:
        """The values to render the chart with: what is typed here in the chart's words, and the open rest."""
        typed = [from_dotted_path(key, value) for key, value in self._typed_values()]
        return reduce(deep_merge, [self.values, *typed, self.enforced_values], {})

    def _typed_values(self) -> Iterator[tuple[str, Any]]:
        mine = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        if self.image_registry:
            mine["imageRegistry"] = self.image_registry_template.format(registry=self.image_registry)
        if self.pull_secrets:
            mine["pullSecrets"] = [{"name": name} for name in self.pull_secrets]
        if self.istio:
            mine["podAnnotations"] = {**mine.get("podAnnotations", {}), ISTIO_EXCLUDE_INBOUND_PORTS: self.webhook_port}
        for field, key in self.keys.items():
            value = mine.get(self._alias(field))
            if value is not None and value is not False:
                yield key, value

    def pod_fields(self) -> dict[str, Any]:
        """What is typed here of the controller's pod and has no key in the chart's values, as a pod spec has it."""
        fields: dict[str, Any] = {}
        if self.priority_class:
            fields["priorityClassName"] = self.priority_class
        if self.host_network and "host_network" not in self.keys:
            # A pod on its node's network resolves the cluster's names only when it says so.
            fields |= {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
        return fields


def controller_value_paths(pod: str) -> dict[str, str]:
    """The keys of the fields that every chart has, `pod` being where it has its controller's."""
    return {
        "replicas": f"{pod}.replicas",
        "resources": f"{pod}.resources",
        "node_selector": f"{pod}.nodeSelector",
        "tolerations": f"{pod}.tolerations",
        "affinity": f"{pod}.affinity",
        "pod_annotations": f"{pod}.podAnnotations",
        "pull_secrets": "image.pullSecrets",
        "common_labels": "commonLabels",
    }


def _has_path(values: Any, key: str) -> bool:
    """Whether anything stands at a dotted key. A null does: Helm takes the chart's own value away for it."""
    *outer, last = key.split(".")
    for part in outer:
        values = values.get(part) if isinstance(values, Mapping) else None
    return isinstance(values, Mapping) and last in values

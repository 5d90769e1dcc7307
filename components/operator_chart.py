"""How an operator's Helm chart is installed here, once, for every operator.

`helm.v4.Chart` renders the chart and makes each of its objects a resource of its own. A Helm release would blank the
webhook certificates that the controllers write into their Secrets, never upgrade CRDs, and delete them, with every
object of theirs, on destroy. What a chart does not say about living long is added by one transform of its children.
"""

from collections.abc import Mapping
from functools import reduce
from typing import Annotated, Any, ClassVar, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as kubernetes
from pydantic import Field, field_validator

from .model import Items, Model
from .names import DnsLabel
from .runtimes.containers import ResourceRequirements
from .runtimes.refusal import refuse, refuse_all
from .runtimes.registry import Registry
from .runtimes.scheduling import Toleration

CRD = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
SECRET = "kubernetes:core/v1:Secret"  # noqa: S105 - a type token
SERVICE = "kubernetes:core/v1:Service"

Text = Annotated[str, Field(min_length=1)]

POD_FIELDS = ("replicas", "resources", "nodeSelector", "tolerations")


class OperatorSpec(Model):
    """What people set of an operator, whichever it is.

    Raises `pydantic.ValidationError` when `values` holds keys that are decided elsewhere: one error for each of them.
    """

    release: ClassVar[str]
    """Name of the Helm release, which the chart puts into the names of its objects."""

    pod_key: ClassVar[str]
    """Where the chart's values have the controller's replicas and pod."""

    image_key: ClassVar[str]
    """Where the chart's values have the registry of the controller's image, `image.registry`."""

    image_pattern: ClassVar[str] = "{registry}"
    """What stands there, around the registry."""

    upstream_registry: ClassVar[str]
    """Registry of the controller's image when `image_registry` says nothing."""

    image_path: ClassVar[str]
    """Path of the controller's image in its registry. Its tag is the chart's version, with a `v` before it."""

    owned_values: ClassVar[Mapping[str, str]] = {}
    """Keys of the chart's values that nobody may set, each with the reason."""

    fixed_values: ClassVar[Mapping[str, Any]] = {}
    """What stands at such keys."""

    version: Text
    """Version of the chart."""

    chart: Text
    """Where the chart is: `oci://` with upstream's path or a mirror's, or a folder, relative to the project's."""

    namespace: DnsLabel
    """Namespace of the operator: made for it, and removed with it."""

    replicas: int | None = Field(None, ge=1)
    """Controllers that run: one leads, the others stand by. Default: the chart's own, one."""

    resources: ResourceRequirements | None = None
    """CPU and memory of the controller, as Kubernetes quantities. Default: the chart's own."""

    node_selector: dict[str, str] | None = None
    """Labels that a node needs for the controller to run there. Default: none."""

    tolerations: Items[Toleration] | None = None
    """Taints of nodes that the controller may run on nevertheless. Default: none."""

    image_registry: Registry | None = None
    """Registry to pull the controller's image from, with the mirror's path if it has one. Default: upstream's."""

    values: dict[str, Any] = Field(default_factory=dict)
    """Anything else that the chart's `values.yaml` has, in its own words."""

    @field_validator("values")
    @classmethod
    def _refuse_what_is_decided_elsewhere(cls, values: dict[str, Any]) -> dict[str, Any]:
        refused = [
            (
                tuple(key.split(".")),
                refuse("OPR-01", f"this value of the chart is not yours to set: {reason}.", "Take it out."),
            )
            for key, reason in cls._decided_elsewhere().items()
            if _has(values, key)
        ]
        if refused:
            refuse_all(refused)
        return values

    @classmethod
    def _decided_elsewhere(cls) -> dict[str, str]:
        typed = {f"{cls.pod_key}.{field}": field for field in POD_FIELDS} | {cls.image_key: "imageRegistry"}
        return {**cls.owned_values, **{key: f"`{field}` beside `values` decides this" for key, field in typed.items()}}

    @property
    def controller_image(self) -> str:
        """The controller's image, as it is pulled."""
        tag = (self.values.get("image") or {}).get("tag") or f"v{self.version}"
        return f"{self.image_registry or self.upstream_registry}/{self.image_path}:{tag}"

    def chart_values(self) -> dict[str, Any]:
        """The values to render the chart with: what is typed here in the chart's words, and the open rest."""
        mine = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        pod = {field: mine[field] for field in POD_FIELDS if field in mine}
        image = self.image_pattern.format(registry=self.image_registry) if self.image_registry else None
        typed = [_nest(key, value) for key, value in ((self.pod_key, pod), (self.image_key, image)) if value]
        return reduce(_merge, [self.values, *typed, self.fixed_values], {})


class OperatorArgs(TypedDict):
    """What an operator's component takes beside its spec."""

    crd_provider: NotRequired[kubernetes.Provider]
    """Provider of the chart's CRDs, with `upsert_existing_objects`: CRDs stay when the operator is destroyed, and this
    one takes them over when it comes again. Default: the component's own provider, which then says that they exist."""


class OperatorChart(pulumi.ComponentResource):
    """An operator in its namespace, from its chart. `JobSet` and `KubeflowTrainer` are the operators."""

    version: str
    """Version of the chart."""

    namespace: str
    """Namespace that the operator runs in."""

    def __init__(
        self,
        token: str,
        name: str,
        spec: OperatorSpec,
        crd_provider: kubernetes.Provider | None,
        opts: pulumi.ResourceOptions | None,
    ) -> None:
        super().__init__(token, name, {}, opts)
        self.version = spec.version
        self.namespace = spec.namespace
        namespace = kubernetes.core.v1.Namespace(
            name, metadata={"name": spec.namespace}, opts=pulumi.ResourceOptions(parent=self)
        )
        # The chart's inputs are plain values, so that a preview renders it even where nothing exists yet.
        kubernetes.helm.v4.Chart(
            name,
            name=spec.release,
            namespace=spec.namespace,
            chart=spec.chart,
            version=spec.version,
            values=spec.chart_values(),
            opts=pulumi.ResourceOptions(parent=self, depends_on=[namespace], transforms=[live_long(crd_provider)]),
        )
        self.register_outputs({"version": self.version, "namespace": self.namespace})


def live_long(crd_provider: pulumi.ProviderResource | None) -> pulumi.ResourceTransform:
    """The transform of a chart's children.

    - CRDs are kept on destroy, since every object of theirs would go with them.
    - A Secret's data belongs to the controller, which writes its certificates there.
    - A Service is not waited for: the Deployment is, and its readiness says that the webhooks are served.
    """

    def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        props, opts = args.props, args.opts
        if args.type_ == CRD:
            opts.retain_on_delete = True
            opts.provider = crd_provider or opts.provider
        elif args.type_ == SECRET:
            opts.ignore_changes = ["data"]
        elif args.type_ == SERVICE:
            props = _merge(props, {"metadata": {"annotations": {"pulumi.com/skipAwait": "true"}}})
        else:
            return None
        return pulumi.ResourceTransformResult(props, opts)

    return transform


def _has(values: Any, key: str) -> bool:
    """Whether anything stands at a dotted key. A null does: Helm takes the chart's own value away for it."""
    *outer, last = key.split(".")
    for part in outer:
        values = values.get(part) if isinstance(values, Mapping) else None
    return isinstance(values, Mapping) and last in values


def _nest(key: str, value: Any) -> dict[str, Any]:
    """The mapping that has `value` at a dotted key."""
    return reduce(lambda inner, part: {part: inner}, reversed(key.split(".")), value)


def _merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both, `above` winning, mapping by mapping."""
    return {
        **below,
        **{
            key: _merge(below[key], value)
            if isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
            else value
            for key, value in above.items()
        },
    }

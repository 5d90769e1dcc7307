"""How an operator's Helm chart is installed here, once, for every operator.

`helm.v4.Chart` renders the chart and makes each of its objects a resource of its own. A Helm release would blank the
webhook certificates that the controllers write into their Secrets, never upgrade CRDs, and delete them, with every
object of theirs, on destroy. What a chart does not say about living long is added by one transform of its children.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as kubernetes

from ..cluster.context import StackContext
from ..cluster.ownership import marks, ownership_hook
from ..validation.merge import deep_merge, from_dotted_path
from .discovery import CLUSTER, CREATED, FOUND, KEPT, OPERATOR, ORIGIN, VERSION_ANNOTATION
from .finalizers import remove_finalizers_hook
from .install_checks import install_hook
from .namespace_removal import leaving_namespace_hook
from .spec import OperatorSpec
from .webhook_uids import Child, webhook_uids

CHART = "kubernetes:helm.sh/v4:Chart"
CRD = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
SECRET = "kubernetes:core/v1:Secret"  # noqa: S105 - a type token
SERVICE = "kubernetes:core/v1:Service"


class OperatorArgs(TypedDict):
    """What an operator's component takes beside its spec."""

    tenancy: NotRequired[StackContext]
    """The cluster, asked before anything is created, upgraded or removed, and the stack to own it by. Default: nothing
    is asked, and what is there already is what the provider makes of it."""

    namespace_origin: NotRequired[str]
    """Whether the namespace stays when the operator goes, since it was found in the cluster, or is kept as the settings
    ask (`presence.namespace_origin`). Default: one that is adopted stays."""


class OperatorChart(pulumi.ComponentResource):
    """An operator in its namespace, from its chart. `JobSet` and `KubeflowTrainer` are the operators.

    Give it a provider with `upsert_existing_objects`: CRDs stay when the operator is destroyed, and are taken over when
    it comes again, and so is what an engine made that was killed. What others made is looked for before, with a
    `tenancy`, and not taken over by accident.
    """

    spec: OperatorSpec
    """What it was made from."""

    webhook_uids: pulumi.Output[str]
    """Changes when one of the objects is made anew that decide what is admitted, settings being the same."""

    def __init__(
        self, token: str, name: str, spec: OperatorSpec, args: OperatorArgs, opts: pulumi.ResourceOptions | None
    ) -> None:
        super().__init__(token, name, {}, opts)
        self.spec = spec
        tenancy = args.get("tenancy")
        origin = args.get("namespace_origin") or (FOUND if spec.adopt else KEPT if spec.keep_namespace else CREATED)
        annotations = {
            VERSION_ANNOTATION: spec.version,
            OPERATOR: spec.section,
            ORIGIN: origin,
            **owner_annotations(tenancy),
        }
        if tenancy and tenancy.cluster:
            annotations[CLUSTER] = tenancy.cluster
        namespace = kubernetes.core.v1.Namespace(
            name,
            metadata={"name": spec.namespace, "annotations": annotations},
            opts=pulumi.ResourceOptions(
                parent=self,
                # What others have in a namespace that was there before is not ours to remove.
                retain_on_delete=origin != CREATED or None,
                hooks=namespace_hooks(name, spec, tenancy),
            ),
        )
        children: set[Child] = set()
        own = ownership_hook(f"{name}:own", tenancy, name, spec.adopt) if tenancy else None
        # The chart's inputs are plain values, so that a preview renders it even where nothing exists yet.
        chart = kubernetes.helm.v4.Chart(
            name,
            name=spec.release,
            namespace=spec.namespace,
            chart=spec.chart,
            version=spec.version,
            values=spec.chart_values(),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[namespace],
                transforms=[lifecycle_transform(spec, owner_annotations(tenancy), children, own)],
            ),
        )
        self.webhook_uids = webhook_uids(chart, children)
        self.register_outputs({"version": spec.version, "namespace": spec.namespace})


def specs_by_section(operators: Sequence[OperatorChart]) -> dict[str, OperatorSpec]:
    """Their specs, by section."""
    return {each.spec.section: each.spec for each in operators}


def namespace_hooks(name: str, spec: OperatorSpec, tenancy: StackContext | None) -> pulumi.ResourceHookBinding | None:
    """What is looked at before an operator's namespace comes, changes its version, or goes, the operator being gone."""
    if tenancy is None:
        return None
    enter = install_hook(name, spec, tenancy)
    release = [remove_finalizers_hook(name, tenancy)] if spec.adds_runtime_finalizers else []
    leave = leaving_namespace_hook(name, spec, tenancy)
    return pulumi.ResourceHookBinding(before_create=[enter], before_update=[enter], before_delete=[*release, leave])


def owner_annotations(tenancy: StackContext | None) -> dict[str, str]:
    """The annotations of what is made: whose it is, and that its fields are, whoever else has set them.

    The provider applies under a name that is new with each creation. Without the second annotation its own name of
    before a destroy, or before an engine that was killed, would keep it from changing what it made itself.
    """
    return {"pulumi.com/patchForce": "true"} | marks(tenancy)


def lifecycle_transform(
    spec: OperatorSpec, annotations: Mapping[str, str], children: set[Child], own: pulumi.ResourceHook | None = None
) -> pulumi.ResourceTransform:
    """The transform of a chart's children, which are noted in `children`.

    - Each has the annotations, and the hook that looks whose it is before it is created, updated or deleted.
    - CRDs are kept on destroy, since every object of theirs would go with them: those that a dependency of the chart
      brings, too. The operator's own are deleted by `operator_leave` alone, and say which version they are of.
    - A Secret's data belongs to the controller, which writes its certificates there: the chart's empty ones are left
      out, as they would be written over what is there when the Secret is made again.
    - A Service is not waited for: the Deployment is, and after it the webhooks themselves are asked.
    - A Deployment has what is typed of its pod and the chart has no value for.
    """

    async def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult:
        children.add((args.type_, args.name))
        added: dict[str, Any] = {"metadata": {"annotations": annotations}}
        props, opts = dict(args.props), args.opts
        if own and args.type_ != CHART:
            # A CRD is never deleted here, so whose it is decides nothing then.
            deleted = [] if args.type_ == CRD else [own]
            opts.hooks = pulumi.ResourceHookBinding(before_create=[own], before_update=[own], before_delete=deleted)
        if args.type_ == CRD:
            opts.retain_on_delete = True
            metadata: Any = props.get("metadata") or {}
            if metadata.get("name") in spec.crds:
                added["metadata"] = {"annotations": {**annotations, VERSION_ANNOTATION: spec.version}}
        elif args.type_ == SECRET:
            opts.ignore_changes = ["data"]
            # As a secret it comes as an output.
            if not has_secret_data(await pulumi.Output.from_input(props.get("data")).future()):
                props.pop("data", None)
        elif args.type_ == SERVICE:
            added["metadata"] = {"annotations": {**annotations, "pulumi.com/skipAwait": "true"}}
        elif args.type_ == DEPLOYMENT:
            added |= from_dotted_path("spec.template.spec", spec.pod_fields())
        return pulumi.ResourceTransformResult(deep_merge(props, added), opts)

    return transform


def has_secret_data(data: Mapping[str, str] | None) -> bool:
    """Whether the data of a Secret is more than empty keys."""
    return any((data or {}).values())

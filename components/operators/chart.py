"""Installs an operator's Helm chart; the same for every operator.

`helm.v4.Chart` renders the chart and makes each of its objects a Pulumi resource. A Helm release would overwrite the
webhook certificates that the controllers write into their Secrets, never upgrade CRDs, and delete them with all their
objects on destroy. One transform of the children adds what a chart lacks for a long life.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as kubernetes

from ..cluster.context import StackContext
from ..cluster.ownership import marks, ownership_hook
from ..validation.merge import deep_merge, from_dotted_path
from .chart_children import ChartChildren
from .discovery import CLUSTER, CREATED, FOUND, KEPT, OPERATOR, ORIGIN, VERSION_ANNOTATION
from .finalizers import remove_finalizers_hook
from .install_checks import install_hook
from .namespace_removal import namespace_removal_hook
from .rollout_order import rollout_hook
from .spec import OperatorSpec
from .uninstall_checks import require_unused
from .webhook_uids import WEBHOOK_CONFIGURATIONS, webhook_uids

CHART = "kubernetes:helm.sh/v4:Chart"
CRD = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
SECRET = "kubernetes:core/v1:Secret"  # noqa: S105 - a type token
SERVICE = "kubernetes:core/v1:Service"

CONFIGURATION_ANNOTATION = "training-platform/configuration"
"""Annotation of the controller's pod: a digest of the settings in its configuration."""


class OperatorArgs(TypedDict):
    """The arguments of an operator's component, beside its spec."""

    stack_context: NotRequired[StackContext]
    """The cluster, which is checked before anything is created, upgraded or deleted, and the stack that owns the
    objects. Default: no checks; the provider takes over existing objects."""

    namespace_origin: NotRequired[str]
    """Whether the namespace is kept when the operator is removed: because it existed before, or because the settings
    keep it (`discovery.namespace_origin`). Default: an adopted namespace is kept."""


class OperatorChart(pulumi.ComponentResource):
    """An operator and its namespace, installed from its chart. The operators are `JobSet` and `KubeflowTrainer`.

    Use a provider with `upsert_existing_objects`: CRDs are kept when the operator is destroyed and adopted when it is
    installed again; so are objects that a killed engine had created. With a `stack_context`, objects of other owners
    are found before, and are adopted only with `adopt`.
    """

    spec: OperatorSpec
    """The spec that the operator was installed from."""

    webhook_uids: pulumi.Output[str]
    """Changes when a webhook configuration is replaced, even if the settings are unchanged."""

    def __init__(
        self, token: str, name: str, spec: OperatorSpec, args: OperatorArgs, opts: pulumi.ResourceOptions | None
    ) -> None:
        super().__init__(token, name, {}, opts)
        self.spec = spec
        stack_context = args.get("stack_context")
        origin = args.get("namespace_origin") or (FOUND if spec.adopt else KEPT if spec.keep_namespace else CREATED)
        annotations = {
            VERSION_ANNOTATION: spec.version,
            OPERATOR: spec.facts.section,
            ORIGIN: origin,
            **owner_annotations(stack_context),
        }
        if stack_context and stack_context.cluster:
            annotations[CLUSTER] = stack_context.cluster
        namespace = kubernetes.core.v1.Namespace(
            name,
            metadata={"name": spec.namespace, "annotations": annotations},
            opts=pulumi.ResourceOptions(
                parent=self,
                # A namespace that existed before may hold objects of others.
                retain_on_delete=origin != CREATED or None,
                hooks=namespace_hooks(name, spec, stack_context),
            ),
        )
        children = ChartChildren()
        own = child_hook(name, spec.facts.section, stack_context, spec.adopt, children) if stack_context else None
        if stack_context and spec.interrupt_train_jobs:
            stack_context.run.interrupts = True
        rollout = rollout_hook(name, spec, stack_context) if stack_context else None
        # The chart's inputs are plain values, so that a preview can render it before anything exists.
        chart = kubernetes.helm.v4.Chart(
            name,
            name=spec.facts.release,
            namespace=spec.namespace,
            chart=spec.chart,
            version=spec.version,
            values=spec.chart_values(),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[namespace],
                transforms=[lifecycle_transform(spec, owner_annotations(stack_context), children, own, rollout)],
            ),
        )
        self.webhook_uids = webhook_uids(chart, children.names)
        chart.urn.apply(lambda _: setattr(children, "is_complete", True))
        self.register_outputs({"version": spec.version, "namespace": spec.namespace})


def specs_by_section(operators: Sequence[OperatorChart]) -> dict[str, OperatorSpec]:
    """The operators' specs, by section."""
    return {each.spec.facts.section: each.spec for each in operators}


def namespace_hooks(
    name: str, spec: OperatorSpec, stack_context: StackContext | None
) -> pulumi.ResourceHookBinding | None:
    """The hooks of an operator's namespace: checks before it is created or its version changes, and before it is
    deleted. It is deleted after the operator."""
    if stack_context is None:
        return None
    enter = install_hook(name, spec, stack_context)
    release = [remove_finalizers_hook(name, stack_context)] if spec.facts.adds_runtime_finalizers else []
    leave = namespace_removal_hook(name, spec.facts.section, spec, stack_context)
    return pulumi.ResourceHookBinding(before_create=[enter], before_update=[enter], before_delete=[*release, leave])


def child_hook(
    name: str, section: str, stack_context: StackContext, adopt: bool = False, children: ChartChildren | None = None
) -> pulumi.ResourceHook:
    """The hook of the children of an operator's chart. A program without the operator registers it without `children`,
    for the removal."""

    def check_removal(args: pulumi.ResourceHookArgs) -> None:
        # A child that the chart no longer has is removed alone, and the operator stays.
        if children is None or (args.type, args.name) in children.names:
            require_unused(section, stack_context)

    successor = children.successor if children else (lambda _: None)
    return ownership_hook(
        f"{name}:own", stack_context, section, adopt, successor=successor, check_removal=check_removal
    )


def owner_annotations(stack_context: StackContext | None) -> dict[str, str]:
    """The annotations of every object: the stack that owns it, and `patchForce`.

    Each provider instance uses a new field manager. `patchForce` lets it take over fields owned by an earlier instance:
    from before a destroy, or of an engine that was killed.
    """
    return {"pulumi.com/patchForce": "true"} | marks(stack_context)


def lifecycle_transform(
    spec: OperatorSpec,
    annotations: Mapping[str, str],
    children: ChartChildren,
    own: pulumi.ResourceHook | None = None,
    rollout: pulumi.ResourceHook | None = None,
) -> pulumi.ResourceTransform:
    """The transform of a chart's children. It adds each of them to `children`.

    - Every object gets the annotations, and a hook that checks its owner before it is created, updated or deleted.
    - CRDs are kept on destroy, including those of the chart's dependencies, because all their objects would be deleted
      with them. The operator's own are deleted only by `namespace_removal` and carry their version.
    - A Secret's data belongs to the controller, which writes its certificates there. The chart's empty values are left
      out, because they would overwrite the certificates when the Secret is created again.
    - Objects that lead the API server to the controller get the hook of `rollout_order`.
    - Services are not awaited. The Deployment is, and after it the webhooks are probed.
    - A Deployment gets the pod settings for which the chart has no value. Its pod is replaced when the settings in the
      controller's configuration change, because the controller reads them only when it starts.
    - Every object gets the labels of `common_labels`, and so do a Deployment's pods. The chart's own labels keep their
      values.
    """

    async def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult:
        added: dict[str, Any] = {"metadata": {"annotations": annotations}}
        props, opts = labelled(args, spec.common_labels or {}), args.opts
        if own and args.type_ != CHART:
            # A CRD is never deleted here, so its owner does not matter then.
            deleted = [] if args.type_ == CRD else [own]
            registers = [rollout] if rollout and args.type_ in WEBHOOK_CONFIGURATIONS else []
            leads = [rollout] if rollout and args.type_ == SERVICE else registers
            opts.hooks = pulumi.ResourceHookBinding(
                before_create=[own, *registers], before_update=[own, *leads], before_delete=deleted
            )
        if args.type_ == CRD:
            opts.retain_on_delete = True
            metadata: Any = props.get("metadata") or {}
            if metadata.get("name") in spec.facts.crds:
                added["metadata"] = {"annotations": {**annotations, VERSION_ANNOTATION: spec.version}}
        elif args.type_ == SECRET:
            opts.ignore_changes = ["data"]
            if not has_secret_data(await pulumi.Output.from_input(props.get("data")).future()):
                props.pop("data", None)
        elif args.type_ == SERVICE:
            added["metadata"] = {"annotations": {**annotations, "pulumi.com/skipAwait": "true"}}
        elif args.type_ == DEPLOYMENT:
            added |= from_dotted_path("spec.template.spec", spec.pod_fields())
            if digest := spec.configuration_digest():
                added["spec"]["template"]["metadata"] = {"annotations": {CONFIGURATION_ANNOTATION: digest}}
        inputs = deep_merge(props, added)
        # A secret value arrives as an output.
        plain = await pulumi.Output.from_input(inputs).future() if args.type_ == SECRET else inputs
        children.note(args.type_, args.name, plain or inputs)
        return pulumi.ResourceTransformResult(inputs, opts)

    return transform


def labelled(args: pulumi.ResourceTransformArgs, labels: Mapping[str, str]) -> dict[str, Any]:
    """The properties of a chart's child with labels below its own; of a Deployment its pods have them, too."""
    if not labels or args.type_ == CHART:
        return dict(args.props)
    below: dict[str, Any] = {"metadata": {"labels": labels}}
    if args.type_ == DEPLOYMENT:
        below["spec"] = {"template": {"metadata": {"labels": labels}}}
    return deep_merge(below, args.props)


def has_secret_data(data: Mapping[str, str] | None) -> bool:
    """Whether a Secret has any value that is not empty."""
    return any((data or {}).values())

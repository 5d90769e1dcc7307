"""Runtimes as cluster resources, with the options that make their updates work."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, NotRequired, TypedDict

from .validation.extras import missing_extra

try:
    import pulumi
    import pulumi_kubernetes as kubernetes
except ModuleNotFoundError as error:
    raise missing_extra("pulumi", error, __name__) from None

from .admission.checks import AdmissionCheck
from .admission.field_pruning import FieldPruningCheck
from .admission.runtime_hooks import RuntimeHooks
from .cluster.context import StackContext
from .cluster.ownership import marks
from .jobset import ExternalJobSet
from .operators.chart import OperatorChart, specs_by_section
from .operators.spec import DEFAULT_READY_TIMEOUT
from .runtimes import ClusterTrainingRuntime, TrainingRuntime
from .runtimes.rules import IMMUTABLE_PATHS
from .validation.merge import deep_merge

BACKGROUND_DELETION = {"pulumi.com/deletionPropagationPolicy": "background"}
"""The annotation with which the provider deletes an object without waiting for its dependents."""


class TrainingRuntimesArgs(TypedDict):
    """The arguments of `TrainingRuntimes`."""

    runtimes: Sequence[ClusterTrainingRuntime | TrainingRuntime]
    """The runtimes, with unique names."""

    adopt: NotRequired[Collection[str]]
    """Names of runtimes that may already exist, created by someone else: these are replaced. Default: none."""

    stack_context: NotRequired[StackContext]
    """The cluster, looked at before a runtime is made or removed, and the name to own it by. Default: it is not."""

    operators: NotRequired[Sequence[OperatorChart]]
    """The operators that the same program installs. With a `stack_context`, their webhooks must answer before a runtime
    is created or changed. Default: none; those of external operators are probed."""

    external: NotRequired[ExternalJobSet | None]
    """The settings of an external JobSet. Default: its version is read from the cluster."""

    ready_timeout_seconds: NotRequired[int]
    """Seconds to wait for the webhooks of an external Trainer. 0 disables the probes. Default 120."""

    interrupt_train_jobs: NotRequired[bool]
    """Whether a runtime may be deleted while unfinished TrainJobs use it. Default: if one of the operators allows
    interrupting them."""

    warn: NotRequired[bool]
    """Whether what is doubtful is shown, as warnings of the resources. Default: it is."""


class TrainingRuntimes(pulumi.ComponentResource):
    """Training runtimes in a cluster. Warnings about a runtime are shown as warnings of its resource.

    It needs Trainer's CRDs: list the component that installs it in `depends_on`. Use a provider with
    `enable_server_side_apply=False`: with server-side apply, the preview of a replacement asks the API server about the
    new object while the old one exists, and fails (seen with pulumi-kubernetes 4.25); `up` itself works either way.
    """

    names: list[str]
    """Names of the runtimes, for TrainJobs."""

    manifests: list[dict[str, Any]]
    """The runtimes as manifests."""

    ready_timeout_seconds: int
    """Seconds to wait for the webhooks of an external Trainer."""

    namespace: str | None
    """The one namespace of all runtimes. None: they are in several, or cluster-scoped."""

    pruning_check: FieldPruningCheck | None
    """The check of pruned fields in this run. None without a cluster."""

    def __init__(self, name: str, args: TrainingRuntimesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:TrainingRuntimes", name, {}, opts)
        stack_context = args.get("stack_context")
        resources = [f"{name}:{qualified_name(runtime)}" for runtime in args["runtimes"]]
        self.manifests = [with_annotations(runtime.to_manifest(), stack_context) for runtime in args["runtimes"]]
        self.ready_timeout_seconds = args.get("ready_timeout_seconds", DEFAULT_READY_TIMEOUT)
        self.namespace = shared_namespace(self.manifests)
        self.pruning_check = None
        hooks: RuntimeHooks | None = None
        if stack_context:
            operators = specs_by_section(args.get("operators", ()))
            external, seconds = args.get("external"), self.ready_timeout_seconds
            admission = AdmissionCheck(operators, stack_context, external, True, seconds, self.namespace)
            self.pruning_check = FieldPruningCheck(stack_context.access)
            by_resource = dict(zip(resources, self.manifests, strict=True))
            interrupt = args.get("interrupt_train_jobs", any(each.interrupt_train_jobs for each in operators.values()))
            adopted = frozenset(args.get("adopt", ()))
            hooks = RuntimeHooks(name, by_resource, adopted, admission, self.pruning_check, interrupt=interrupt)
        for resource_name, runtime, manifest in zip(resources, args["runtimes"], self.manifests, strict=True):
            resource = kubernetes.apiextensions.CustomResource(
                resource_name,
                api_version=manifest["apiVersion"],
                kind=manifest["kind"],
                metadata=manifest["metadata"],
                spec=manifest["spec"],
                opts=pulumi.ResourceOptions(
                    parent=self,
                    delete_before_replace=True,
                    replace_on_changes=[*IMMUTABLE_PATHS],
                    hooks=hooks.binding if hooks else None,
                ),
            )
            if hooks:
                hooks.resources[resource_name] = resource
                resource.urn.apply(partial(_settle, hooks, resource_name))
            for violation in runtime.check() if args.get("warn", True) else ():
                pulumi.log.warn(str(violation), resource)
        self.names = [known for runtime in args["runtimes"] if (known := runtime.metadata.name)]
        self.register_outputs({"names": self.names})


def with_annotations(manifest: dict[str, Any], stack_context: StackContext | None) -> dict[str, Any]:
    """The manifest with the annotations of the stack that owns it, and of how it is deleted.

    The provider's default, foreground deletion, leaves it to the garbage collector, which takes up to 30 s to notice a
    new kind and searches for dependents. A runtime has none (Trainer 2.0.0 and 2.3.0, pkg/runtime: what is created
    belongs to a TrainJob).
    """
    return deep_merge(manifest, {"metadata": {"annotations": {**marks(stack_context), **BACKGROUND_DELETION}}})


def shared_namespace(manifests: Sequence[Mapping[str, Any]]) -> str | None:
    """The one namespace of all these objects. None: they are in several, or cluster-scoped."""
    (first, *more) = {manifest["metadata"].get("namespace") for manifest in manifests} or {None}
    return None if more else first


def _settle(hooks: RuntimeHooks, resource: str, _: str) -> None:
    hooks.settled.add(resource)


def qualified_name(runtime: ClusterTrainingRuntime | TrainingRuntime) -> str:
    """Its name, prefixed by its namespace if it has one."""
    return "/".join(filter(None, (runtime.metadata.namespace, runtime.metadata.name)))

"""The layers of a platform: which, in which order, with which providers and hooks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pulumi
import pulumi_kubernetes as kubernetes

from ..admission.runtime_hooks import before_delete_hook
from ..cluster.client import ClusterReadError
from ..cluster.context import StackContext
from ..cluster.ownership import marks, ownership_hook
from ..cluster.threads import run_in_thread
from ..gpu_node_pool import GpuNodePool
from ..jobset import ExternalJobSet, JobSet, JobSetOperatorSpec
from ..kubeflow_trainer import ExternalTrainer, KubeflowTrainer, KubeflowTrainerSpec
from ..operators.chart import OperatorArgs, OperatorChart, child_hook
from ..operators.discovery import namespace_origin
from ..operators.finalizers import remove_finalizers_hook
from ..operators.namespace_removal import namespace_removal_hook
from ..operators.spec import OperatorSpec
from ..training_gate import TrainingGate, destroy_hook, fingerprint
from ..training_runtimes import TrainingRuntimes, TrainingRuntimesArgs
from ..training_validation.removal import removal_hook
from ..training_validation.spec import ValidationSpec
from ..validation.violation import Violation
from .cluster_guard import identify
from .connection import Connection
from .spec import PlatformSpec

if TYPE_CHECKING:
    from ..training_validation.component import TrainingValidation


class Providers(NamedTuple):
    """The providers of a platform's layers. All reach the same cluster."""

    cluster: kubernetes.Provider
    """Of GPU node pools."""

    operators: kubernetes.Provider
    """Of operators and of the gate. It takes over what a destroy or a killed engine left; whether another owner created
    it is checked before."""

    runtimes: kubernetes.Provider
    """Of runtimes. Server-side apply is off: its preview of a replacement asks the API server about the new object
    while the old one is there, and fails (seen with pulumi-kubernetes 4.25)."""


@dataclass(frozen=True)
class Ground:
    """What the layers are declared on."""

    providers: Providers
    """The way to the cluster."""

    stack_context: StackContext | None = None
    """The stack and its cluster. None: manifests go to a folder, and there is no cluster to ask."""

    origins: Mapping[str, str] = field(default_factory=dict)
    """Whether the platform creates the namespaces of its operators, by section, as far as it is known."""


@dataclass
class Layers:
    """What was declared."""

    pools: dict[str, GpuNodePool] = field(default_factory=dict)
    jobset: JobSet | None = None
    trainer: KubeflowTrainer | None = None
    runtimes: TrainingRuntimes | None = None
    gate: TrainingGate | None = None
    validation: "TrainingValidation | None" = None

    @property
    def operators(self) -> list[OperatorChart]:
        """The operators, JobSet before Trainer."""
        return [each for each in (self.jobset, self.trainer) if each]

    @property
    def components(self) -> list[pulumi.Resource]:
        """All layers, in their order."""
        return [*self.pools.values(), *self.operators, *filter(None, (self.runtimes, self.gate, self.validation))]


async def prepare(platform: pulumi.Resource, name: str, spec: PlatformSpec) -> Ground:
    """Asks the cluster what must be known before a layer is declared: whether it is the right one, and whose the
    operators' namespaces are. Raises the target's error."""
    connection = await Connection.resolve(spec.target)
    if connection.access is None:
        return Ground(_providers(platform, name, connection.arguments))
    answering, identity = await identify(platform, name, spec.target, connection)
    # Another address of the same cluster is the same provider to its resources.
    arguments = {**connection.arguments, "cluster_identifier": identity.cluster}
    keeper = [identity.keeper] if identity.keeper else []
    providers = _providers(platform, name, arguments, keeper)
    # Where a kubeconfig is not even known in an update, every question fails, and what guards something stays closed.
    is_reached = connection.is_known or not pulumi.runtime.is_dry_run()
    owner = f"{pulumi.get_project()}/{pulumi.get_stack()}"
    stack_context = StackContext(connection.access, owner, identity.id, answering, is_reached=is_reached)
    origins = await run_in_thread(_origins, spec, stack_context) if connection.is_known else {}
    return Ground(providers, stack_context, origins)


def _providers(
    platform: pulumi.Resource, name: str, arguments: Mapping[str, Any], keeper: list[pulumi.Resource] | None = None
) -> Providers:
    options = pulumi.ResourceOptions(parent=platform, depends_on=keeper or None)
    return Providers(
        kubernetes.Provider(f"{name}-cluster", **arguments, opts=options),
        kubernetes.Provider(f"{name}-operators", **arguments, upsert_existing_objects=True, opts=options),
        kubernetes.Provider(f"{name}-runtimes", **arguments, enable_server_side_apply=False, opts=options),
    )


def _origins(spec: PlatformSpec, stack_context: StackContext) -> dict[str, str]:
    try:
        return {section: namespace_origin(stack_context, each) for section, each in spec.operators.items()}
    except ClusterReadError as error:
        message = f"Whether the operators' namespaces are in the cluster already is unknown: {error}."
        fix = "Make the API server answer, or ask for the right to get namespaces, and run this again."
        raise spec.target.error([Violation("OPR-04", spec.target.keys.cluster, message, fix)]) from None


def declare(
    platform: pulumi.Resource, name: str, spec: PlatformSpec, ground: Ground, after: pulumi.ResourceOptions
) -> Layers:
    """Declares pools, then JobSet, then Trainer, then runtimes, and last the gate that opens when TrainJobs are
    admitted. Each waits for those before it, and for what `after` depends on."""
    providers, stack_context, layers = ground.providers, ground.stack_context, Layers()

    def options(provider: kubernetes.Provider) -> pulumi.ResourceOptions:
        own = pulumi.ResourceOptions(parent=platform, provider=provider, depends_on=layers.components)
        return pulumi.ResourceOptions.merge(after, own)

    # Whoever has read the settings shows all warnings, in the keys that they are written with. Pools do not wait for
    # each other.
    of_pools = options(providers.cluster)
    layers.pools = {
        pool: GpuNodePool(pool, {"spec": each, "warn": False}, of_pools) for pool, each in spec.gpu_node_pools.items()
    }
    if isinstance(spec.jobset, JobSetOperatorSpec):
        of_operator = _operator_args(spec.jobset, ground)
        layers.jobset = JobSet(f"{name}-jobset", {"spec": spec.jobset, **of_operator}, options(providers.operators))
    if isinstance(spec.trainer, KubeflowTrainerSpec):
        of_operator = _operator_args(spec.trainer, ground)
        opts = options(providers.operators)
        layers.trainer = KubeflowTrainer(f"{name}-trainer", {"spec": spec.trainer, **of_operator}, opts)
    external = spec.jobset if isinstance(spec.jobset, ExternalJobSet) else None
    if spec.runtimes:
        args: TrainingRuntimesArgs = {
            "runtimes": spec.runtimes,
            "adopt": spec.adopt,
            "operators": layers.operators,
            "external": external,
            "interrupt_train_jobs": spec.interrupts_train_jobs,
            "warn": False,
        }
        if stack_context:
            args["stack_context"] = stack_context
        if isinstance(spec.trainer, ExternalTrainer):
            args["ready_timeout_seconds"] = spec.trainer.ready_timeout_seconds
        layers.runtimes = TrainingRuntimes(f"{name}-runtimes", args, options(providers.runtimes))
    if layers.operators and stack_context:
        layers.gate = TrainingGate(
            f"{name}-gate",
            {
                "operators": layers.operators,
                "runtimes": layers.runtimes,
                "external": external,
                "stack_context": stack_context,
            },
            options(providers.operators),
        )
    if stack_context:
        if spec.validation:
            opts = options(providers.operators)
            layers.validation = _validation(f"{name}-validation", spec, spec.validation, stack_context, opts)
        register_removal_hooks(name, stack_context, spec)
    return layers


def _operator_args(spec: OperatorSpec, ground: Ground) -> OperatorArgs:
    args: OperatorArgs = {}
    if ground.stack_context:
        args["stack_context"] = ground.stack_context
    if spec.facts.section in ground.origins:
        args["namespace_origin"] = ground.origins[spec.facts.section]
    return args


def _validation(
    name: str, spec: PlatformSpec, validation: ValidationSpec, stack_context: StackContext, opts: pulumi.ResourceOptions
) -> "TrainingValidation":
    # Imported here, because it takes 40 ms that a platform without a validation need not wait.
    from ..training_validation.component import TrainingValidation
    from ..training_validation.plan import plan_trainings, validation_pools

    pools = validation_pools(spec.gpu_node_pools, spec.other_placements)
    plans = plan_trainings(validation, spec.runtimes, pools, marks(stack_context), spec.versions.get("trainer"))
    return TrainingValidation(
        name,
        {
            "plans": plans,
            "strict": validation.strict,
            "operators": fingerprint(spec.operators, ()),
            "stack_context": stack_context,
        },
        opts,
    )


def register_removal_hooks(name: str, stack_context: StackContext, spec: PlatformSpec) -> None:
    """Registers the hooks of the layers that the platform no longer has: when the engine removes one, it finds its
    hooks by the names that they had when the layer was created."""
    if not spec.runtimes:
        before_delete_hook(f"{name}-runtimes", stack_context, spec.interrupts_train_jobs)
    for section in {"jobset", "trainer"} - {*spec.operators}:
        child_hook(f"{name}-{section}", section, stack_context)
        namespace_removal_hook(f"{name}-{section}", section, None, stack_context)
    if "trainer" not in spec.operators:
        remove_finalizers_hook(f"{name}-trainer", stack_context)
    if not spec.validation:
        removal_hook(f"{name}-validation", stack_context)
    if not spec.operators:
        ownership_hook(f"{name}-gate:own", stack_context, "trainer", False)
        destroy_hook(f"{name}-gate", {}, (), stack_context)

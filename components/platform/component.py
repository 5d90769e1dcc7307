"""`TrainingPlatform`: all layers of a platform as one component."""

import asyncio
from typing import Any, TypeVar

import pulumi

from .args import TrainingPlatformArgs, read_args
from .layers import Layers, declare, prepare
from .spec import PlatformSpec

Value = TypeVar("Value")


class TrainingPlatform(pulumi.ComponentResource):
    """GPU node pools, JobSet, Kubeflow Trainer, training runtimes and their gate, on one cluster.

        TrainingPlatform("training", {"context": "my-cluster", "runtimes": [deepspeed(gpus_per_node=8)]})

    It creates its own Kubernetes providers, and asks the cluster by the same kubeconfig: whether it is the one that the
    state remembers, whose the objects there are, and whether TrainJobs are admitted. A destroy is refused while
    TrainJobs are unfinished; it takes `pulumi destroy --run-program`.

    The kubeconfig may be an Output of a cluster that the same program creates. In a preview where it is not known yet
    the layers are shown and the cluster is not asked. The ambient context is never used.

    What depends on the platform gives `depends_on=platform.ready`: the layers are declared only after the cluster was
    asked, so that `depends_on=platform` would miss them. GPU node pools of clouds take their provider from
    `opts.providers`.

    Raises InvalidPlatformError with all errors of the arguments at once. What only the cluster can answer is raised
    while Pulumi waits for the program.
    """

    namespaces: pulumi.Output[dict[str, str]]
    """Namespaces of the operators that this platform installs: `jobset`, `trainer`."""

    versions: pulumi.Output[dict[str, str]]
    """Versions of their charts."""

    runtimes: pulumi.Output[list[str]]
    """Names of the runtimes, for TrainJobs to refer to."""

    placements: pulumi.Output[dict[str, dict[str, Any]]]
    """By the pool's name, what pods need to land there and what they find, as other programs read it with
    `Placement.model_validate`."""

    validation: pulumi.Output[dict[str, Any]]
    """The reports of the validation by name of the runtime. Empty without `validation`."""

    ready: pulumi.Output[list[pulumi.Resource]]
    """The layers, once they are declared: for the `depends_on` of what comes after the platform."""

    def __init__(
        self, name: str, args: TrainingPlatformArgs | PlatformSpec, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        """Declares the platform.

        Args:
            name: Name of the component, and the beginning of its layers' names. Pools have their own.
            args: What it takes; or a `PlatformSpec` of a program that has read and checked its settings itself.
            opts: Options of the component. `depends_on` holds for all layers.
        """
        spec = args if isinstance(args, PlatformSpec) else read_args(name, args)
        super().__init__("training-platform:index:TrainingPlatform", name, {}, opts)
        self._declared = asyncio.ensure_future(self._declare(name, spec, opts))
        self.ready = pulumi.Output.from_input(self._components())
        self.namespaces = self._after(spec.namespaces)
        self.versions = self._after(spec.versions)
        self.runtimes = self._after(spec.runtime_names)
        self.placements = self._after(spec.exported_placements)
        self.validation = self.ready.apply(lambda _: self._reports())

    async def declared(self) -> Layers:
        """Returns the layers when they are declared. Raises InvalidPlatformError where another cluster answers than the
        one that is meant, or none."""
        return await self._declared

    async def _declare(self, name: str, spec: PlatformSpec, opts: pulumi.ResourceOptions | None) -> Layers:
        ground = await prepare(self, name, spec)
        after = pulumi.ResourceOptions(depends_on=opts.depends_on if opts else None)
        layers = declare(self, name, spec, ground, after)
        self.register_outputs(
            {
                "namespaces": spec.namespaces,
                "versions": spec.versions,
                "runtimes": spec.runtime_names,
                "placements": spec.exported_placements,
            }
        )
        return layers

    async def _components(self) -> list[pulumi.Resource]:
        return (await self._declared).components

    def _reports(self) -> pulumi.Output[dict[str, Any]]:
        validation = self._declared.result().validation
        return validation.reports if validation else pulumi.Output.from_input({})

    def _after(self, value: Value) -> pulumi.Output[Value]:
        """A value whose dependents wait for all layers. It is known in a preview too, as the layers' URNs are."""

        def known(layers: list[pulumi.Resource]) -> pulumi.Output[Value]:
            return pulumi.Output.all(*(layer.urn for layer in layers)).apply(lambda _: value)

        return self.ready.apply(known)

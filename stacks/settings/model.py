"""The model of a stack file."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, Tag

from components.gpu_node_pool.spec import GpuNodePoolSpec
from components.k8s.names import DnsLabel
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.training_validation.spec import ValidationSpec
from components.validation.model import StrictModel
from components.validation.one_of import OneOf

from ..stack_references import ReferencedOperator, ReferencedPool
from .cluster import AnyTarget
from .images import Images
from .operators import JobSetSettings
from .policies import Policies
from .runtimes import RuntimeSettings


def _operator_source(settings: object) -> str:
    """The tag of Trainer's settings: another stack's, or this one's."""
    elsewhere = "stack" in settings if isinstance(settings, Mapping) else isinstance(settings, ReferencedOperator)
    return "of another stack" if elsewhere else "installed"


class StackConfig(StrictModel):
    """The sections of a stack file. A section that is left out is a layer that the stack does not deploy."""

    inherits: DnsLabel | None = None
    """Name of the file that this one is merged onto: `base` is `stacks/base.yaml`, which has the same sections.
    Mappings are merged key by key, and values of this file take precedence. A null removes a key; `none` removes a
    section. Default: none."""

    cluster: AnyTarget | None = None
    """The target of the deployment."""

    gpu_node_pools: dict[DnsLabel, Annotated[GpuNodePoolSpec | ReferencedPool, OneOf("provider")]] = Field(
        default_factory=dict
    )
    """GPU node pools by name. Default: none."""

    jobset: JobSetSettings | None = None
    """The JobSet operator: `{}` for all defaults, or `{mode: external}` if someone else installs it. Default: this
    stack does not install it."""

    trainer: (
        Annotated[
            Annotated[KubeflowTrainerSpec, Tag("installed")] | Annotated[ReferencedOperator, Tag("of another stack")],
            OneOf("stack", _operator_source),
        ]
        | None
    ) = None
    """The Kubeflow Trainer operator: `{}` for all defaults, or the stack that installs it. Default: this stack neither
    installs nor checks it."""

    runtimes: dict[str, RuntimeSettings] = Field(default_factory=dict)
    """Training runtimes by name, which TrainJobs refer to. Default: none."""

    validation: ValidationSpec | None = None
    """A small TrainJob for each runtime, which runs at the end of an `up` and is then deleted: `{}` for all defaults.
    The report is an output of the stack. Default: no TrainJob runs."""

    images: Images = Field(default_factory=Images)
    """Mirrors, digests and pull secrets. Default: images and charts are pulled from upstream's registries."""

    policies: Policies = Field(default_factory=Policies)
    """Policies for the rest of the file. Default: none."""

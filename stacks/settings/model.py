"""What a stack's file says, section by section."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, Tag

from components.gpu_node_pool.spec import GpuNodePoolSpec
from components.k8s.names import DnsLabel
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.validation.model import StrictModel
from components.validation.one_of import OneOf

from ..stack_references import ReferencedOperator, ReferencedPool
from .cluster import AnyTarget
from .images import Images
from .operators import JobSetSettings
from .policies import Policies
from .runtimes import RuntimeSettings


def _operator_source(settings: object) -> str:
    """How pydantic tells an operator of another stack from one that this stack installs."""
    elsewhere = "stack" in settings if isinstance(settings, Mapping) else isinstance(settings, ReferencedOperator)
    return "of another stack" if elsewhere else "installed"


class StackConfig(StrictModel):
    """What a stack's file says. A section that it leaves out is a layer that the stack does not deploy."""

    inherits: DnsLabel | None = None
    """The file that this one is put on top of: `base` is `stacks/base.yaml`, with the same sections. Mappings are
    joined key by key; where both say something else this one counts; a null takes a key away, `none` a section.
    Default: none."""

    cluster: AnyTarget | None = None
    """Where everything goes."""

    gpu_node_pools: dict[DnsLabel, Annotated[GpuNodePoolSpec | ReferencedPool, OneOf("provider")]] = Field(
        default_factory=dict
    )
    """GPU node pools by name. Default: none."""

    jobset: JobSetSettings | None = None
    """The JobSet operator: `{}` for all defaults, or `{mode: external}` where someone else installs it. Default: this
    stack installs none."""

    trainer: (
        Annotated[
            Annotated[KubeflowTrainerSpec, Tag("installed")] | Annotated[ReferencedOperator, Tag("of another stack")],
            OneOf("stack", _operator_source),
        ]
        | None
    ) = None
    """The Kubeflow Trainer operator: `{}` for all defaults, or the stack that has installed it. Default: this stack
    installs none, and asks for none."""

    runtimes: dict[str, RuntimeSettings] = Field(default_factory=dict)
    """Training runtimes by name, the one that TrainJobs refer to. Default: none."""

    images: Images = Field(default_factory=Images)
    """Where images and charts are pulled from. Default: from upstream."""

    policies: Policies = Field(default_factory=Policies)
    """What the platform's owners ask of the rest of the file. Default: nothing."""

"""What a platform consists of, as checked values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..gpu_node_pool.spec import GpuNodePoolSpec
from ..jobset import ExternalJobSet, JobSetOperatorSpec
from ..kubeflow_trainer import ExternalTrainer, KubeflowTrainerSpec
from ..operators.spec import OperatorSpec
from ..runtimes import ClusterTrainingRuntime, TrainingRuntime
from ..runtimes.placement import Placement
from ..training_validation.spec import ValidationSpec
from .target import Target


@dataclass(frozen=True)
class PlatformSpec:
    """The layers of a platform, and where they go. Whoever builds one has checked it, and has shown its warnings."""

    target: Target
    """The cluster."""

    gpu_node_pools: Mapping[str, GpuNodePoolSpec] = field(default_factory=dict)
    """GPU node pools by name."""

    jobset: JobSetOperatorSpec | ExternalJobSet = field(default_factory=lambda: ExternalJobSet(mode="external"))
    """JobSet: as this platform installs it, or as another owner does."""

    trainer: KubeflowTrainerSpec | ExternalTrainer = field(default_factory=lambda: ExternalTrainer(mode="external"))
    """Kubeflow Trainer likewise."""

    runtimes: Sequence[ClusterTrainingRuntime | TrainingRuntime] = ()
    """Training runtimes."""

    adopt: frozenset[str] = frozenset()
    """Names of runtimes that replace ones of another owner."""

    validation: ValidationSpec | None = None
    """The validation of the runtimes. None: there is none."""

    other_placements: Mapping[str, Placement] = field(default_factory=dict)
    """Placements of pools that another program owns, by name."""

    @property
    def operators(self) -> dict[str, OperatorSpec]:
        """The operators that this platform installs, by section."""
        both: dict[str, object] = {"jobset": self.jobset, "trainer": self.trainer}
        return {section: spec for section, spec in both.items() if isinstance(spec, OperatorSpec)}

    @property
    def interrupts_train_jobs(self) -> bool:
        """Whether a runtime may be removed while unfinished TrainJobs name it."""
        external = isinstance(self.trainer, ExternalTrainer) and self.trainer.interrupt_train_jobs
        return external or any(each.interrupt_train_jobs for each in self.operators.values())

    @property
    def namespaces(self) -> dict[str, str]:
        """The namespaces of these operators."""
        return {section: each.namespace for section, each in self.operators.items()}

    @property
    def versions(self) -> dict[str, str]:
        """The versions of their charts."""
        return {section: each.version for section, each in self.operators.items()}

    @property
    def runtime_names(self) -> list[str]:
        """Names of the runtimes, for TrainJobs to refer to."""
        return [name for runtime in self.runtimes if (name := runtime.metadata.name)]

    @property
    def exported_placements(self) -> dict[str, dict[str, Any]]:
        """What pods need to land in each pool and what they find there, as other programs read it."""
        placements = {name: spec.placement(name) for name, spec in self.gpu_node_pools.items()}
        return {
            name: each.model_dump(mode="json", by_alias=True, exclude_none=True) for name, each in placements.items()
        }

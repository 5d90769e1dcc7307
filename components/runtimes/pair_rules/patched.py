"""What a TrainJob patches: `runtimePatches` of Trainer 2.2 and later, and `podSpecOverrides` of Trainer 2.0."""

from collections.abc import Iterator
from typing import NamedTuple

from ..runtime_patches import ContainerPatch, PodSpecOverride, PodSpecPatch
from .pair import Pair


class PatchedJob(NamedTuple):
    """A replicated job that a TrainJob patches."""

    path: str
    """Path of the patch."""

    name_path: str
    """Path of the job's name in it."""

    name: str
    """Name of the replicated job."""

    pod_path: str
    """Path of the changes of the pod spec."""

    pod: PodSpecPatch | PodSpecOverride | None
    """The changes of the pod spec."""

    def containers(self) -> Iterator[tuple[str, ContainerPatch]]:
        """Yields the path and patch of each container. Init containers come last."""
        for field, patches in (
            ("containers", self.pod.containers if self.pod else None),
            ("initContainers", self.pod.init_containers if self.pod else None),
        ):
            for index, patch in enumerate(patches or ()):
                yield f"{self.pod_path}.{field}[{index}]", patch


def patched_jobs(pair: Pair) -> Iterator[PatchedJob]:
    """Yields the replicated jobs that the TrainJob patches, by the field that the release of Trainer has."""
    if pair.release.patches == "podSpecOverrides":
        for index, override in enumerate(pair.train_job.spec.pod_spec_overrides or ()):
            path = f"spec.podSpecOverrides[{index}]"
            for number, target in enumerate(override.target_jobs):
                yield PatchedJob(path, f"{path}.targetJobs[{number}].name", target.name, path, override)
        return
    for index, patch in enumerate(pair.train_job.spec.runtime_patches or ()):
        spec = patch.training_runtime_spec
        jobset = spec.template.spec if spec and spec.template else None
        for number, job in enumerate((jobset and jobset.replicated_jobs) or ()):
            path = f"spec.runtimePatches[{index}].trainingRuntimeSpec.template.spec.replicatedJobs[{number}]"
            job_spec = job.template.spec if job.template else None
            pod = job_spec.template.spec if job_spec and job_spec.template else None
            yield PatchedJob(path, f"{path}.name", job.name, f"{path}.template.spec.template.spec", pod)

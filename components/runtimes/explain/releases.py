"""The releases of Kubeflow Trainer that can be explained, and how they differ.

Read in the Go modules github.com/kubeflow/trainer/v2 and sigs.k8s.io/jobset of these versions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Release:
    """One release of Trainer, with the JobSet release that it is built for (its go.mod)."""

    trainer: str
    """Version of Trainer."""

    jobset: str
    """Version of JobSet."""

    patches: Literal["podSpecOverrides", "runtimePatches"]
    """The field of a TrainJob that changes the runtime's pods."""

    patches_add_jobs: bool
    """Whether a patch of a replicated job that the runtime does not have adds it. Trainer's webhook does not reject
    the patch then: it looks for the job in the template that is patched already."""

    unknown_runtime_fields: tuple[str, ...]
    """Fields of runtimes that the release's CRD does not have: the API server drops them. `[]` is any item."""

    unknown_train_job_fields: tuple[str, ...]
    """Fields of TrainJobs that the release's CRD does not have."""

    resources: Literal["replaced late", "replaced", "merged"]
    """How `trainer.resourcesPerNode` meets the runtime's resources. Merged: by key (2.3). Replaced: PodGroups count
    them (2.2). Replaced late: PodGroups count the runtime's (2.0)."""

    runtime_snapshot: bool
    """Whether a ConfigMap keeps the runtime as it was when the TrainJob was created."""

    runtime_finalizer: bool
    """Whether a runtime cannot be deleted while TrainJobs refer to it."""

    counts_replicas: bool
    """Whether the hostfile names the pods of all replicas of a job, or those of the first alone."""

    ssh_key_modes: bool
    """Whether the SSH keys have file modes that let a group read them."""

    hostfile_slots_from_gpus: bool
    """Whether one process per node means one for each GPU (MPI)."""

    group_labels: bool
    """Whether JobSet labels jobs with their group and with the JobSet's uid."""

    priority_label: bool
    """Whether JobSet labels all pods with their priority, or those with exclusive placement alone."""

    immutable: tuple[str, ...]
    """Fields of a TrainJob that cannot change."""


_UNTIL_2_1_IMMUTABLE = ("spec.runtimeRef", "spec.managedBy")
_IMMUTABLE = (
    "spec.runtimeRef",
    "spec.initializer",
    "spec.trainer",
    "spec.activeDeadlineSeconds",
    "spec.managedBy",
)
_POD_PATCH = "spec.runtimePatches.[].trainingRuntimeSpec.template.spec.replicatedJobs.[].template.spec.template.spec"

_RELEASES = (
    Release(
        trainer="2.0.0",
        jobset="0.8.2",
        patches="podSpecOverrides",
        patches_add_jobs=False,
        unknown_runtime_fields=(
            "spec.mlPolicy.jax",
            "spec.mlPolicy.xgboost",
            "spec.mlPolicy.flux",
            "spec.mlPolicy.torch.envInjection",
            "spec.podGroupPolicy.volcano",
            "spec.template.spec.volumeClaimPolicies",
            "spec.template.spec.replicatedJobs.[].groupName",
        ),
        unknown_train_job_fields=(
            "spec.runtimePatches",
            "spec.activeDeadlineSeconds",
            "spec.podSpecOverrides.[].containers.[].securityContext",
            "spec.podSpecOverrides.[].initContainers.[].securityContext",
        ),
        resources="replaced late",
        runtime_snapshot=False,
        runtime_finalizer=True,
        counts_replicas=False,
        ssh_key_modes=False,
        hostfile_slots_from_gpus=False,
        group_labels=False,
        priority_label=False,
        immutable=_UNTIL_2_1_IMMUTABLE,
    ),
    Release(
        trainer="2.2.0",
        jobset="0.11.1",
        patches="runtimePatches",
        patches_add_jobs=False,
        unknown_runtime_fields=("spec.mlPolicy.torch.envInjection",),
        unknown_train_job_fields=(
            "spec.labels",
            "spec.annotations",
            "spec.podSpecOverrides",
            f"{_POD_PATCH}.terminationGracePeriodSeconds",
        ),
        resources="replaced",
        runtime_snapshot=False,
        runtime_finalizer=True,
        counts_replicas=False,
        ssh_key_modes=False,
        hostfile_slots_from_gpus=True,
        group_labels=True,
        priority_label=True,
        immutable=_IMMUTABLE,
    ),
    Release(
        trainer="2.3.0",
        jobset="0.12.0",
        patches="runtimePatches",
        patches_add_jobs=True,
        unknown_runtime_fields=(),
        unknown_train_job_fields=("spec.labels", "spec.annotations", "spec.podSpecOverrides"),
        resources="merged",
        runtime_snapshot=True,
        runtime_finalizer=False,
        counts_replicas=True,
        ssh_key_modes=True,
        hostfile_slots_from_gpus=True,
        group_labels=True,
        priority_label=True,
        immutable=_IMMUTABLE,
    ),
)

RELEASES: Mapping[str, Release] = {release.trainer: release for release in _RELEASES}
"""The releases by Trainer's version."""

LATEST = _RELEASES[-1].trainer
"""The newest version."""


def closest_release(version: str) -> Release:
    """The release of the same minor version. If none is known, the newest that is older, or the oldest."""
    wanted = _minor(version)
    return next((each for each in reversed(_RELEASES) if _minor(each.trainer) <= wanted), _RELEASES[0])


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split(".")[:2])

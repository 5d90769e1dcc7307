"""A volume claim that a runtime makes for each of its TrainJobs."""

from typing import Literal

from ...k8s.base import Quantity
from ...k8s.claims import PersistentVolumeClaimSpec, VolumeResourceRequirements
from ...k8s.metadata import EmbeddedMetadata
from ...validation.model import StrictModel
from ..jobset import VolumeClaimPolicy, VolumeClaimTemplate, VolumeRetentionPolicy

AccessMode = Literal["ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod", "ReadOnlyMany"]


class VolumeClaim(StrictModel):
    """Storage that JobSet claims for a TrainJob and that all its pods share (JobSet 0.12.0, volumeClaimPolicies)."""

    name: str
    """Name of the claim's template; the claim is `<name>-<trainjob>`."""

    storage: Quantity
    """How much is claimed, bytes: `100Gi`."""

    access_mode: AccessMode = "ReadWriteMany"
    """How many nodes can mount it at once. Default: all can read and write."""

    storage_class: str | None = None
    """Name of the storage class. Default: the cluster's default class."""

    keep: bool = False
    """Whether the claim stays when its TrainJob is deleted. Default: it is deleted too, JobSet's default."""

    def policy(self) -> VolumeClaimPolicy:
        """The claim as a JobSet has it."""
        spec = PersistentVolumeClaimSpec(
            access_modes=(self.access_mode,),
            resources=VolumeResourceRequirements(requests={"storage": self.storage}),
            storage_class_name=self.storage_class,
        )
        return VolumeClaimPolicy(
            templates=(VolumeClaimTemplate(metadata=EmbeddedMetadata(name=self.name), spec=spec),),
            retention_policy=VolumeRetentionPolicy(when_deleted="Retain") if self.keep else None,
        )

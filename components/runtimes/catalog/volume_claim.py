"""A volume claim that is created for each TrainJob of a runtime."""

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
    """Name of the claim's template. The claim is named `<name>-<trainjob>`."""

    storage: Quantity
    """Size in bytes: `100Gi`."""

    access_mode: AccessMode = "ReadWriteMany"
    """How nodes can mount it: ReadWriteMany, ReadWriteOnce, ReadWriteOncePod or ReadOnlyMany. Default:
    ReadWriteMany."""

    storage_class: str | None = None
    """Name of the StorageClass. Default: the cluster's default class."""

    retain: bool = False
    """Retain the claim when its TrainJob is deleted. Default: false, JobSet's default."""

    def policy(self) -> VolumeClaimPolicy:
        """The claim as a policy of the JobSet."""
        spec = PersistentVolumeClaimSpec(
            access_modes=(self.access_mode,),
            resources=VolumeResourceRequirements(requests={"storage": self.storage}),
            storage_class_name=self.storage_class,
        )
        return VolumeClaimPolicy(
            templates=(VolumeClaimTemplate(metadata=EmbeddedMetadata(name=self.name), spec=spec),),
            retention_policy=VolumeRetentionPolicy(when_deleted="Retain") if self.retain else None,
        )

"""Persistent volume claims. Shapes from the CRD of Trainer v2.3.0, meanings and defaults from Kubernetes' core/v1."""

from typing import Annotated

from .base import ApiModel, FrozenList, JsonObject, Quantities, official_type
from .metadata import EmbeddedMetadata, LabelSelector


class VolumeResourceRequirements(ApiModel):
    """The storage that a claim requests."""

    limits: Quantities | None = None
    """The most storage that the claim may get. Default: no limit."""

    requests: Quantities | None = None
    """The least storage that the claim needs: `{"storage": "10Gi"}`."""


class PersistentVolumeClaimSpec(ApiModel):
    """The storage that a claim asks for."""

    access_modes: FrozenList[str] | None = None
    """How nodes may mount the volume: ReadWriteOnce (read-write by one node), ReadOnlyMany (read-only by many nodes),
    ReadWriteMany (read-write by many nodes) or ReadWriteOncePod (read-write by one pod)."""

    resources: VolumeResourceRequirements | None = None
    """The amount of storage."""

    storage_class_name: str | None = None
    """Name of the StorageClass. Default: the cluster's default class. An empty string disables dynamic provisioning."""

    volume_mode: str | None = None
    """Filesystem (mounted as a directory) or Block (a raw device). Default Filesystem."""

    volume_name: str | None = None
    """Name of the PersistentVolume to bind to. Default: Kubernetes chooses or provisions one."""

    volume_attributes_class_name: str | None = None
    """Name of the VolumeAttributesClass, which sets attributes that can change later, such as throughput. Default:
    none."""

    selector: LabelSelector | None = None
    """Bind only to PersistentVolumes with these labels."""

    data_source: Annotated[JsonObject, official_type("IoK8sApiCoreV1TypedLocalObjectReference")] | None = None
    """A VolumeSnapshot or PersistentVolumeClaim in the same namespace whose content the new volume starts with."""

    data_source_ref: Annotated[JsonObject, official_type("IoK8sApiCoreV1TypedObjectReference")] | None = None
    """Like dataSource, but an object of any kind, which may be in another namespace. Its populator fills the new
    volume."""


class PersistentVolumeClaimTemplate(ApiModel):
    """The template of a claim that Kubernetes creates for each pod."""

    spec: PersistentVolumeClaimSpec
    """The claim's spec."""

    metadata: EmbeddedMetadata | None = None
    """The claim's labels and annotations."""


class EphemeralVolumeSource(ApiModel):
    """A claim that is created with the pod, is owned by it and is deleted with it."""

    volume_claim_template: PersistentVolumeClaimTemplate | None = None
    """The template of the claim. The claim is named `<pod>-<volume>`."""

"""Claims on storage."""

from typing import Annotated

from .base import ApiModel, FrozenList, JsonObject, Quantities, official_type
from .metadata import EmbeddedMetadata, LabelSelector


class VolumeResourceRequirements(ApiModel):
    """How much storage."""

    limits: Quantities | None = None
    """At most."""

    requests: Quantities | None = None
    """At least: `{"storage": "10Gi"}`."""


class PersistentVolumeClaimSpec(ApiModel):
    """What storage is claimed."""

    access_modes: FrozenList[str] | None = None
    """ReadWriteOnce (one node), ReadOnlyMany, ReadWriteMany, ReadWriteOncePod."""

    resources: VolumeResourceRequirements | None = None
    """How much."""

    storage_class_name: str | None = None
    """Its class. Default: the cluster's."""

    volume_mode: str | None = None
    """Filesystem or Block. Default Filesystem."""

    volume_name: str | None = None
    """One volume in particular."""

    volume_attributes_class_name: str | None = None
    """Class of attributes that can change, such as throughput."""

    selector: LabelSelector | None = None
    """Volumes by their labels."""

    data_source: Annotated[JsonObject, official_type("IoK8sApiCoreV1TypedLocalObjectReference")] | None = None
    """A snapshot or claim that it starts as a copy of."""

    data_source_ref: Annotated[JsonObject, official_type("IoK8sApiCoreV1TypedObjectReference")] | None = None
    """An object of any kind, maybe of another namespace, that fills it."""


class PersistentVolumeClaimTemplate(ApiModel):
    """A claim that is made for a pod."""

    spec: PersistentVolumeClaimSpec
    """What storage it claims."""

    metadata: EmbeddedMetadata | None = None
    """Its labels and annotations."""


class EphemeralVolumeSource(ApiModel):
    """A claim that is made for the pod and goes with it."""

    volume_claim_template: PersistentVolumeClaimTemplate | None = None
    """What it is made from."""

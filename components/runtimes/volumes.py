"""Volumes of a pod, and the claims behind them."""

from collections.abc import Mapping
from typing import Any

from .containers import ObjectFieldSelector, Quantities, ResourceFieldSelector
from .metadata import EmbeddedMetadata, LabelSelector
from .wire import ApiModel, Int32, Int64, Items, Quantity, StringMap

WireData = Mapping[str, Any]


class KeyToPath(ApiModel):
    """A key as a file."""

    key: str
    path: str
    mode: Int32 | None = None


class ConfigMapVolumeSource(ApiModel):
    """The keys of a ConfigMap as files."""

    name: str | None = None
    items: Items[KeyToPath] | None = None
    default_mode: Int32 | None = None
    optional: bool | None = None


class SecretVolumeSource(ApiModel):
    """The keys of a Secret as files."""

    secret_name: str | None = None
    items: Items[KeyToPath] | None = None
    default_mode: Int32 | None = None
    optional: bool | None = None


class EmptyDirVolumeSource(ApiModel):
    """A folder that lives and dies with the pod."""

    medium: str | None = None
    size_limit: Quantity | None = None


class HostPathVolumeSource(ApiModel):
    """A path of the node."""

    path: str
    type: str | None = None


class NFSVolumeSource(ApiModel):
    """An NFS export."""

    server: str
    path: str
    read_only: bool | None = None


class PersistentVolumeClaimVolumeSource(ApiModel):
    """A claim of the pod's namespace."""

    claim_name: str
    read_only: bool | None = None


class LocalObjectReference(ApiModel):
    """An object of the pod's namespace."""

    name: str | None = None


class CSIVolumeSource(ApiModel):
    """A volume that a CSI driver makes for the pod."""

    driver: str
    fs_type: str | None = None
    node_publish_secret_ref: LocalObjectReference | None = None
    read_only: bool | None = None
    volume_attributes: StringMap | None = None


class ImageVolumeSource(ApiModel):
    """An OCI image's content."""

    reference: str | None = None
    pull_policy: str | None = None


class DownwardAPIVolumeFile(ApiModel):
    """A field of the pod as a file."""

    path: str
    field_ref: ObjectFieldSelector | None = None
    resource_field_ref: ResourceFieldSelector | None = None
    mode: Int32 | None = None


class DownwardAPIVolumeSource(ApiModel):
    """Fields of the pod as files."""

    items: Items[DownwardAPIVolumeFile] | None = None
    default_mode: Int32 | None = None


class ConfigMapProjection(ApiModel):
    """The keys of a ConfigMap, or of a Secret, among other files."""

    name: str | None = None
    items: Items[KeyToPath] | None = None
    optional: bool | None = None


class DownwardAPIProjection(ApiModel):
    """Fields of the pod among other files."""

    items: Items[DownwardAPIVolumeFile] | None = None


class ServiceAccountTokenProjection(ApiModel):
    """A token of the pod's service account."""

    path: str
    audience: str | None = None
    expiration_seconds: Int64 | None = None


class VolumeProjection(ApiModel):
    """One source of a projected volume."""

    config_map: ConfigMapProjection | None = None
    secret: ConfigMapProjection | None = None
    downward_api: DownwardAPIProjection | None = None
    service_account_token: ServiceAccountTokenProjection | None = None
    cluster_trust_bundle: WireData | None = None
    pod_certificate: WireData | None = None


class ProjectedVolumeSource(ApiModel):
    """Several sources in one folder."""

    sources: Items[VolumeProjection] | None = None
    default_mode: Int32 | None = None


class VolumeResourceRequirements(ApiModel):
    """How much storage a claim asks for."""

    limits: Quantities | None = None
    requests: Quantities | None = None


class PersistentVolumeClaimSpec(ApiModel):
    """What storage is claimed."""

    access_modes: Items[str] | None = None
    resources: VolumeResourceRequirements | None = None
    storage_class_name: str | None = None
    volume_mode: str | None = None
    volume_name: str | None = None
    volume_attributes_class_name: str | None = None
    selector: LabelSelector | None = None
    data_source: WireData | None = None
    data_source_ref: WireData | None = None


class PersistentVolumeClaimTemplate(ApiModel):
    """A claim that is made for each pod."""

    spec: PersistentVolumeClaimSpec
    metadata: EmbeddedMetadata | None = None


class EphemeralVolumeSource(ApiModel):
    """A claim that lives and dies with the pod."""

    volume_claim_template: PersistentVolumeClaimTemplate | None = None


class Volume(ApiModel):
    """A volume of a pod: a name and one source. Without a source it is an emptyDir."""

    name: str
    config_map: ConfigMapVolumeSource | None = None
    secret: SecretVolumeSource | None = None
    empty_dir: EmptyDirVolumeSource | None = None
    host_path: HostPathVolumeSource | None = None
    nfs: NFSVolumeSource | None = None
    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    csi: CSIVolumeSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    image: ImageVolumeSource | None = None
    downward_api: DownwardAPIVolumeSource | None = None
    projected: ProjectedVolumeSource | None = None
    aws_elastic_block_store: WireData | None = None
    azure_disk: WireData | None = None
    azure_file: WireData | None = None
    cephfs: WireData | None = None
    cinder: WireData | None = None
    fc: WireData | None = None
    flex_volume: WireData | None = None
    flocker: WireData | None = None
    gce_persistent_disk: WireData | None = None
    git_repo: WireData | None = None
    glusterfs: WireData | None = None
    iscsi: WireData | None = None
    photon_persistent_disk: WireData | None = None
    portworx_volume: WireData | None = None
    quobyte: WireData | None = None
    rbd: WireData | None = None
    scale_io: WireData | None = None
    storageos: WireData | None = None
    vsphere_volume: WireData | None = None

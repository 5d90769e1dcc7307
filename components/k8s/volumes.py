"""Volumes of a pod. Shapes from the CRD of Trainer v2.3.0, meanings and defaults from Kubernetes' core/v1."""

from typing import Annotated

from .base import ApiModel, FrozenList, Int32, Int64, JsonObject, Quantity, StringMap, official_type
from .claims import EphemeralVolumeSource
from .env import ObjectFieldSelector, ResourceFieldSelector


class LocalObjectReference(ApiModel):
    """An object of the pod's namespace."""

    name: str | None = None
    """Its name."""


class KeyToPath(ApiModel):
    """A key as a file."""

    key: str
    """The key."""

    path: str
    """The file, from the volume's root; no `..`."""

    mode: Int32 | None = None
    """Its permissions, 0 to 0777. Default: the volume's."""


class ConfigMapVolumeSource(ApiModel):
    """The keys of a ConfigMap as files."""

    name: str | None = None
    """Its name."""

    items: FrozenList[KeyToPath] | None = None
    """Which keys. Default: all, each as a file of its name."""

    default_mode: Int32 | None = None
    """Permissions of the files, 0 to 0777. Default 0644."""

    optional: bool | None = None
    """Whether it may be missing. Default false."""


class SecretVolumeSource(ApiModel):
    """The keys of a Secret as files."""

    secret_name: str | None = None
    """Its name."""

    items: FrozenList[KeyToPath] | None = None
    """Which keys. Default: all, each as a file of its name."""

    default_mode: Int32 | None = None
    """Permissions of the files, 0 to 0777. Default 0644."""

    optional: bool | None = None
    """Whether it may be missing. Default false."""


class EmptyDirVolumeSource(ApiModel):
    """A folder that starts empty and goes with the pod."""

    medium: str | None = None
    """Empty: the node's disk. Memory: a tmpfs, which counts into the containers' memory. HugePages: huge pages."""

    size_limit: Quantity | None = None
    """At most so much. Default: without limit, for Memory the pod's memory."""


class HostPathVolumeSource(ApiModel):
    """A path of the node."""

    path: str
    """The path."""

    type: str | None = None
    """What must be there: Directory, DirectoryOrCreate, File, ... Default: not looked at."""


class NFSVolumeSource(ApiModel):
    """A folder of an NFS server."""

    server: str
    """Name or address of the server."""

    path: str
    """The exported folder."""

    read_only: bool | None = None
    """Default false."""


class PersistentVolumeClaimVolumeSource(ApiModel):
    """A claim that is there."""

    claim_name: str
    """Its name, in the pod's namespace."""

    read_only: bool | None = None
    """Default false."""


class CSIVolumeSource(ApiModel):
    """A volume that a storage driver makes for the pod."""

    driver: str
    """Name of the driver."""

    fs_type: str | None = None
    """File system. Default: the driver's."""

    read_only: bool | None = None
    """Default false."""

    volume_attributes: StringMap | None = None
    """What the driver wants to know."""

    node_publish_secret_ref: LocalObjectReference | None = None
    """A Secret that it needs."""


class ImageVolumeSource(ApiModel):
    """The content of an image, read-only."""

    reference: str | None = None
    """Reference of the image."""

    pull_policy: str | None = None
    """Always, IfNotPresent or Never. Default as for containers."""


class DownwardAPIVolumeFile(ApiModel):
    """A field or resource of the pod as a file."""

    path: str
    """The file, from the volume's root."""

    field_ref: ObjectFieldSelector | None = None
    resource_field_ref: ResourceFieldSelector | None = None

    mode: Int32 | None = None
    """Its permissions, 0 to 0777. Default: the volume's."""


class DownwardAPIVolumeSource(ApiModel):
    """Fields and resources of the pod as files."""

    items: FrozenList[DownwardAPIVolumeFile] | None = None
    """The files."""

    default_mode: Int32 | None = None
    """Permissions of the files, 0 to 0777. Default 0644."""


class KeysProjection(ApiModel):
    """The keys of a ConfigMap or of a Secret, among other files."""

    name: str | None = None
    """Its name."""

    items: FrozenList[KeyToPath] | None = None
    """Which keys. Default: all."""

    optional: bool | None = None
    """Whether it may be missing. Default false."""


class DownwardAPIProjection(ApiModel):
    """Fields and resources of the pod, among other files."""

    items: FrozenList[DownwardAPIVolumeFile] | None = None
    """The files."""


class ServiceAccountTokenProjection(ApiModel):
    """A token of the pod's service account, among other files."""

    path: str
    """The file, from the volume's root."""

    audience: str | None = None
    """For whom it is. Default: the API server."""

    expiration_seconds: Int64 | None = None
    """How long it is good, in seconds, 600 or more. Default 3600."""


class VolumeProjection(ApiModel):
    """One source of files: exactly one of them."""

    config_map: KeysProjection | None = None
    secret: KeysProjection | None = None
    downward_api: DownwardAPIProjection | None = None
    service_account_token: ServiceAccountTokenProjection | None = None
    cluster_trust_bundle: Annotated[JsonObject, official_type("IoK8sApiCoreV1ClusterTrustBundleProjection")] | None = (
        None
    )
    pod_certificate: Annotated[JsonObject, official_type("IoK8sApiCoreV1PodCertificateProjection")] | None = None


class ProjectedVolumeSource(ApiModel):
    """Files of several sources in one folder."""

    sources: FrozenList[VolumeProjection] | None = None
    """The sources."""

    default_mode: Int32 | None = None
    """Permissions of the files, 0 to 0777. Default 0644."""


# Built at once: validators of what has one are built from it, not around another.
class Volume(ApiModel, defer_build=False):
    """A volume of a pod: a name and at most one source. Without a source it is an emptyDir.

    The sources that are mappings here are rare or gone; they are checked all the same.
    """

    name: str
    """Unique in the pod."""

    config_map: ConfigMapVolumeSource | None = None
    secret: SecretVolumeSource | None = None
    empty_dir: EmptyDirVolumeSource | None = None
    host_path: HostPathVolumeSource | None = None
    nfs: NFSVolumeSource | None = None
    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    csi: CSIVolumeSource | None = None
    image: ImageVolumeSource | None = None
    downward_api: DownwardAPIVolumeSource | None = None
    projected: ProjectedVolumeSource | None = None

    aws_elastic_block_store: (
        Annotated[JsonObject, official_type("IoK8sApiCoreV1AWSElasticBlockStoreVolumeSource")] | None
    ) = None
    azure_disk: Annotated[JsonObject, official_type("IoK8sApiCoreV1AzureDiskVolumeSource")] | None = None
    azure_file: Annotated[JsonObject, official_type("IoK8sApiCoreV1AzureFileVolumeSource")] | None = None
    cephfs: Annotated[JsonObject, official_type("IoK8sApiCoreV1CephFSVolumeSource")] | None = None
    cinder: Annotated[JsonObject, official_type("IoK8sApiCoreV1CinderVolumeSource")] | None = None
    fc: Annotated[JsonObject, official_type("IoK8sApiCoreV1FCVolumeSource")] | None = None
    flex_volume: Annotated[JsonObject, official_type("IoK8sApiCoreV1FlexVolumeSource")] | None = None
    flocker: Annotated[JsonObject, official_type("IoK8sApiCoreV1FlockerVolumeSource")] | None = None
    gce_persistent_disk: Annotated[JsonObject, official_type("IoK8sApiCoreV1GCEPersistentDiskVolumeSource")] | None = (
        None
    )
    git_repo: Annotated[JsonObject, official_type("IoK8sApiCoreV1GitRepoVolumeSource")] | None = None
    glusterfs: Annotated[JsonObject, official_type("IoK8sApiCoreV1GlusterfsVolumeSource")] | None = None
    iscsi: Annotated[JsonObject, official_type("IoK8sApiCoreV1ISCSIVolumeSource")] | None = None
    photon_persistent_disk: (
        Annotated[JsonObject, official_type("IoK8sApiCoreV1PhotonPersistentDiskVolumeSource")] | None
    ) = None
    portworx_volume: Annotated[JsonObject, official_type("IoK8sApiCoreV1PortworxVolumeSource")] | None = None
    quobyte: Annotated[JsonObject, official_type("IoK8sApiCoreV1QuobyteVolumeSource")] | None = None
    rbd: Annotated[JsonObject, official_type("IoK8sApiCoreV1RBDVolumeSource")] | None = None
    scale_io: Annotated[JsonObject, official_type("IoK8sApiCoreV1ScaleIOVolumeSource")] | None = None
    storageos: Annotated[JsonObject, official_type("IoK8sApiCoreV1StorageOSVolumeSource")] | None = None
    vsphere_volume: Annotated[JsonObject, official_type("IoK8sApiCoreV1VsphereVirtualDiskVolumeSource")] | None = None

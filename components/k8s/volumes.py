"""Volumes of pods. Shapes from the CRD of Trainer v2.3.0, meanings and defaults from Kubernetes' core/v1."""

from typing import Annotated

from .base import ApiModel, FrozenList, Int32, Int64, JsonObject, Quantity, StringMap, official_type
from .claims import EphemeralVolumeSource
from .env import ObjectFieldSelector, ResourceFieldSelector


class LocalObjectReference(ApiModel):
    """A reference to an object in the pod's namespace."""

    name: str | None = None
    """Name of the object."""


class KeyToPath(ApiModel):
    """Maps a key to a file of the volume."""

    key: str
    """The key."""

    path: str
    """Path of the file, relative to the volume's root. Must not contain '..'."""

    mode: Int32 | None = None
    """Permissions of the file, 0 to 0777 (octal). Default: the volume's defaultMode."""


class ConfigMapVolumeSource(ApiModel):
    """A ConfigMap whose keys become files."""

    name: str | None = None
    """Name of the ConfigMap, in the pod's namespace."""

    items: FrozenList[KeyToPath] | None = None
    """Keys to include. Default: all keys, each as a file with the key's name."""

    default_mode: Int32 | None = None
    """Permissions of the files, 0 to 0777 (octal). Default 0644."""

    optional: bool | None = None
    """Start the pod even if the ConfigMap or its keys are missing. Default false."""


class SecretVolumeSource(ApiModel):
    """A Secret whose keys become files."""

    secret_name: str | None = None
    """Name of the Secret, in the pod's namespace."""

    items: FrozenList[KeyToPath] | None = None
    """Keys to include. Default: all keys, each as a file with the key's name."""

    default_mode: Int32 | None = None
    """Permissions of the files, 0 to 0777 (octal). Default 0644."""

    optional: bool | None = None
    """Start the pod even if the Secret or its keys are missing. Default false."""


class EmptyDirVolumeSource(ApiModel):
    """A directory that is empty at first and is deleted with the pod."""

    medium: str | None = None
    """Storage medium: empty (the node's disk), Memory (a tmpfs, whose files count towards memory limits), HugePages or
    HugePages-<size>. Default empty."""

    size_limit: Quantity | None = None
    """Maximum size. Default: no limit; for Memory, the sum of the containers' memory limits."""


class HostPathVolumeSource(ApiModel):
    """A file or directory of the node."""

    path: str
    """Path on the node. Must not contain '..'."""

    type: str | None = None
    """What must exist at the path: Directory, File, Socket, CharDevice or BlockDevice; DirectoryOrCreate and
    FileOrCreate create it. Default empty: not checked."""


class NFSVolumeSource(ApiModel):
    """A directory exported by an NFS server."""

    server: str
    """Host name or IP address of the server."""

    path: str
    """Exported path."""

    read_only: bool | None = None
    """Mount read-only. Default false."""


class PersistentVolumeClaimVolumeSource(ApiModel):
    """An existing PersistentVolumeClaim."""

    claim_name: str
    """Name of the claim, in the pod's namespace."""

    read_only: bool | None = None
    """Mount read-only in all containers. Default false."""


class CSIVolumeSource(ApiModel):
    """A volume that a CSI driver creates with the pod and deletes with it."""

    driver: str
    """Name of the CSI driver, as registered in the cluster."""

    fs_type: str | None = None
    """File system type, such as `ext4`. Default: the driver's."""

    read_only: bool | None = None
    """Mount read-only. Default false."""

    volume_attributes: StringMap | None = None
    """Parameters for the driver."""

    node_publish_secret_ref: LocalObjectReference | None = None
    """Secret that the driver needs to mount the volume."""


class ImageVolumeSource(ApiModel):
    """The content of an OCI image or artifact, mounted read-only."""

    reference: str | None = None
    """Reference of the image or artifact."""

    pull_policy: str | None = None
    """Always, IfNotPresent or Never. Default: Always for the tag `latest` or no tag, otherwise IfNotPresent."""


class DownwardAPIVolumeFile(ApiModel):
    """A file with a field of the pod or a resource of a container. Set exactly one of `field_ref` and
    `resource_field_ref`."""

    path: str
    """Path of the file, relative to the volume's root. Must not contain '..'."""

    field_ref: ObjectFieldSelector | None = None
    """A field of the pod: labels, annotations, name, uid or namespace."""
    resource_field_ref: ResourceFieldSelector | None = None
    """A resource limit or request of a container."""

    mode: Int32 | None = None
    """Permissions of the file, 0 to 0777 (octal). Default: the volume's defaultMode."""


class DownwardAPIVolumeSource(ApiModel):
    """Fields of the pod and resources of its containers as files."""

    items: FrozenList[DownwardAPIVolumeFile] | None = None
    """The files."""

    default_mode: Int32 | None = None
    """Permissions of the files, 0 to 0777 (octal). Default 0644."""


class KeysProjection(ApiModel):
    """A ConfigMap or Secret whose keys become files of a projected volume."""

    name: str | None = None
    """Name of the ConfigMap or Secret, in the pod's namespace."""

    items: FrozenList[KeyToPath] | None = None
    """Keys to include. Default: all keys, each as a file with the key's name."""

    optional: bool | None = None
    """Start the pod even if the object or its keys are missing. Default false."""


class DownwardAPIProjection(ApiModel):
    """Fields of the pod and resources of its containers as files of a projected volume."""

    items: FrozenList[DownwardAPIVolumeFile] | None = None
    """The files."""


class ServiceAccountTokenProjection(ApiModel):
    """A token of the pod's service account as a file of a projected volume."""

    path: str
    """Path of the file, relative to the volume's root."""

    audience: str | None = None
    """Intended audience of the token. Default: the API server."""

    expiration_seconds: Int64 | None = None
    """Lifetime of the token in seconds, 600 or more. The kubelet renews it before it expires. Default 3600."""


class VolumeProjection(ApiModel):
    """One source of a projected volume. Set exactly one field."""

    config_map: KeysProjection | None = None
    """Keys of a ConfigMap."""
    secret: KeysProjection | None = None
    """Keys of a Secret."""
    downward_api: DownwardAPIProjection | None = None
    """Fields of the pod and resources of its containers."""
    service_account_token: ServiceAccountTokenProjection | None = None
    """A token of the pod's service account."""
    cluster_trust_bundle: Annotated[JsonObject, official_type("IoK8sApiCoreV1ClusterTrustBundleProjection")] | None = (
        None
    )
    """Certificates of ClusterTrustBundles."""
    pod_certificate: Annotated[JsonObject, official_type("IoK8sApiCoreV1PodCertificateProjection")] | None = None
    """A key and certificate that Kubernetes issues for the pod."""


class ProjectedVolumeSource(ApiModel):
    """Files from several sources in one directory."""

    sources: FrozenList[VolumeProjection] | None = None
    """The sources."""

    default_mode: Int32 | None = None
    """Permissions of the files, 0 to 0777 (octal). Default 0644."""


# Built on import, so that the validators of its parents reuse this one instead of building their own.
class Volume(ApiModel, defer_build=False):
    """A volume of a pod: a name and at most one source. A volume without a source is an emptyDir.

    Sources that are plain mappings here are rarely used or removed from Kubernetes. They are validated as well.
    """

    name: str
    """Name of the volume, unique in the pod."""

    config_map: ConfigMapVolumeSource | None = None
    """Keys of a ConfigMap as files."""
    secret: SecretVolumeSource | None = None
    """Keys of a Secret as files."""
    empty_dir: EmptyDirVolumeSource | None = None
    """A directory that is deleted with the pod."""
    host_path: HostPathVolumeSource | None = None
    """A file or directory of the node."""
    nfs: NFSVolumeSource | None = None
    """A directory exported by an NFS server."""
    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    """An existing PersistentVolumeClaim."""
    ephemeral: EphemeralVolumeSource | None = None
    """A claim that is created and deleted with the pod."""
    csi: CSIVolumeSource | None = None
    """A volume that a CSI driver creates and deletes with the pod."""
    image: ImageVolumeSource | None = None
    """The content of an image, read-only."""
    downward_api: DownwardAPIVolumeSource | None = None
    """Fields of the pod and resources of its containers as files."""
    projected: ProjectedVolumeSource | None = None
    """Files from several sources in one directory."""

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

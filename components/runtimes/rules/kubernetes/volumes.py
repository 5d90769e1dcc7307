"""What Kubernetes rejects in volumes."""

from collections.abc import Iterator

from ....k8s.claims import EphemeralVolumeSource
from ....k8s.grammars import DNS_LABEL, DNS_SUBDOMAIN, escapes_directory, has_parent_reference
from ....k8s.quantities import amount
from ....k8s.volumes import (
    ConfigMapVolumeSource,
    CSIVolumeSource,
    DownwardAPIVolumeFile,
    EmptyDirVolumeSource,
    HostPathVolumeSource,
    ImageVolumeSource,
    KeyToPath,
    NFSVolumeSource,
    ProjectedVolumeSource,
    SecretVolumeSource,
    Volume,
    VolumeProjection,
)
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import RuntimeView, source_names
from .claims import claim_problems
from .environment import VOLUME_FIELDS, field_problems, resource_problems
from .metadata import annotation_problems, label_problems

HOST_PATH_TYPES = {
    "",
    "DirectoryOrCreate",
    "Directory",
    "FileOrCreate",
    "File",
    "Socket",
    "CharDevice",
    "BlockDevice",
}
PULL_POLICIES = {None, "", "Always", "IfNotPresent", "Never"}
MAX_CSI_DRIVER_LENGTH = 63
CERTIFICATE_FILES = ("credentialBundlePath", "keyPath", "certificateChainPath")
"""Fields of a projected pod certificate that name files."""


@rule("K8S-07")
def volumes_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """A volume has an invalid name, several sources, or an invalid source.

    A volume without a source is an emptyDir (executed).
    Source: pkg/apis/core/validation/validation.go:453-813@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        for index, volume in enumerate(pod.spec.volumes or ()):
            path = f"{pod.path}.volumes[{index}]"
            if not DNS_LABEL.matches(volume.name):
                yield violation(
                    f"{path}.name", f"{volume.name!r} is not a valid volume name: it must be {DNS_LABEL}.", "Rename it."
                )
            sources = source_names(volume)
            if len(sources) > 1:
                named = " and ".join(Volume.model_fields[name].alias or name for name in sources)
                yield violation(
                    path, f"Volume {volume.name!r} has {named}; it can have one source.", "Keep one of them."
                )
            else:
                yield from _source(path, volume)


def _source(path: str, volume: Volume) -> Iterator[Violation]:
    if volume.config_map:
        yield from _object(f"{path}.configMap.name", volume.config_map.name)
        yield from _keys(f"{path}.configMap", volume.config_map)
    if volume.secret:
        yield from _object(f"{path}.secret.secretName", volume.secret.secret_name)
        yield from _keys(f"{path}.secret", volume.secret)
    if volume.persistent_volume_claim:
        yield from _object(f"{path}.persistentVolumeClaim.claimName", volume.persistent_volume_claim.claim_name)
    if volume.empty_dir:
        yield from _empty_dir(f"{path}.emptyDir", volume.empty_dir)
    if volume.host_path:
        yield from _host_path(f"{path}.hostPath", volume.host_path)
    if volume.nfs:
        yield from _nfs(f"{path}.nfs", volume.nfs)
    if volume.csi:
        yield from _csi(f"{path}.csi", volume.csi)
    if volume.image:
        yield from _image(f"{path}.image", volume.image)
    if volume.downward_api:
        yield from _mode(f"{path}.downwardAPI.defaultMode", volume.downward_api.default_mode)
        yield from _pod_files(f"{path}.downwardAPI", volume.downward_api.items)
    if volume.projected:
        yield from _mode(f"{path}.projected.defaultMode", volume.projected.default_mode)
        yield from _projected(f"{path}.projected", volume.projected)
    if volume.ephemeral:
        yield from _ephemeral(f"{path}.ephemeral.volumeClaimTemplate", volume.ephemeral)


def _empty_dir(path: str, folder: EmptyDirVolumeSource) -> Iterator[Violation]:
    if folder.size_limit is not None and amount(folder.size_limit) < 0:
        yield violation(
            f"{path}.sizeLimit", f"{folder.size_limit} is negative.", "Set an amount such as 8Gi, or leave it out."
        )


def _host_path(path: str, host: HostPathVolumeSource) -> Iterator[Violation]:
    if not host.path or has_parent_reference(host.path):
        yield violation(
            f"{path}.path",
            f"{host.path!r} is not a valid path on a node: it must not be empty nor contain '..'.",
            "Correct the path.",
        )
    if host.type is not None and host.type not in HOST_PATH_TYPES:
        yield violation(
            f"{path}.type",
            f"{host.type!r} is not a valid type.",
            f"Use one of {', '.join(sorted(HOST_PATH_TYPES - {''}))}, or leave it out.",
        )


def _nfs(path: str, nfs: NFSVolumeSource) -> Iterator[Violation]:
    if not nfs.server:
        yield violation(f"{path}.server", "There is no server.", "Name the server.")
    if not nfs.path.startswith("/"):
        yield violation(f"{path}.path", f"{nfs.path!r} is not absolute.", "Begin it with '/'.")


def _image(path: str, image: ImageVolumeSource) -> Iterator[Violation]:
    if not image.reference:
        yield violation(f"{path}.reference", "There is no image.", "Set reference.")
    if image.pull_policy not in PULL_POLICIES:
        yield violation(
            f"{path}.pullPolicy",
            f"{image.pull_policy!r} is not a valid pull policy.",
            "Use Always, IfNotPresent or Never.",
        )


def _object(path: str, name: str | None) -> Iterator[Violation]:
    if not name:
        yield violation(path, "The name is empty.", "Name the object.")


def _mode(path: str, mode: int | None) -> Iterator[Violation]:
    if mode is not None and not 0 <= mode <= 0o777:
        yield violation(
            path,
            f"{mode} is not a valid file mode: it must be from 0 to 511 (0777 in octal).",
            "Use octal notation: 0o640.",
        )


def file_problems(path: str, name: str) -> Iterator[Violation]:
    """Yields the problems of a file's path in a volume."""
    if not name or escapes_directory(name) or name.startswith(".."):
        yield violation(
            path,
            f"{name!r} is not a valid path inside the volume: it must be relative, without '..'.",
            "Correct the path.",
        )


def _keys(path: str, source: ConfigMapVolumeSource | SecretVolumeSource) -> Iterator[Violation]:
    yield from _mode(f"{path}.defaultMode", source.default_mode)
    yield from _items(path, source.items)


def _items(path: str, items: tuple[KeyToPath, ...] | None) -> Iterator[Violation]:
    for index, item in enumerate(items or ()):
        if not item.key:
            yield violation(f"{path}.items[{index}].key", "The key is empty.", "Name the key.")
        yield from file_problems(f"{path}.items[{index}].path", item.path)
        yield from _mode(f"{path}.items[{index}].mode", item.mode)


def _csi(path: str, csi: CSIVolumeSource) -> Iterator[Violation]:
    if len(csi.driver) > MAX_CSI_DRIVER_LENGTH or not DNS_SUBDOMAIN.matches(csi.driver.lower()):
        yield violation(
            f"{path}.driver", f"{csi.driver!r} is not a valid CSI driver.", "Name the driver, e.g. csi.example.com."
        )
    secret = csi.node_publish_secret_ref
    if secret is not None and not DNS_SUBDOMAIN.matches(secret.name or ""):
        yield violation(
            f"{path}.nodePublishSecretRef.name",
            f"{secret.name or ''!r} is not a valid Secret name: it must be {DNS_SUBDOMAIN}.",
            "Name the Secret.",
        )


def _pod_files(path: str, files: tuple[DownwardAPIVolumeFile, ...] | None) -> Iterator[Violation]:
    for index, file in enumerate(files or ()):
        yield from _pod_file(f"{path}.items[{index}]", file)


def _pod_file(path: str, file: DownwardAPIVolumeFile) -> Iterator[Violation]:
    yield from file_problems(f"{path}.path", file.path)
    yield from _mode(f"{path}.mode", file.mode)
    if (file.field_ref is None) == (file.resource_field_ref is None):
        yield violation(
            path,
            f"It has {'neither' if file.field_ref is None else 'both'} fieldRef and resourceFieldRef.",
            "Set one of them.",
        )
    if file.field_ref:
        yield from field_problems(f"{path}.fieldRef", file.field_ref, VOLUME_FIELDS)
    elif file.resource_field_ref:
        yield from resource_problems(f"{path}.resourceFieldRef", file.resource_field_ref, needs_container=True)


def _projected(path: str, projected: ProjectedVolumeSource) -> Iterator[Violation]:
    seen: set[str] = set()
    for index, source in enumerate(projected.sources or ()):
        where = f"{path}.sources[{index}]"
        given = [name for name in VolumeProjection.model_fields if getattr(source, name) is not None]
        if len(given) > 1:
            named = " and ".join(VolumeProjection.model_fields[name].alias or name for name in given)
            yield violation(where, f"The source has {named}.", "Split it into one source each.")
        for name, keys in (("configMap", source.config_map), ("secret", source.secret)):
            if keys:
                yield from _object(f"{where}.{name}.name", keys.name)
                yield from _items(f"{where}.{name}", keys.items)
        if source.downward_api:
            yield from _pod_files(f"{where}.downwardAPI", source.downward_api.items)
        token = source.service_account_token
        if token:
            yield from file_problems(f"{where}.serviceAccountToken.path", token.path)
            seconds = token.expiration_seconds
            if seconds is not None and not 600 <= seconds <= 1 << 32:
                yield violation(
                    f"{where}.serviceAccountToken.expirationSeconds",
                    f"{seconds} s is less than 10 minutes, or more than 2^32 s.",
                    "Set 600 or more.",
                )
        for name, file_path in _projected_files(source):
            if file_path in seen:
                yield violation(
                    f"{where}.{name}", f"{file_path!r} comes from another source as well.", "Rename one of them."
                )
            seen.add(file_path)


def _projected_files(source: VolumeProjection) -> Iterator[tuple[str, str]]:
    """The files of a source in a projected volume, if their paths are known. Tokens can share one."""
    for name, keys in (("configMap", source.config_map), ("secret", source.secret)):
        for index, item in enumerate((keys and keys.items) or ()):
            yield f"{name}.items[{index}].path", item.path
    for index, file in enumerate((source.downward_api and source.downward_api.items) or ()):
        yield f"downwardAPI.items[{index}].path", file.path
    if source.cluster_trust_bundle:
        yield "clusterTrustBundle.path", source.cluster_trust_bundle["path"]
    for name in CERTIFICATE_FILES:
        if source.pod_certificate and (file_path := source.pod_certificate.get(name)):
            yield f"podCertificate.{name}", file_path


def _ephemeral(path: str, ephemeral: EphemeralVolumeSource) -> Iterator[Violation]:
    template = ephemeral.volume_claim_template
    if template is None:
        yield violation(path, "The volume has no claim.", "Set volumeClaimTemplate.")
        return
    yield from claim_problems(f"{path}.spec", template.spec)
    if template.metadata:
        yield from label_problems(f"{path}.metadata.labels", template.metadata.labels)
        yield from annotation_problems(f"{path}.metadata.annotations", template.metadata.annotations)
        for name in ("name", "namespace", "finalizers"):
            if getattr(template.metadata, name):
                yield violation(f"{path}.metadata.{name}", f"{name} cannot be set here.", "Remove it.")

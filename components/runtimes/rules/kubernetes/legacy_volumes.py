"""What Kubernetes rejects in rare volumes and in those whose drivers were removed. They have no models of their own."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ....k8s.grammars import DNS_LABEL, escapes_directory
from ....k8s.volumes import Volume
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import RuntimeView, source_names

Source = Mapping[str, Any]

NEEDED: Mapping[str, tuple[str, ...]] = {
    "awsElasticBlockStore": ("volumeID",),
    "azureDisk": ("diskName",),
    "azureFile": ("secretName", "shareName"),
    "cephfs": ("monitors",),
    "cinder": ("volumeID",),
    "flexVolume": ("driver",),
    "gcePersistentDisk": ("pdName",),
    "gitRepo": ("repository",),
    "glusterfs": ("endpoints", "path"),
    "iscsi": ("targetPortal",),
    "photonPersistentDisk": ("pdID",),
    "portworxVolume": ("volumeID",),
    "quobyte": ("volume",),
    "rbd": ("monitors", "image"),
    "scaleIO": ("gateway", "system", "volumeName"),
    "vsphereVolume": ("volumePath",),
}
"""Required fields of volume sources."""

MAX_NUMBER = 255
"""Maximum number of a partition and of a logical unit."""
MAX_TENANT_LENGTH = 64
MAX_INITIATOR_LENGTH = 64
"""Maximum length of `<volume>:<portal>`."""
ISCSI_NAME = re.compile(
    r"(iqn.*)?iqn\.[0-9]{4}-[0-9]{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+|eui.[A-Za-z0-9]{16}|naa.[A-Za-z0-9]{32}"
)
HOST_AND_PORT = re.compile(r"([^:\[\]]*|\[[^\[\]]*\]):[^:\[\]]*")
OWN_DOMAINS = re.compile(r"(.*\.)?(kubernetes|k8s)\.io", re.IGNORECASE)


@rule("K8S-07")
def rare_volumes_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """A volume of a rare kind lacks a required field or has an invalid value.

    Source: pkg/apis/core/validation/validation.go:830-940,1053-1066,1520-1790@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        for index, volume in enumerate(pod.spec.volumes or ()):
            path = f"{pod.path}.volumes[{index}]"
            if len(source_names(volume)) == 1:
                yield from _source(path, volume)


def _source(path: str, volume: Volume) -> Iterator[Violation]:
    name = source_names(volume)[0]
    kind, source = str(Volume.model_fields[name].alias), getattr(volume, name)
    for needed in NEEDED.get(kind, ()):
        if not source.get(needed):
            yield violation(f"{path}.{kind}.{needed}", f"{needed} is empty.", f"Set {needed}.")
    if check := CHECKS.get(kind):
        yield from check(f"{path}.{kind}", source)
    if kind == "iscsi" and "initiatorName" in source:
        portal = source["targetPortal"]
        if len(f"{volume.name}:{portal}") > MAX_INITIATOR_LENGTH:
            message = (
                f"{volume.name}:{portal} has more than {MAX_INITIATOR_LENGTH} characters, the maximum with "
                "initiatorName."
            )
            yield violation(f"{path}.name", message, "Shorten the volume's name, or remove initiatorName.")


def _azure_disk(path: str, disk: Source) -> Iterator[Violation]:
    kind, uri = disk.get("kind", "Shared"), disk["diskURI"]
    start = "/subscriptions/" if kind == "Managed" else "https://"
    if not uri.startswith(start):
        yield violation(
            f"{path}.diskURI", f"{uri!r} is not a disk of kind {kind}: it must begin with {start}", "Correct it."
        )


def _partition(path: str, disk: Source) -> Iterator[Violation]:
    yield from _number(f"{path}.partition", disk.get("partition", 0))


def _number(path: str, number: int) -> Iterator[Violation]:
    if not 0 <= number <= MAX_NUMBER:
        yield violation(path, f"{number} is not from 0 to {MAX_NUMBER}.", "Correct it.")


def _fc(path: str, channel: Source) -> Iterator[Violation]:
    targets, ids = channel.get("targetWWNs"), channel.get("wwids")
    if bool(targets) == bool(ids):
        what = "both" if targets else "neither"
        yield violation(f"{path}.targetWWNs", f"The volume has {what} of targetWWNs and wwids.", "Set one of them.")
    if targets and channel.get("lun") is None:
        yield violation(f"{path}.lun", "targetWWNs needs lun.", "Set lun.")
    elif targets:
        yield from _number(f"{path}.lun", channel["lun"])


def _flex(path: str, flex: Source) -> Iterator[Violation]:
    for key in flex.get("options", {}):
        if OWN_DOMAINS.fullmatch(key.partition("/")[0]):
            yield violation(
                f"{path}.options[{key}]", "kubernetes.io and k8s.io are reserved by Kubernetes.", "Rename it."
            )


def _flocker(path: str, flocker: Source) -> Iterator[Violation]:
    name, uuid = flocker.get("datasetName", ""), flocker.get("datasetUUID")
    if bool(name) == bool(uuid):
        what = "both" if name else "neither"
        yield violation(path, f"The volume has {what} of datasetName and datasetUUID.", "Set one of them.")
    if "/" in name:
        yield violation(f"{path}.datasetName", f"{name!r} has a '/'.", "Correct the name.")


def _git(path: str, repository: Source) -> Iterator[Violation]:
    directory = repository.get("directory", "")
    if escapes_directory(directory):
        yield violation(
            f"{path}.directory", f"{directory!r} is not a valid path inside the volume.", "Correct the path."
        )


def _iscsi(path: str, iscsi: Source) -> Iterator[Violation]:
    for name in ("iqn", "initiatorName"):
        if (value := iscsi.get(name)) is not None and not ISCSI_NAME.fullmatch(value):
            message = f"{value!r} is not a valid iSCSI name: it must be like iqn.2001-04.com.example:storage."
            yield violation(f"{path}.{name}", message, "Correct the name.")
    yield from _number(f"{path}.lun", iscsi["lun"])
    if (iscsi.get("chapAuthDiscovery") or iscsi.get("chapAuthSession")) and iscsi.get("secretRef") is None:
        yield violation(f"{path}.secretRef", "CHAP needs a Secret.", "Set secretRef.")


def _quobyte(path: str, quobyte: Source) -> Iterator[Violation]:
    registry, tenant = quobyte["registry"], quobyte.get("tenant", "")
    if not all(HOST_AND_PORT.fullmatch(pair) for pair in registry.split(",")):
        yield violation(
            f"{path}.registry",
            f"{registry!r} is not a valid registry: it must be host:port, several separated by commas.",
            "Correct it.",
        )
    elif len(tenant) > MAX_TENANT_LENGTH:
        yield violation(f"{path}.tenant", f"tenant has more than {MAX_TENANT_LENGTH} characters.", "Shorten it.")


def _storageos(path: str, storage: Source) -> Iterator[Violation]:
    name, namespace = storage.get("volumeName", ""), storage.get("volumeNamespace")
    if not DNS_LABEL.matches(name):
        yield violation(
            f"{path}.volumeName", f"{name!r} is not a valid volume: it must be {DNS_LABEL}.", "Correct the name."
        )
    if namespace and not DNS_LABEL.matches(namespace):
        message = f"{namespace!r} is not a valid namespace: it must be {DNS_LABEL}."
        yield violation(f"{path}.volumeNamespace", message, "Correct the name.")
    yield from _secret(path, storage)


def _secret(path: str, source: Source) -> Iterator[Violation]:
    if "secretRef" in source and not source["secretRef"].get("name"):
        yield violation(f"{path}.secretRef.name", "The name is empty.", "Name the Secret, or remove secretRef.")


CHECKS: Mapping[str, Callable[[str, Source], Iterator[Violation]]] = {
    "awsElasticBlockStore": _partition,
    "azureDisk": _azure_disk,
    "cinder": _secret,
    "fc": _fc,
    "flexVolume": _flex,
    "flocker": _flocker,
    "gcePersistentDisk": _partition,
    "gitRepo": _git,
    "iscsi": _iscsi,
    "quobyte": _quobyte,
    "storageos": _storageos,
}

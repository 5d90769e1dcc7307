"""What Kubernetes refuses in volumes that are rare, or whose drivers are gone."""

from typing import Any

from tests.unit.runtimes.rules.samples import TORCH, Case

from .volumes import VOLUME, VOLUMES, volume

ISCSI = {"targetPortal": "10.0.0.1", "iqn": "iqn.2001-04.com.example:a", "lun": 0}
QUOBYTE = {"registry": "a:1", "volume": "v"}
WWNS = {"targetWWNs": ["a"]}
PORTAL = "portal.example.com:3260"

# Source, field, a value that breaks it, one that doesn't, and what stands beside both.
FIELDS: list[tuple[str, str, Any, Any, dict[str, Any]]] = [
    ("awsElasticBlockStore", "volumeID", "", "v", {}),
    ("awsElasticBlockStore", "partition", 256, 255, {"volumeID": "v"}),
    ("azureDisk", "diskName", "", "d", {"diskURI": "https://a"}),
    ("azureDisk", "diskURI", "https://a", "/subscriptions/a", {"diskName": "d", "kind": "Managed"}),
    ("azureDisk", "diskURI", "/subscriptions/a", "https://a", {"diskName": "d"}),
    ("azureFile", "secretName", "", "s", {"shareName": "a"}),
    ("azureFile", "shareName", "", "a", {"secretName": "s"}),
    ("cephfs", "monitors", [], ["m"], {}),
    ("cinder", "volumeID", "", "v", {}),
    ("fc", "lun", None, 0, WWNS),
    ("fc", "lun", 256, 255, WWNS),
    ("fc", "targetWWNs", ["a"], [], {"wwids": ["b"], "lun": 0}),
    ("fc", "targetWWNs", None, ["a"], {"lun": 0}),
    ("flexVolume", "driver", "", "d", {}),
    ("flocker", "datasetName", "a/b", "a", {}),
    ("gcePersistentDisk", "pdName", "", "d", {}),
    ("gcePersistentDisk", "partition", -1, 0, {"pdName": "d"}),
    ("gitRepo", "repository", "", "r", {}),
    ("gitRepo", "directory", "../a", "a", {"repository": "r"}),
    ("glusterfs", "endpoints", "", "e", {"path": "p"}),
    ("glusterfs", "path", "", "p", {"endpoints": "e"}),
    ("iscsi", "targetPortal", "", "p", ISCSI),
    ("iscsi", "iqn", "iqn.2001.com.example:a", "eui.0123456789ABCDEF", ISCSI),
    ("iscsi", "iqn", "", "naa." + "0" * 32, ISCSI),
    ("iscsi", "initiatorName", "a", "iqn.2001-04.com.example:b", ISCSI),
    ("iscsi", "lun", 256, 255, ISCSI),
    ("iscsi", "secretRef", None, {}, ISCSI | {"chapAuthDiscovery": True}),
    ("iscsi", "secretRef", None, {"name": "s"}, ISCSI | {"chapAuthSession": True}),
    ("photonPersistentDisk", "pdID", "", "d", {}),
    ("portworxVolume", "volumeID", "", "v", {}),
    ("quobyte", "registry", "a:1,b", "a:1,[::1]:2", QUOBYTE),
    ("quobyte", "volume", "", "v", QUOBYTE),
    ("quobyte", "tenant", "a" * 65, "a" * 64, QUOBYTE),
    ("rbd", "monitors", [], ["m"], {"image": "i"}),
    ("rbd", "image", "", "i", {"monitors": ["m"]}),
    ("scaleIO", "gateway", "", "g", {"system": "s", "secretRef": {}, "volumeName": "v"}),
    ("scaleIO", "system", "", "s", {"gateway": "g", "secretRef": {}, "volumeName": "v"}),
    ("scaleIO", "volumeName", None, "v", {"gateway": "g", "system": "s", "secretRef": {}}),
    ("storageos", "volumeName", "A", "a", {}),
    ("storageos", "volumeNamespace", "A", "", {"volumeName": "v"}),
    ("vsphereVolume", "volumePath", "", "p", {}),
]

WHOLE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("flocker", {"flocker": {}}, {"flocker": {"datasetUUID": "u"}}),
    ("flocker", {"flocker": {"datasetName": "n", "datasetUUID": "u"}}, {"flocker": {"datasetName": "n"}}),
    (
        "flexVolume.options[a.k8s.io/b]",
        {"flexVolume": {"driver": "d", "options": {"a.k8s.io/b": ""}}},
        {"flexVolume": {"driver": "d", "options": {"k8s.io.example.com/b": ""}}},
    ),
    (
        "cinder.secretRef.name",
        {"cinder": {"volumeID": "v", "secretRef": {}}},
        {"cinder": {"volumeID": "v", "secretRef": {"name": "s"}}},
    ),
    (
        "storageos.secretRef.name",
        {"storageos": {"volumeName": "v", "secretRef": {}}},
        {"storageos": {"volumeName": "v", "secretRef": {"name": "s"}}},
    ),
]


def initiator(name: str) -> dict[str, Any]:
    return {VOLUMES: [{"name": name, "iscsi": {**ISCSI, "targetPortal": PORTAL, "initiatorName": ISCSI["iqn"]}}]}


CASES = [
    *(
        Case(
            "K8S-07",
            f"{VOLUME}.{source}.{field}",
            TORCH,
            volume(**{source: {**beside, field: broken}}),
            volume(**{source: {**beside, field: sound}}),
        )
        for source, field, broken, sound, beside in FIELDS
    ),
    *(Case("K8S-07", f"{VOLUME}.{path}", TORCH, volume(**broken), volume(**sound)) for path, broken, sound in WHOLE),
    Case("K8S-07", f"{VOLUME}.name", TORCH, initiator("v" * 41), initiator("v" * 40)),
]

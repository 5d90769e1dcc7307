"""Volumes that work, of every kind that is still known: strategies for parts of manifests."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .parts import BYTES, LABELS, NAME, PATH, both, few, one

FIELD = st.fixed_dictionaries(
    {"fieldPath": st.sampled_from(["metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels['a']"])},
    optional={"apiVersion": st.just("v1")},
)
MODE = st.integers(0, 0o777)
ITEMS = st.lists(both({"key": NAME, "path": NAME}, {"mode": MODE}), max_size=2, unique_by=lambda item: item["path"])
FILES = {"items": ITEMS, "defaultMode": MODE, "optional": st.booleans()}
DOWNWARD = st.lists(
    both({"path": NAME, "fieldRef": FIELD}, {"mode": MODE}), min_size=1, max_size=2, unique_by=lambda item: item["path"]
)
SECRET_NAME = st.fixed_dictionaries({"name": NAME})
CLAIM = both(
    {
        "accessModes": st.sampled_from([["ReadWriteMany"], ["ReadOnlyMany", "ReadWriteMany"]]),
        "resources": st.fixed_dictionaries({"requests": st.fixed_dictionaries({"storage": BYTES})}),
    },
    {
        "storageClassName": NAME,
        "volumeMode": st.just("Filesystem"),
        "volumeName": NAME,
        "dataSource": st.fixed_dictionaries({"kind": st.just("PersistentVolumeClaim"), "name": NAME}),
    },
)

SIGNER = st.just("example.com/signer")
PROJECTED = {
    "configMap": both({"name": NAME}, {"items": ITEMS, "optional": st.booleans()}),
    "secret": both({"name": NAME}, {"items": ITEMS, "optional": st.booleans()}),
    "downwardAPI": st.fixed_dictionaries({"items": DOWNWARD}),
    "serviceAccountToken": both({"path": NAME}, {"audience": NAME, "expirationSeconds": st.integers(600, 2**32)}),
    "clusterTrustBundle": both({"name": NAME, "path": NAME}, {"optional": st.booleans()}),
    "podCertificate": both(
        {"signerName": SIGNER, "keyType": st.sampled_from(["RSA3072", "ED25519"]), "credentialBundlePath": NAME},
        {"maxExpirationSeconds": st.integers(3600, 86400), "userAnnotations": st.just({"example.com/a": "b"})},
    ),
}

# Sources of volumes; the last of them have no model of their own.
VOLUMES: dict[str, SearchStrategy[Any]] = {
    "emptyDir": few({"medium": st.sampled_from(["", "Memory"]), "sizeLimit": BYTES}),
    "configMap": both({"name": NAME}, FILES),
    "secret": both({"secretName": NAME}, FILES),
    "hostPath": both({"path": PATH}, {"type": st.sampled_from(["", "Directory", "DirectoryOrCreate", "CharDevice"])}),
    "nfs": both({"server": NAME, "path": PATH}, {"readOnly": st.booleans()}),
    "persistentVolumeClaim": both({"claimName": NAME}, {"readOnly": st.booleans()}),
    "ephemeral": st.fixed_dictionaries(
        {"volumeClaimTemplate": both({"spec": CLAIM}, {"metadata": few({"labels": LABELS})})}
    ),
    "csi": both(
        {"driver": st.just("csi.example.com")},
        {"fsType": NAME, "volumeAttributes": LABELS, "nodePublishSecretRef": SECRET_NAME},
    ),
    "image": both({"reference": NAME}, {"pullPolicy": st.sampled_from(["Always", "Never", "IfNotPresent"])}),
    "downwardAPI": both({"items": DOWNWARD}, {"defaultMode": MODE}),
    # An empty list of sources breaks REC-08.
    "projected": both({"sources": st.lists(one(PROJECTED), min_size=1, max_size=1)}, {"defaultMode": MODE}),
    "fc": both(
        {"targetWWNs": st.just(["50060e801049cfd1"]), "lun": st.integers(0, 255)},
        {"fsType": NAME, "readOnly": st.booleans()},
    ),
    "iscsi": both(
        {
            "targetPortal": st.just("10.0.0.1:3260"),
            "iqn": st.just("iqn.2006-01.com.example:a"),
            "lun": st.integers(0, 255),
        },
        {"fsType": NAME, "iscsiInterface": NAME, "portals": st.just(["10.0.0.2"])},
    ),
    "rbd": both(
        {"monitors": st.just(["10.0.0.1:6789"]), "image": NAME},
        {"pool": NAME, "keyring": PATH, "secretRef": SECRET_NAME},
    ),
    "cephfs": both({"monitors": st.just(["10.0.0.1:6789"])}, {"path": PATH, "user": NAME, "readOnly": st.booleans()}),
    "azureDisk": both(
        {"diskName": NAME, "diskURI": st.just("/subscriptions/a/b"), "kind": st.just("Managed")},
        {"cachingMode": st.sampled_from(["None", "ReadOnly"])},
    ),
    "azureFile": both({"secretName": NAME, "shareName": NAME}, {"readOnly": st.booleans()}),
    "awsElasticBlockStore": both({"volumeID": NAME}, {"partition": st.integers(0, 255), "fsType": NAME}),
    "gcePersistentDisk": both({"pdName": NAME}, {"partition": st.integers(0, 255), "readOnly": st.booleans()}),
    "glusterfs": both({"endpoints": NAME, "path": NAME}, {"readOnly": st.booleans()}),
    "flexVolume": both({"driver": st.just("example.com/a")}, {"options": LABELS, "secretRef": SECRET_NAME}),
    "gitRepo": both({"repository": NAME}, {"directory": NAME, "revision": NAME}),
    "cinder": both({"volumeID": NAME}, {"readOnly": st.booleans(), "secretRef": SECRET_NAME}),
    "quobyte": both({"registry": st.just("10.0.0.1:7861"), "volume": NAME}, {"tenant": NAME, "user": NAME}),
    "scaleIO": both(
        {"gateway": NAME, "system": NAME, "volumeName": NAME, "secretRef": SECRET_NAME}, {"storagePool": NAME}
    ),
    "storageos": both({"volumeName": NAME}, {"volumeNamespace": NAME, "secretRef": SECRET_NAME}),
    "flocker": one({"datasetName": NAME, "datasetUUID": NAME}),
    "portworxVolume": both({"volumeID": NAME}, {"readOnly": st.booleans()}),
    "photonPersistentDisk": both({"pdID": NAME}, {"fsType": NAME}),
    "vsphereVolume": both({"volumePath": NAME}, {"storagePolicyName": NAME}),
}

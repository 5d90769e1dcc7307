"""What Kubernetes refuses in volumes."""

from typing import Any

from tests.unit.runtimes.rules.samples import TORCH, Case, pod

VOLUMES = f"{pod(0)}.volumes"
VOLUME = f"{VOLUMES}[0]"


def volume(**source: Any) -> dict[str, Any]:
    return {VOLUMES: [{"name": "v", **source}]}


FILE = {"path": "a", "fieldRef": {"fieldPath": "metadata.name"}}
TOKEN = {"sources": [{"serviceAccountToken": {"path": "token"}}]}
CLAIM_SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def projected(*sources: dict[str, Any]) -> dict[str, Any]:
    return {"projected": {"sources": list(sources)}}


CASES = [
    Case("K8S-07", f"{VOLUME}.name", TORCH, {VOLUMES: [{"name": "Data_1"}]}, {VOLUMES: [{"name": "data-1"}]}),
    Case("K8S-07", VOLUME, TORCH, volume(emptyDir={}, hostPath={"path": "/a"}), volume()),
    *(
        Case("K8S-07", f"{VOLUME}.{path}", TORCH, volume(**bad), volume(**good))
        for path, bad, good in (
            ("configMap.name", {"configMap": {}}, {"configMap": {"name": "c"}}),
            (
                "configMap.defaultMode",
                {"configMap": {"name": "c", "defaultMode": 512}},
                {"configMap": {"name": "c", "defaultMode": 511}},
            ),
            (
                "configMap.items[0].key",
                {"configMap": {"name": "c", "items": [{"key": "", "path": "a"}]}},
                {"configMap": {"name": "c", "items": [{"key": "a", "path": "a"}]}},
            ),
            (
                "configMap.items[0].path",
                {"configMap": {"name": "c", "items": [{"key": "a", "path": "/a"}]}},
                {"configMap": {"name": "c", "items": [{"key": "a", "path": "b/a"}]}},
            ),
            (
                "configMap.items[0].mode",
                {"configMap": {"name": "c", "items": [{"key": "a", "path": "a", "mode": -1}]}},
                {},
            ),
            ("secret.secretName", {"secret": {}}, {"secret": {"secretName": "s"}}),
            (
                "secret.items[0].path",
                {"secret": {"secretName": "s", "items": [{"key": "a", "path": "..a"}]}},
                {"secret": {"secretName": "s", "items": [{"key": "a", "path": "a..a"}]}},
            ),
            (
                "persistentVolumeClaim.claimName",
                {"persistentVolumeClaim": {"claimName": ""}},
                {"persistentVolumeClaim": {"claimName": "p"}},
            ),
            ("emptyDir.sizeLimit", {"emptyDir": {"sizeLimit": "-1"}}, {"emptyDir": {"sizeLimit": "8Gi"}}),
            ("hostPath.path", {"hostPath": {"path": "/a/../b"}}, {"hostPath": {"path": "/a/..b"}}),
            ("hostPath.type", {"hostPath": {"path": "/a", "type": "Dir"}}, {"hostPath": {"path": "/a", "type": ""}}),
            ("nfs.server", {"nfs": {"server": "", "path": "/a"}}, {"nfs": {"server": "s", "path": "/a"}}),
            ("nfs.path", {"nfs": {"server": "s", "path": "a"}}, {}),
            ("csi.driver", {"csi": {"driver": "my_driver"}}, {"csi": {"driver": "CSI.example.com"}}),
            (
                "csi.nodePublishSecretRef.name",
                {"csi": {"driver": "d", "nodePublishSecretRef": {}}},
                {"csi": {"driver": "d", "nodePublishSecretRef": {"name": "s"}}},
            ),
            ("image.reference", {"image": {"reference": ""}}, {"image": {"reference": "example.com/model:1"}}),
            (
                "image.pullPolicy",
                {"image": {"reference": "a", "pullPolicy": "Once"}},
                {"image": {"reference": "a", "pullPolicy": "Never"}},
            ),
            ("downwardAPI.defaultMode", {"downwardAPI": {"defaultMode": 512}}, {"downwardAPI": {"items": [FILE]}}),
            ("downwardAPI.items[0]", {"downwardAPI": {"items": [{"path": "a"}]}}, {}),
            ("downwardAPI.items[0].path", {"downwardAPI": {"items": [{**FILE, "path": ""}]}}, {}),
            (
                "downwardAPI.items[0].fieldRef.fieldPath",
                {"downwardAPI": {"items": [{"path": "a", "fieldRef": {"fieldPath": "spec.nodeName"}}]}},
                {"downwardAPI": {"items": [{"path": "a", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
            ),
            (
                "downwardAPI.items[0].resourceFieldRef.containerName",
                {"downwardAPI": {"items": [{"path": "a", "resourceFieldRef": {"resource": "limits.cpu"}}]}},
                {
                    "downwardAPI": {
                        "items": [
                            {"path": "a", "resourceFieldRef": {"resource": "limits.cpu", "containerName": "node"}}
                        ]
                    }
                },
            ),
            ("projected.defaultMode", {"projected": {**TOKEN, "defaultMode": 512}}, {"projected": TOKEN}),
            (
                "projected.sources[0]",
                projected({"secret": {"name": "s"}, "configMap": {"name": "c"}}),
                projected({"secret": {"name": "s"}}, {"configMap": {"name": "c"}}),
            ),
            ("projected.sources[0].secret.name", projected({"secret": {}}), {}),
            (
                "projected.sources[0].downwardAPI.items[0]",
                projected({"downwardAPI": {"items": [{"path": "a"}]}}),
                projected({"downwardAPI": {"items": [FILE]}}),
            ),
            (
                "projected.sources[0].serviceAccountToken.path",
                projected({"serviceAccountToken": {"path": "/a"}}),
                projected({"serviceAccountToken": {"path": "a"}}),
            ),
            (
                "projected.sources[0].serviceAccountToken.expirationSeconds",
                projected({"serviceAccountToken": {"path": "a", "expirationSeconds": 599}}),
                projected({"serviceAccountToken": {"path": "a", "expirationSeconds": 600}}),
            ),
            (
                "projected.sources[1].secret.items[0].path",
                projected(
                    {"configMap": {"name": "c", "items": [{"key": "a", "path": "x"}]}},
                    {"secret": {"name": "s", "items": [{"key": "a", "path": "x"}]}},
                ),
                projected(
                    {"configMap": {"name": "c", "items": [{"key": "a", "path": "x"}]}},
                    {"secret": {"name": "s", "items": [{"key": "a", "path": "y"}]}},
                ),
            ),
            (
                "ephemeral.volumeClaimTemplate",
                {"ephemeral": {}},
                {"ephemeral": {"volumeClaimTemplate": {"spec": CLAIM_SPEC}}},
            ),
            (
                "ephemeral.volumeClaimTemplate.spec.accessModes",
                {"ephemeral": {"volumeClaimTemplate": {"spec": {**CLAIM_SPEC, "accessModes": []}}}},
                {},
            ),
            (
                "ephemeral.volumeClaimTemplate.metadata.name",
                {"ephemeral": {"volumeClaimTemplate": {"spec": CLAIM_SPEC, "metadata": {"name": "a"}}}},
                {"ephemeral": {"volumeClaimTemplate": {"spec": CLAIM_SPEC, "metadata": {"labels": {"a": "b"}}}}},
            ),
            (
                "ephemeral.volumeClaimTemplate.metadata.labels[a]",
                {"ephemeral": {"volumeClaimTemplate": {"spec": CLAIM_SPEC, "metadata": {"labels": {"a": "b c"}}}}},
                {},
            ),
            (
                "ephemeral.volumeClaimTemplate.metadata.annotations[a b]",
                {"ephemeral": {"volumeClaimTemplate": {"spec": CLAIM_SPEC, "metadata": {"annotations": {"a b": ""}}}}},
                {"ephemeral": {"volumeClaimTemplate": {"spec": CLAIM_SPEC, "metadata": {"annotations": {"a": "b c"}}}}},
            ),
            (
                "downwardAPI.items[0].mode",
                {"downwardAPI": {"items": [FILE | {"mode": 512}]}},
                {"downwardAPI": {"items": [FILE | {"mode": 511}]}},
            ),
            (
                "projected.sources[0].configMap.items[0].path",
                projected({"configMap": {"name": "c", "items": [{"key": "a", "path": "/a"}]}}),
                projected({"configMap": {"name": "c", "items": [{"key": "a", "path": "a"}]}}),
            ),
            (
                "projected.sources[0].secret.items[0].mode",
                projected({"secret": {"name": "s", "items": [{"key": "a", "path": "a", "mode": 512}]}}),
                projected({"secret": {"name": "s", "items": [{"key": "a", "path": "a", "mode": 511}]}}),
            ),
        )
    ),
]

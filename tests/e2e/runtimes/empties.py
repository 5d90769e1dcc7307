"""Empty lists and mappings in a runtime: those with which its TrainJobs run, and those with which none ever does.

What Trainer 2.3.0 applies has no empty list or mapping. JobSet's webhook then writes null for those that Go's types
cannot leave out, which the schema of JobSet refuses. One list a rule of that schema looks for, and refuses its absence.
"""

from typing import Any

from tests.unit.runtimes.rules.samples import JOBSET, TORCH, changed, container, job, pod, spec

CLAIMS = f"{JOBSET}.volumeClaimPolicies"
NO_LABELS = {"labelSelector": {}, "topologyKey": "kubernetes.io/hostname"}
FEW_LABELS = {"labelSelector": {"matchLabels": {}, "matchExpressions": []}, "topologyKey": "kubernetes.io/hostname"}

HARMLESS: dict[str, Any] = {
    f"{JOBSET}.successPolicy": {"operator": "All", "targetReplicatedJobs": []},
    f"{JOBSET}.failurePolicy": {"maxRestarts": 1, "rules": []},
    f"{JOBSET}.network": {},
    CLAIMS: [],
    f"{job(0)}.dependsOn": [],
    f"{spec(0)}.template.metadata": {"labels": {}, "annotations": {}},
    f"{container(0)}.args": [],
    f"{container(0)}.env": [],
    f"{container(0)}.envFrom": [],
    f"{container(0)}.lifecycle": {},
    f"{container(0)}.ports": [],
    f"{container(0)}.resizePolicy": [],
    f"{container(0)}.resources": {"limits": {}, "requests": {}, "claims": []},
    f"{container(0)}.securityContext": {"capabilities": {"add": [], "drop": []}},
    f"{container(0)}.volumeDevices": [],
    f"{container(0)}.volumeMounts": [],
    f"{pod(0)}.affinity": {
        "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []},
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [],
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": {**NO_LABELS, "namespaces": [], "namespaceSelector": {}}}
            ],
        },
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": FEW_LABELS}]
        },
    },
    f"{pod(0)}.dnsConfig": {"nameservers": [], "searches": [], "options": []},
    f"{pod(0)}.hostAliases": [{"ip": "10.0.0.1", "hostnames": []}],
    f"{pod(0)}.imagePullSecrets": [],
    f"{pod(0)}.initContainers": [],
    f"{pod(0)}.nodeSelector": {},
    f"{pod(0)}.readinessGates": [],
    f"{pod(0)}.resourceClaims": [],
    f"{pod(0)}.schedulingGates": [],
    f"{pod(0)}.securityContext": {"supplementalGroups": [], "sysctls": []},
    f"{pod(0)}.tolerations": [],
    f"{pod(0)}.topologySpreadConstraints": [],
    f"{pod(0)}.volumes": [
        {"name": "directory", "emptyDir": {}},
        {"name": "settings", "configMap": {"name": "settings", "items": []}},
        {"name": "secrets", "secret": {"secretName": "secrets", "items": []}},
        {"name": "names", "downwardAPI": {"items": []}},
        {"name": "driver", "csi": {"driver": "csi.example.com", "volumeAttributes": {}}},
        {"name": "plugin", "flexVolume": {"driver": "example.com/a", "options": {}}},
        {"name": "fibre", "fc": {"targetWWNs": [], "wwids": ["3600508b400105e210000900000490000"]}},
        {
            "name": "portal",
            "iscsi": {"targetPortal": "10.0.0.1:3260", "iqn": "iqn.2006-01.com.example:a", "lun": 0, "portals": []},
        },
        {
            "name": "all",
            "projected": {
                "sources": [
                    {"configMap": {"name": "settings", "items": []}},
                    {"secret": {"name": "secrets", "items": []}},
                    {"downwardAPI": {"items": []}},
                ]
            },
        },
    ],
}
"""With all of them, at once, a TrainJob gets its Jobs."""

HARMFUL: dict[str, tuple[str, dict[str, Any]]] = {
    "no-sources": ("REC-08", {f"{pod(0)}.volumes": [{"name": "all", "projected": {"sources": []}}]}),
    "nothing-projected": ("REC-08", {f"{pod(0)}.volumes": [{"name": "all", "projected": {}}]}),
    "no-rules": ("K8S-12", {f"{spec(0)}.podFailurePolicy": {"rules": []}, f"{pod(0)}.restartPolicy": "Never"}),
    "no-claims": ("RUN-05", {f"{CLAIMS}[0]": {"templates": []}}),
}
"""With each of them the JobSet is refused: the runtime's name, and the rule that says so."""


def named(name: str, changes: dict[str, Any]) -> dict[str, Any]:
    """A runtime for PyTorch with other values at some paths."""
    return changed(TORCH, {"metadata.name": name, **changes})

"""What Kubernetes refuses in pods: volumes, scheduling, security, names, metadata."""

from typing import Any

from ..samples import ANCESTOR, FRAMEWORK, JOBSET, TORCH, TUNE, Case, job, pod, spec

VOLUMES = f"{pod(0)}.volumes"
VOLUME = f"{VOLUMES}[0]"


def volume(**source: Any) -> dict[str, Any]:
    return {VOLUMES: [{"name": "v", **source}]}


FILE = {"path": "a", "fieldRef": {"fieldPath": "metadata.name"}}
CLAIM_SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def projected(*sources: dict[str, Any]) -> dict[str, Any]:
    return {"projected": {"sources": list(sources)}}


VOLUME_CASES = [
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
            ("projected.defaultMode", {"projected": {"defaultMode": 512}}, {"projected": {"defaultMode": 0}}),
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
        )
    ),
]

TOLERATIONS = f"{pod(0)}.tolerations"
AFFINITY = f"{pod(0)}.affinity"
SPREAD = f"{pod(0)}.topologySpreadConstraints"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NODES = f"{AFFINITY}.nodeAffinity.{REQUIRED}"
TERM = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"a": "b"}}}
CONSTRAINT = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}


def nodes(**requirement: Any) -> dict[str, Any]:
    expression = {"key": "zone", "operator": "In", "values": ["a"], **requirement}
    return {NODES: {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


def fields(**requirement: Any) -> dict[str, Any]:
    field = {"key": "metadata.name", "operator": "In", "values": ["a"], **requirement}
    return {NODES: {"nodeSelectorTerms": [{"matchFields": [field]}]}}


def near(**term: Any) -> dict[str, Any]:
    return {f"{AFFINITY}.podAffinity.{REQUIRED}": [{**TERM, **term}]}


def spread(**constraint: Any) -> dict[str, Any]:
    return {SPREAD: [{**CONSTRAINT, **constraint}]}


_EXPRESSION = f"{NODES}.nodeSelectorTerms[0].matchExpressions[0]"
_FIELD = f"{NODES}.nodeSelectorTerms[0].matchFields[0]"
_NEAR = f"{AFFINITY}.podAffinity.{REQUIRED}[0]"

SCHEDULING = [
    *(
        Case("K8S-22", f"{TOLERATIONS}[0].{name}", TORCH, {TOLERATIONS: [bad]}, {TOLERATIONS: [good]})
        for name, bad, good in (
            ("operator", {"key": "a", "operator": "Is"}, {"key": "a", "operator": "Equal"}),
            ("operator", {"value": "a"}, {"operator": "Exists"}),
            ("value", {"key": "a", "operator": "Exists", "value": "b"}, {"key": "a", "value": "b"}),
            ("value", {"key": "a", "value": "b c"}, {"key": "a", "value": ""}),
            ("key", {"key": "a b"}, {"key": "a/b"}),
            ("effect", {"key": "a", "effect": "Never"}, {"key": "a", "effect": "PreferNoSchedule"}),
            (
                "effect",
                {"key": "a", "effect": "NoSchedule", "tolerationSeconds": 0},
                {"key": "a", "effect": "NoExecute", "tolerationSeconds": 0},
            ),
        )
    ),
    Case(
        "K8S-22",
        f"{pod(0)}.nodeSelector[a b]",
        TORCH,
        {f"{pod(0)}.nodeSelector": {"a b": "c"}},
        {f"{pod(0)}.nodeSelector": {"a/b": "c"}},
    ),
    Case(
        "K8S-22",
        f"{NODES}.nodeSelectorTerms",
        TORCH,
        {NODES: {"nodeSelectorTerms": []}},
        {NODES: {"nodeSelectorTerms": [{}]}},
    ),
    *(
        Case("K8S-22", f"{_EXPRESSION}.{name}", TORCH, nodes(**bad), nodes(**good))
        for name, bad, good in (
            ("operator", {"operator": "Is"}, {"operator": "NotIn"}),
            ("values", {"values": []}, {"operator": "Exists", "values": []}),
            ("values", {"operator": "Exists"}, {}),
            ("values", {"operator": "Gt", "values": ["1", "2"]}, {"operator": "Gt", "values": ["1"]}),
            ("key", {"key": "a b"}, {"key": "a"}),
            ("values[0]", {"values": ["a b"]}, {"values": [""]}),
        )
    ),
    *(
        Case("K8S-22", f"{_FIELD}.{name}", TORCH, fields(**bad), fields())
        for name, bad in (
            ("operator", {"operator": "Exists"}),
            ("operator", {"values": ["a", "b"]}),
            ("key", {"key": "metadata.uid"}),
            ("values", {"values": ["A"]}),
        )
    ),
    Case(
        "K8S-22",
        f"{AFFINITY}.nodeAffinity.{PREFERRED}[0].weight",
        TORCH,
        {f"{AFFINITY}.nodeAffinity.{PREFERRED}": [{"weight": 0, "preference": {}}]},
        {
            f"{AFFINITY}.nodeAffinity.{PREFERRED}": [
                {"weight": 100, "preference": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b c"]}]}}
            ]
        },
    ),
    Case(
        "K8S-22",
        f"{AFFINITY}.podAntiAffinity.{PREFERRED}[0].weight",
        TORCH,
        {f"{AFFINITY}.podAntiAffinity.{PREFERRED}": [{"weight": 101, "podAffinityTerm": TERM}]},
        {f"{AFFINITY}.podAntiAffinity.{PREFERRED}": [{"weight": 1, "podAffinityTerm": TERM}]},
    ),
    *(
        Case("K8S-22", f"{_NEAR}.{path}", TORCH, near(**bad), near(**good))
        for path, bad, good in (
            ("topologyKey", {"topologyKey": ""}, {"topologyKey": "zone"}),
            ("namespaces[0]", {"namespaces": ["A"]}, {"namespaces": ["a"]}),
            ("labelSelector.matchLabels[a]", {"labelSelector": {"matchLabels": {"a": "b c"}}}, {"labelSelector": {}}),
            (
                "namespaceSelector.matchExpressions[0].operator",
                {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Gt"}]}},
                {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}},
            ),
            (
                "labelSelector.matchExpressions[0].values",
                {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
                {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}},
            ),
            (
                "labelSelector.matchExpressions[0].key",
                {"labelSelector": {"matchExpressions": [{"key": "", "operator": "Exists"}]}},
                {},
            ),
            (
                "labelSelector.matchExpressions[0].values[0]",
                {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b c"]}]}},
                {},
            ),
            ("matchLabelKeys[0]", {"matchLabelKeys": ["a b"]}, {"matchLabelKeys": ["a"]}),
            (
                "matchLabelKeys",
                {"matchLabelKeys": ["c"], "mismatchLabelKeys": ["c"]},
                {"matchLabelKeys": ["c"], "mismatchLabelKeys": ["d"]},
            ),
        )
    ),
    Case(
        "K8S-22",
        f"{AFFINITY}.podAntiAffinity.{REQUIRED}[0].mismatchLabelKeys",
        TORCH,
        {f"{AFFINITY}.podAntiAffinity.{REQUIRED}": [{"topologyKey": "zone", "mismatchLabelKeys": ["a"]}]},
        {f"{AFFINITY}.podAntiAffinity.{REQUIRED}": [{"topologyKey": "zone"}]},
    ),
    *(
        Case("K8S-22", f"{SPREAD}[0].{name}", TORCH, spread(**bad), spread(**good))
        for name, bad, good in (
            ("maxSkew", {"maxSkew": 0}, {"maxSkew": 2}),
            ("topologyKey", {"topologyKey": ""}, {}),
            ("whenUnsatisfiable", {"whenUnsatisfiable": "Wait"}, {"whenUnsatisfiable": "ScheduleAnyway"}),
            ("minDomains", {"minDomains": 0}, {"minDomains": 1}),
            ("minDomains", {"minDomains": 1, "whenUnsatisfiable": "ScheduleAnyway"}, {}),
            ("nodeAffinityPolicy", {"nodeAffinityPolicy": "Yes"}, {"nodeAffinityPolicy": "Honor"}),
            ("nodeTaintsPolicy", {"nodeTaintsPolicy": ""}, {"nodeTaintsPolicy": "Ignore"}),
            ("labelSelector.matchLabels[a b]", {"labelSelector": {"matchLabels": {"a b": ""}}}, {"labelSelector": {}}),
            ("matchLabelKeys", {"matchLabelKeys": ["a"]}, {"matchLabelKeys": ["a"], "labelSelector": {}}),
            ("matchLabelKeys[0]", {"matchLabelKeys": ["a"], "labelSelector": {"matchLabels": {"a": "b"}}}, {}),
        )
    ),
]

POD_SECURITY = f"{pod(0)}.securityContext"
SECURITY = f"{pod(0)}.containers[0].securityContext"

RIGHTS = [
    *(
        Case("K8S-22", f"{where}.{path}", TORCH, {where: bad}, {where: good})
        for where in (POD_SECURITY, SECURITY)
        for path, bad, good in (
            ("runAsUser", {"runAsUser": -1}, {"runAsUser": 2**31 - 1}),
            ("runAsGroup", {"runAsGroup": 2**31}, {"runAsGroup": 0}),
            (
                "seccompProfile.type",
                {"seccompProfile": {"type": "Default"}},
                {"seccompProfile": {"type": "RuntimeDefault"}},
            ),
            (
                "seccompProfile.localhostProfile",
                {"seccompProfile": {"type": "Localhost"}},
                {"seccompProfile": {"type": "Localhost", "localhostProfile": "a/b"}},
            ),
            (
                "seccompProfile.localhostProfile",
                {"seccompProfile": {"type": "Localhost", "localhostProfile": "/a"}},
                {},
            ),
            (
                "appArmorProfile.localhostProfile",
                {"appArmorProfile": {"type": "Unconfined", "localhostProfile": "a"}},
                {"appArmorProfile": {"type": "Unconfined"}},
            ),
            (
                "appArmorProfile.localhostProfile",
                {"appArmorProfile": {"type": "Localhost", "localhostProfile": " a"}},
                {"appArmorProfile": {"type": "Localhost", "localhostProfile": "a"}},
            ),
        )
    ),
    *(
        Case("K8S-22", f"{POD_SECURITY}.{path}", TORCH, {POD_SECURITY: bad}, {POD_SECURITY: good})
        for path, bad, good in (
            ("fsGroup", {"fsGroup": -1}, {"fsGroup": 1}),
            ("supplementalGroups[1]", {"supplementalGroups": [1, -1]}, {"supplementalGroups": [1, 0]}),
            ("fsGroupChangePolicy", {"fsGroupChangePolicy": "Never"}, {"fsGroupChangePolicy": "OnRootMismatch"}),
            ("supplementalGroupsPolicy", {"supplementalGroupsPolicy": "merge"}, {"supplementalGroupsPolicy": "Strict"}),
            ("seLinuxChangePolicy", {"seLinuxChangePolicy": "Mount"}, {"seLinuxChangePolicy": "MountOption"}),
            (
                "sysctls[0].name",
                {"sysctls": [{"name": "Net", "value": "1"}]},
                {"sysctls": [{"name": "net/core.a_b", "value": "1"}]},
            ),
            (
                "sysctls[1].name",
                {"sysctls": [{"name": "net.a", "value": "1"}] * 2},
                {"sysctls": [{"name": "net.a", "value": "1"}]},
            ),
        )
    ),
    *(
        Case(
            "K8S-22",
            f"{POD_SECURITY}.sysctls[0].name",
            TORCH,
            {f"{pod(0)}.{host}": True, POD_SECURITY: {"sysctls": [{"name": bad, "value": "1"}]}},
            {f"{pod(0)}.{host}": True, POD_SECURITY: {"sysctls": [{"name": good, "value": "1"}]}},
        )
        for host, bad, good in (
            ("hostNetwork", "net.core.somaxconn", "kernel.shmmax"),
            ("hostIPC", "kernel.shmmax", "net.core.somaxconn"),
            ("hostIPC", "fs/mqueue/msg_max", "vm.a"),
        )
    ),
    *(
        Case("K8S-22", f"{SECURITY}.{path}", TORCH, {SECURITY: bad}, {SECURITY: good})
        for path, bad, good in (
            (
                "allowPrivilegeEscalation",
                {"allowPrivilegeEscalation": False, "privileged": True},
                {"allowPrivilegeEscalation": False, "privileged": False},
            ),
            (
                "allowPrivilegeEscalation",
                {"allowPrivilegeEscalation": False, "capabilities": {"add": ["CAP_SYS_ADMIN"]}},
                {"allowPrivilegeEscalation": False, "capabilities": {"add": ["IPC_LOCK"]}},
            ),
            ("procMount", {"procMount": "None"}, {"procMount": "Default"}),
        )
    ),
    Case(
        "K8S-22",
        f"{SECURITY}.procMount",
        TORCH,
        {SECURITY: {"procMount": "Unmasked"}},
        {SECURITY: {"procMount": "Unmasked"}, f"{pod(0)}.hostUsers": False},
    ),
]


def pods(**changes: Any) -> dict[str, Any]:
    return {f"{pod(0)}.{name}": value for name, value in changes.items()}


REST = [
    *(
        Case("K8S-22", f"{pod(0)}.{path}", TORCH, pods(**bad), pods(**good))
        for path, bad, good in (
            ("serviceAccountName", {"serviceAccountName": "Me"}, {"serviceAccountName": "me.a"}),
            ("nodeName", {"nodeName": "Node_1"}, {"nodeName": "node-1.a"}),
            ("priorityClassName", {"priorityClassName": "High"}, {"priorityClassName": "system-node-critical"}),
            ("hostname", {"hostname": "a.b"}, {"hostname": "a"}),
            ("subdomain", {"subdomain": "a.b"}, {"subdomain": "a"}),
            ("runtimeClassName", {"runtimeClassName": "Not_Valid"}, {"runtimeClassName": "nvidia"}),
            ("runtimeClassName", {"runtimeClassName": ""}, {}),
            ("schedulingGates[0].name", {"schedulingGates": [{"name": "a b"}]}, {"schedulingGates": [{"name": "a/b"}]}),
            (
                "readinessGates[0].conditionType",
                {"readinessGates": [{"conditionType": ""}]},
                {"readinessGates": [{"conditionType": "a"}]},
            ),
            ("hostAliases[0].ip", {"hostAliases": [{"ip": "10.0.0"}]}, {"hostAliases": [{"ip": "10.0.00.1"}]}),
            (
                "hostAliases[0].hostnames[0]",
                {"hostAliases": [{"ip": "::1", "hostnames": ["A"]}]},
                {"hostAliases": [{"ip": "::1", "hostnames": ["a"]}]},
            ),
            ("hostPID", {"hostUsers": False, "hostPID": True}, {"hostUsers": True, "hostPID": True}),
            ("hostIPC", {"hostUsers": False, "hostIPC": True}, {"hostUsers": False, "hostNetwork": True}),
            (
                "shareProcessNamespace",
                {"shareProcessNamespace": True, "hostPID": True},
                {"shareProcessNamespace": True},
            ),
            ("hostnameOverride", {"hostnameOverride": "a", "hostNetwork": True}, {"hostnameOverride": "a"}),
            ("hostnameOverride", {"hostnameOverride": "a", "setHostnameAsFQDN": True}, {"setHostnameAsFQDN": True}),
            ("hostnameOverride", {"hostnameOverride": "A"}, {"hostnameOverride": "a.b"}),
            ("hostnameOverride", {"hostnameOverride": "a" * 65}, {"hostnameOverride": "a" * 63}),
            ("dnsPolicy", {"dnsPolicy": "Cluster"}, {"dnsPolicy": "ClusterFirstWithHostNet"}),
            ("dnsConfig", {"dnsPolicy": "None"}, {"dnsPolicy": "None", "dnsConfig": {"nameservers": ["1.1.1.1"]}}),
            (
                "dnsConfig.nameservers",
                {"dnsConfig": {"nameservers": ["1.1.1.1"] * 4}},
                {"dnsConfig": {"nameservers": ["1.1.1.1"] * 3}},
            ),
            (
                "dnsConfig.nameservers[0]",
                {"dnsConfig": {"nameservers": ["dns"]}},
                {"dnsConfig": {"nameservers": ["fd00::1"]}},
            ),
            ("dnsConfig.searches", {"dnsConfig": {"searches": ["a"] * 33}}, {"dnsConfig": {"searches": ["a"] * 32}}),
            (
                "dnsConfig.searches[0]",
                {"dnsConfig": {"searches": ["A"]}},
                {"dnsConfig": {"searches": [".", "_a.b_c.d."]}},
            ),
            (
                "dnsConfig.options[0].name",
                {"dnsConfig": {"options": [{"value": "1"}]}},
                {"dnsConfig": {"options": [{"name": "ndots"}]}},
            ),
            ("activeDeadlineSeconds", {"activeDeadlineSeconds": 0}, {"activeDeadlineSeconds": 1}),
            ("overhead[cpu]", {"overhead": {"cpu": "-1"}}, {"overhead": {"cpu": "1"}}),
            ("preemptionPolicy", {"preemptionPolicy": "Always"}, {"preemptionPolicy": "Never"}),
            ("os.name", {"os": {"name": "darwin"}}, {"os": {"name": "linux"}}),
            (
                "ephemeralContainers",
                {"ephemeralContainers": [{"name": "debug", "image": "a"}]},
                {"ephemeralContainers": []},
            ),
        )
    ),
]

WINDOWS = {f"{pod(0)}.os": {"name": "windows"}}
REST += [
    *(
        Case("K8S-22", path, TORCH, {**WINDOWS, path: value}, {f"{pod(0)}.os": {"name": "linux"}, path: value})
        for path, value in (
            (f"{pod(0)}.shareProcessNamespace", False),
            (f"{POD_SECURITY}.fsGroup", 1000),
            (f"{SECURITY}.privileged", False),
        )
    ),
    Case(
        "K8S-22",
        f"{SECURITY}.windowsOptions",
        TORCH,
        {f"{pod(0)}.os": {"name": "linux"}, SECURITY: {"windowsOptions": {}}},
        {**WINDOWS, SECURITY: {"windowsOptions": {}, "runAsNonRoot": True}},
    ),
]

LABELS = {FRAMEWORK: "torch"}
STEP = {ANCESTOR: "trainer"}
CLAIM_LABELS = f"{JOBSET}.volumeClaimPolicies[0].templates[0].metadata.labels"

METADATA = [
    Case("K8S-21", "metadata.name", TORCH, {"metadata.name": "Torch_1"}, {"metadata.name": "torch.1"}),
    Case(
        "K8S-21",
        "metadata.labels[team]",
        TORCH,
        {"metadata.labels": {**LABELS, "team": "not valid!"}},
        {"metadata.labels": {**LABELS, "team": ""}},
    ),
    Case(
        "K8S-21",
        "metadata.annotations[a b]",
        TORCH,
        {"metadata.annotations": {"a b": ""}},
        {"metadata.annotations": {"Acme.io/B": "not valid!"}},
    ),
    Case(
        "K8S-21",
        "metadata.annotations",
        TORCH,
        {"metadata.annotations": {"a": "x" * 262_144}},
        {"metadata.annotations": {"a": "x" * 262_143}},
    ),
    Case(
        "K8S-21",
        "metadata.namespace",
        {**TORCH, "kind": "TrainingRuntime"},
        {"metadata.namespace": "Team_A"},
        {"metadata.namespace": "team-a"},
    ),
    Case(
        "K8S-21",
        "spec.template.metadata.labels[bad key!]",
        TORCH,
        {"spec.template.metadata.labels": {"bad key!": "a"}},
        {"spec.template.metadata.labels": {"good-key": "a"}},
    ),
    Case(
        "K8S-21",
        f"{job(0)}.template.metadata.labels[a/b/c]",
        TORCH,
        {f"{job(0)}.template.metadata.labels": {**STEP, "a/b/c": "a"}},
        {f"{job(0)}.template.metadata.labels": {**STEP, f"{'a' * 253}/{'b' * 63}": "a" * 63}},
    ),
    Case(
        "K8S-21",
        f"{spec(0)}.template.metadata.annotations[/a]",
        TORCH,
        {f"{spec(0)}.template.metadata.annotations": {"/a": ""}},
        {f"{spec(0)}.template.metadata.annotations": {"a": ""}},
    ),
    Case("K8S-21", f"{CLAIM_LABELS}[a]", TUNE, {CLAIM_LABELS: {"a": "b" * 64}}, {CLAIM_LABELS: {"a": "b" * 63}}),
]

ANNOTATIONS = f"{spec(0)}.template.metadata.annotations"
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"
METADATA += [
    Case("K8S-22", f"{ANNOTATIONS}[{key}]", TORCH, {ANNOTATIONS: {key: bad}}, {ANNOTATIONS: good})
    for key, bad, good in (
        (DELETION_COST, "high", {DELETION_COST: "-1"}),
        (DELETION_COST, "2147483648", {DELETION_COST: "2147483647"}),
        (f"{APP_ARMOR}main", "unconfined", {f"{APP_ARMOR}node": "unconfined"}),
        (f"{APP_ARMOR}node", "none", {f"{APP_ARMOR}node": "localhost/a"}),
        (SECCOMP, "localhost/../a", {SECCOMP: "localhost/a"}),
        ("container.seccomp.security.alpha.kubernetes.io/node", "none", {SECCOMP: "runtime/default"}),
    )
]

CASES = [*VOLUME_CASES, *SCHEDULING, *RIGHTS, *REST, *METADATA]

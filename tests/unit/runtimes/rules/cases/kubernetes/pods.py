"""What Kubernetes refuses in the rest of a pod."""

from typing import Any

from tests.unit.runtimes.rules.samples import PLAIN, TORCH, Case, pod

POD_SECURITY = f"{pod(0)}.securityContext"
SECURITY = f"{pod(0)}.containers[0].securityContext"


def pods(**changes: Any) -> dict[str, Any]:
    return {f"{pod(0)}.{name}": value for name, value in changes.items()}


CASES = [
    *(
        Case("K8S-22", f"{pod(0)}.{path}", PLAIN, pods(**bad), pods(**good))
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
            ("hostAliases[0].ip", {"hostAliases": [{"ip": "10.0.00.1"}]}, {"hostAliases": [{"ip": "10.0.0.1"}]}),
            (
                "hostAliases[0].hostnames[0]",
                {"hostAliases": [{"ip": "::1", "hostnames": ["A"]}]},
                {"hostAliases": [{"ip": "::1", "hostnames": ["a"]}]},
            ),
            ("hostPID", {"hostUsers": False, "hostPID": True}, {"hostUsers": True, "hostPID": True}),
            ("hostIPC", {"hostUsers": False, "hostIPC": True}, {"hostUsers": True, "hostIPC": True}),
            ("hostNetwork", {"hostUsers": False, "hostNetwork": True}, {"hostUsers": False, "hostNetwork": False}),
            ("hostAliases[0].ip", {"hostAliases": [{"ip": "::ffff:10.0.0.1"}]}, {"hostAliases": [{"ip": "fd00::1"}]}),
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
            (
                "overhead[cpu]",
                {"overhead": {"cpu": "-1"}, "runtimeClassName": "a"},
                {"overhead": {"cpu": "1"}, "runtimeClassName": "a"},
            ),
            ("overhead", {"overhead": {}}, {"overhead": {}, "runtimeClassName": "a"}),
            ("preemptionPolicy", {"preemptionPolicy": "Always"}, {"preemptionPolicy": "PreemptLowerPriority"}),
            (
                "preemptionPolicy",
                {"preemptionPolicy": "Never", "priorityClassName": ""},
                {"preemptionPolicy": "Never", "priorityClassName": "a"},
            ),
            ("priority", {"priority": 1}, {"priority": 0}),
            ("priority", {"priority": -1}, {"priority": -1, "priorityClassName": "a"}),
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


CASES += [
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
    Case(
        "K8S-22",
        f"{pod(0)}.nodeName",
        TORCH,
        pods(nodeName="a", schedulingGates=[{"name": "example.com/wait"}]),
        pods(schedulingGates=[{"name": "example.com/wait"}]),
    ),
]

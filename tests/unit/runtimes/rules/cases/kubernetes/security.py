"""What Kubernetes refuses in security contexts."""

from tests.unit.runtimes.rules.samples import PLAIN, TORCH, Case, pod

POD_SECURITY = f"{pod(0)}.securityContext"
SECURITY = f"{pod(0)}.containers[0].securityContext"

CASES = [
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
            PLAIN,
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

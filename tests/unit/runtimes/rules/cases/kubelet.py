"""Pods that no node can start, or that do not find each other."""

from ..samples import HELPED, JAX, MPI, TORCH, Case, container, pod, warns

PROBE = f"{container(0)}.startupProbe"
FOLDER = f"{pod(1)}.volumes"
DNS = f"{pod(0)}.dnsPolicy"
HOST = f"{pod(0)}.hostNetwork"

CASES = [
    *(
        Case(
            "RUN-02",
            f"{PROBE}.{handler}.port",
            TORCH,
            {PROBE: {handler: {"port": "ready"}}},
            {PROBE: {handler: {"port": "ready"}}, f"{container(0)}.ports": [{"name": "ready", "containerPort": 80}]},
        )
        for handler in ("httpGet", "tcpSocket")
    ),
    *(
        Case(
            "RUN-07",
            f"{FOLDER}[0].emptyDir.medium",
            HELPED,
            {FOLDER: [{"name": "shm", "emptyDir": {"medium": wrong}}]},
            {FOLDER: [{"name": "shm", "emptyDir": {"medium": right}}]},
        )
        for wrong, right in (("memory", "Memory"), ("hugepages", "HugePages-2Mi"), ("SSD", ""))
    ),
    warns("RUN-08", DNS, TORCH, {HOST: True}, {HOST: True, DNS: "ClusterFirstWithHostNet"}),
    warns("RUN-08", DNS, MPI, {HOST: True, DNS: "Default"}, {HOST: False}),
    warns("RUN-08", DNS, JAX, {DNS: "Default"}, {DNS: "ClusterFirst"}),
    warns("RUN-08", f"{pod(1)}.dnsPolicy", MPI, {f"{pod(1)}.hostNetwork": True}, {}),
]

"""What Kubernetes refuses in mounts."""

from typing import Any

from tests.unit.runtimes.rules.samples import MPI, TORCH, Case, container, pod

MAIN = container(0)
VOLUMES = f"{pod(0)}.volumes"
MOUNTS = f"{MAIN}.volumeMounts"
DEVICES = f"{MAIN}.volumeDevices"
CLAIMED = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
MOUNT = {"name": "v", "mountPath": "/v"}


def mounting(**fields: Any) -> dict[str, Any]:
    return {VOLUMES: [CLAIMED], MOUNTS: [{**MOUNT, **fields}]}


CASES = [
    Case("K8S-05", f"{MOUNTS}[0].name", TORCH, {MOUNTS: [MOUNT]}, mounting()),
    Case(
        "K8S-05",
        f"{MOUNTS}[0].name",
        MPI,
        {MOUNTS: [{**MOUNT, "name": "mpi-hostfile"}]},
        {MOUNTS: [{**MOUNT, "name": "mpi-ssh-auth"}]},
    ),
    Case(
        "K8S-05",
        f"{DEVICES}[0].name",
        TORCH,
        {DEVICES: [{"name": "w", "devicePath": "/w"}]},
        {VOLUMES: [CLAIMED], DEVICES: [{"name": "v", "devicePath": "/w"}]},
    ),
    Case(
        "K8S-05",
        f"{DEVICES}[0].name",
        TORCH,
        {VOLUMES: [{"name": "v", "emptyDir": {}}], DEVICES: [{"name": "v", "devicePath": "/w"}]},
        {},
    ),
    Case(
        "K8S-06",
        f"{MOUNTS}[0].mountPath",
        TORCH,
        {VOLUMES: [CLAIMED, {**CLAIMED, "name": "w"}], MOUNTS: [MOUNT], DEVICES: [{"name": "w", "devicePath": "/v"}]},
        {VOLUMES: [CLAIMED, {**CLAIMED, "name": "w"}], MOUNTS: [MOUNT], DEVICES: [{"name": "w", "devicePath": "/w"}]},
    ),
    Case(
        "K8S-06",
        f"{MOUNTS}[0].name",
        TORCH,
        {VOLUMES: [CLAIMED], MOUNTS: [MOUNT], DEVICES: [{"name": "v", "devicePath": "/w"}]},
        mounting(),
    ),
    *(
        Case("K8S-22", f"{MOUNTS}[0].{path}", TORCH, mounting(**bad), mounting(**good))
        for path, bad, good in (
            ("mountPath", {"mountPath": ""}, {"mountPath": "v"}),
            ("subPath", {"subPath": "/a"}, {"subPath": "a/b"}),
            ("subPath", {"subPath": "a/../b"}, {"subPath": "a/..b"}),
            ("subPathExpr", {"subPathExpr": "../$(A)"}, {"subPathExpr": "$(A)"}),
            ("subPathExpr", {"subPath": "a", "subPathExpr": "a"}, {"subPath": "a"}),
            ("mountPropagation", {"mountPropagation": "Both"}, {"mountPropagation": "HostToContainer"}),
            ("mountPropagation", {"mountPropagation": "Bidirectional"}, {"mountPropagation": "None"}),
            ("recursiveReadOnly", {"recursiveReadOnly": "Yes"}, {"recursiveReadOnly": "Disabled"}),
            ("recursiveReadOnly", {"recursiveReadOnly": "Enabled"}, {"recursiveReadOnly": "Enabled", "readOnly": True}),
        )
    ),
    Case(
        "K8S-22",
        f"{MOUNTS}[0].mountPropagation",
        TORCH,
        {**mounting(mountPropagation="Bidirectional"), f"{MAIN}.securityContext": {"privileged": False}},
        {**mounting(mountPropagation="Bidirectional"), f"{MAIN}.securityContext": {"privileged": True}},
    ),
    Case(
        "K8S-22",
        f"{DEVICES}[0].devicePath",
        TORCH,
        {VOLUMES: [CLAIMED], DEVICES: [{"name": "v", "devicePath": "/a/../b"}]},
        {},
    ),
]


CASES.append(
    Case(
        "K8S-22",
        DEVICES,
        TORCH,
        {VOLUMES: [CLAIMED], DEVICES: [{"name": "v", "devicePath": "/w"}], f"{pod(0)}.hostUsers": False},
        {VOLUMES: [CLAIMED], DEVICES: [{"name": "v", "devicePath": "/w"}], f"{pod(0)}.hostUsers": True},
    )
)

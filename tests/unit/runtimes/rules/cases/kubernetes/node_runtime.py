"""Pods that no node can start, or that do not find each other."""

from tests.unit.runtimes.rules.samples import (
    HELPED,
    JAX,
    MPI,
    TORCH,
    Case,
    Manifest,
    a_container,
    container,
    init,
    pod,
    warns,
)

PROBE = f"{container(0)}.startupProbe"
FOLDER = f"{pod(1)}.volumes"
DNS = f"{pod(0)}.dnsPolicy"
HOST = f"{pod(0)}.hostNetwork"

OF_POD, OF_CONTAINER = f"{pod(0)}.securityContext", f"{container(0)}.securityContext"
INIT = {f"{pod(0)}.initContainers": [a_container("prepare")]}

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
    *(
        warns(
            "RUN-13", f"{container(0)}.image", TORCH, {f"{container(0)}.image": wrong}, {f"{container(0)}.image": right}
        )
        for wrong, right in (
            ("https://ghcr.io/team/train:1", "ghcr.io/team/train:1"),
            ("team/Train", "Team/train"),
            ("train:1:2", "localhost:5000/train:1_2.3-A"),
            ("<your-image>", "train"),
            ("train@sha256:abc", f"train:1@sha256:{'a1' * 32}"),
            ("a//b", "[::1]:5000/a__b/c-d.e"),
        )
    ),
    warns(
        "RUN-14",
        f"{container(0)}.command[0]",
        TORCH,
        {f"{container(0)}.command": ["torchrun train.py"]},
        {f"{container(0)}.command": ["torchrun", "train.py --epochs 3"]},
    ),
    warns(
        "RUN-14",
        f"{init(0)}.command[0]",
        MPI,
        {f"{pod(0)}.initContainers": [a_container("wait", command=["sleep 5"])]},
        {f"{pod(0)}.initContainers": [a_container("wait", command=["sh", "-c", "sleep 5"])]},
    ),
    *(
        Case(
            "RUN-15",
            f"{container(0)}.securityContext",
            TORCH,
            {**of_pod, OF_CONTAINER: own},
            {**of_pod, OF_CONTAINER: sound},
        )
        for of_pod, own, sound in (
            ({}, {"runAsNonRoot": True, "runAsUser": 0}, {"runAsNonRoot": True, "runAsUser": 1}),
            ({OF_POD: {"runAsNonRoot": True}}, {"runAsUser": 0}, {"runAsUser": 0, "runAsNonRoot": False}),
            ({OF_POD: {"runAsUser": 0}}, {"runAsNonRoot": True}, {"runAsNonRoot": True, "runAsUser": 1}),
        )
    ),
    Case(
        "RUN-15",
        f"{init(0)}.securityContext",
        TORCH,
        {**INIT, OF_POD: {"runAsNonRoot": True, "runAsUser": 0}, OF_CONTAINER: {"runAsUser": 1}},
        {**INIT, OF_POD: {"runAsNonRoot": True, "runAsUser": 1}, OF_CONTAINER: {"runAsUser": 2}},
    ),
]

MEMORY = f"{pod(0)}.volumes"
LIMITS = f"{container(0)}.resources.limits"


def shared_memory(size: str, limit: str | None = "64Gi", medium: str = "Memory") -> Manifest:
    changes: Manifest = {
        MEMORY: [{"name": "dshm", "emptyDir": {"medium": medium, "sizeLimit": size}}],
        f"{container(0)}.volumeMounts": [{"name": "dshm", "mountPath": "/dev/shm"}],  # noqa: S108 - the path of a mount
    }
    return {**changes, LIMITS: {"cpu": "8", "memory": limit}} if limit else changes


HELP = {
    f"{container(0, 1)}": a_container(
        "side",
        resources={"limits": {"cpu": "1", "memory": "64Gi"}},
        volumeMounts=[{"name": "dshm", "mountPath": "/mnt"}],
    )
}

CASES += [
    *(
        warns("RUN-22", f"{MEMORY}[0].emptyDir.sizeLimit", TORCH, shared_memory(size), good)
        for size, good in (
            ("128Gi", shared_memory("64Gi")),
            ("65Gi", shared_memory("65Gi", limit=None)),
            ("65Gi", shared_memory("65Gi", medium="")),
            ("128Gi", {**shared_memory("128Gi"), **HELP}),
        )
    ),
    warns(
        "RUN-22",
        f"{MEMORY}[0].emptyDir.sizeLimit",
        MPI,
        shared_memory("8G", "4G"),
        shared_memory("8G", "8G"),
    ),
]

IMAGE = f"{container(0)}.image"
EFA = {LIMITS: {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}}
OWN = "111122223333.dkr.ecr.us-east-2.amazonaws.com/training:1"

CASES += [
    *(
        warns("RUN-23", IMAGE, TORCH, {**EFA, IMAGE: image}, {**EFA, IMAGE: OWN})
        for image in (
            "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime",
            "docker.io/pytorch/pytorch@sha256:" + "0" * 64,
            "mirror.example.com:5000/hub/pytorch/pytorch",
        )
    ),
    warns(
        "RUN-23",
        IMAGE,
        TORCH,
        {**EFA, IMAGE: "ghcr.io/kubeflow/trainer/xgboost-runtime:v2.3.0"},
        {LIMITS: {"nvidia.com/gpu": "8"}, IMAGE: "ghcr.io/kubeflow/trainer/xgboost-runtime:v2.3.0"},
    ),
    warns(
        "RUN-23",
        IMAGE,
        TORCH,
        {**EFA, IMAGE: "pytorch/pytorch"},
        {**EFA, IMAGE: "registry.example.com/my-pytorch/pytorch-efa:1"},
    ),
]

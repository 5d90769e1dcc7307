"""Containers that keep a job from completing."""

from tests.unit.runtimes.rules.samples import (
    HELPED,
    JOBSET,
    MPI,
    TORCH,
    Case,
    Manifest,
    a_container,
    a_job,
    container,
    pod,
    warns,
)

BESIDE = container(0, 1)
COUNTS_NODE = {f"{JOBSET}.successPolicy": {"operator": "All", "targetReplicatedJobs": ["node"]}}
HTTP = {"httpGet": {"path": "/health", "port": 8080}}


def side(**fields: object) -> Manifest:
    return a_container("side", **fields)


def as_sidecar(**fields: object) -> Manifest:
    return {f"{pod(0)}.initContainers": [side(restartPolicy="Always", **fields)]}


SERVERS: list[Manifest] = [
    {"ports": [{"name": "metrics", "containerPort": 9100}]},
    {"readinessProbe": HTTP},
    {"livenessProbe": HTTP},
    {"image": "prom/node-exporter:v1.8.0"},
    {"image": "registry.example.com:5000/fluent/fluent-bit@sha256:" + "0" * 64},
    {"image": "redis"},
    {"command": ["redis-server", "--save", ""]},
    {"command": ["vllm", "serve", "model"]},
    {"command": ["python3", "-m", "http.server", "8000"]},
    {"command": ["sh", "-c", "while true; do aws s3 sync /ckpt s3://b; sleep 30; done"]},
    {"command": ["bash", "-c", "cd /logs\nwhile :\ndo ship\nsleep 5\ndone"]},
    {"command": ["sh", "-c", "exec tensorboard --logdir /logs"]},
]
ENDING: list[Manifest] = [
    {},
    {"command": ["redis-cli", "ping"]},
    {"command": ["python", "-m", "evaluate"]},
    {"command": ["sh", "-c", "while true; do test -e /done && break; sleep 1; done"]},
    {"command": ["sh", "-c", "while true; do sync; sleep 30; done & evaluate"]},
    {"image": "redis", "command": ["prepare"]},
    {"image": "registry.example.com/exporters-of-models:1"},
]

CASES = [
    *(warns("SIL-37", BESIDE, TORCH, {BESIDE: side(**server)}, as_sidecar(**server)) for server in SERVERS),
    *(warns("SIL-37", BESIDE, TORCH, {BESIDE: side(**SERVERS[0])}, {BESIDE: side(**ending)}) for ending in ENDING),
    warns(
        "SIL-37",
        container(0),
        HELPED,
        {f"{container(0)}.command": ["uvicorn", "reward:app"]},
        {f"{container(0)}.command": ["uvicorn", "reward:app"], **COUNTS_NODE},
    ),
    warns(
        "SIL-37",
        container(0),
        HELPED,
        {f"{container(0)}.command": ["etcd"]},
        {f"{container(0)}.command": ["prepare"], f"{container(0)}.ports": [{"name": "a", "containerPort": 80}]},
    ),
    warns(
        "SIL-37",
        container(1, 1),
        MPI,
        {container(1, 1): side(image="dcgm-exporter")},
        {container(0, 1): side(image="dcgm-exporter")},
    ),
    Case(
        "SIL-05",
        BESIDE,
        TORCH,
        {BESIDE: side(command=["sleep", "infinity"])},
        as_sidecar(command=["sleep", "infinity"]),
    ),
    Case(
        "SIL-05",
        container(0, 1),
        HELPED,
        {container(0, 1): side(command=["tail", "-F", "/log"])},
        {container(0, 1): side(command=["tail", "-F", "/log"]), **COUNTS_NODE},
    ),
    Case(
        "SIL-05",
        BESIDE,
        TORCH,
        {BESIDE: side(command=["sh", "-c", "prepare && sleep infinity"]), **COUNTS_NODE},
        {BESIDE: side(command=["sh", "-c", "prepare && sleep 60"]), **COUNTS_NODE},
    ),
    Case(
        "SIL-05",
        f"{JOBSET}.successPolicy",
        TORCH,
        {f"{JOBSET}.replicatedJobs[1]": a_job("idle", side(command=["sleep", "inf"]))},
        {f"{JOBSET}.replicatedJobs[1]": a_job("idle", side(command=["sleep", "1"]))},
    ),
]

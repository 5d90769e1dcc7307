"""Parts that do not work together."""

from typing import Any

from tests.unit.runtimes.rules.samples import (
    HELPED,
    JOBSET,
    MPI,
    TORCH,
    TUNE,
    Case,
    a_container,
    container,
    job,
    pod,
    spec,
    warns,
)

GROUPS = "spec.podGroupPolicy"
PLACED = {f"{pod(index)}.schedulerName": "volcano" for index in (0, 1)}
VOLCANO: dict[str, Any] = {GROUPS: {"volcano": {}}, **PLACED}
COSCHEDULING: dict[str, Any] = {GROUPS: {"coscheduling": {}}}
SECOND = {f"{pod(index)}.schedulerName": "scheduler-plugins-scheduler" for index in (0, 1)}
HELPER_READY = {f"{job(1)}.dependsOn": [{"name": "helper", "status": "Ready"}]}
ANNOTATIONS = "spec.template.metadata.annotations"
ORDER = f"{JOBSET}.startupPolicy"
KAI = {f"{pod(index)}.schedulerName": "kai-scheduler" for index in (0, 1)}
HOSTS = {"name": "mpi-hostfile", "mountPath": "/etc/mpi"}
WAITS = {
    f"{job(1)}.dependsOn": None,
    f"{pod(1)}.initContainers": [a_container("wait", command=["wait"], volumeMounts=[HOSTS])],
}
MODES = f"{JOBSET}.volumeClaimPolicies[0].templates[0].spec.accessModes"
PROCESSES = "spec.mlPolicy.mpi.numProcPerNode"
RESOURCES = f"{container(0)}.resources"
EIGHT = {RESOURCES: {"limits": {"nvidia.com/gpu": "8"}}}

TTL = f"{spec(0)}.ttlSecondsAfterFinished"
LAST = {f"{JOBSET}.successPolicy": {"operator": "All", "targetReplicatedJobs": ["helper"]}}

CASES = [
    Case("RUN-01", GROUPS, HELPED, {**VOLCANO, **HELPER_READY}, VOLCANO),
    Case("RUN-01", GROUPS, HELPED, {**COSCHEDULING, **SECOND, **HELPER_READY}, {**COSCHEDULING, **SECOND}),
    warns("RUN-01", GROUPS, HELPED, {**COSCHEDULING, **HELPER_READY}, COSCHEDULING),
    Case(
        "RUN-01",
        GROUPS,
        HELPED,
        {**VOLCANO, ORDER: {"startupPolicyOrder": "InOrder"}},
        {**VOLCANO, ORDER: {"startupPolicyOrder": "AnyOrder"}},
    ),
    warns(
        "RUN-01",
        f"{job(1)}.dependsOn",
        HELPED,
        {**KAI, f"{job(1)}.dependsOn": [{"name": "helper", "status": "Ready"}]},
        {f"{job(1)}.dependsOn": [{"name": "helper", "status": "Ready"}]},
    ),
    warns(
        "RUN-01",
        f"{job(1)}.dependsOn",
        HELPED,
        {**KAI, **HELPER_READY, ANNOTATIONS: {"kai.scheduler/batch-min-member": "2"}},
        {**KAI, **HELPER_READY, ANNOTATIONS: {"kai.scheduler/batch-min-member": "1"}},
    ),
    warns(
        "RUN-01",
        f"{job(1)}.dependsOn",
        HELPED,
        {**KAI, **HELPER_READY},
        {**KAI, ORDER: {"startupPolicyOrder": "InOrder"}},
    ),
    warns("RUN-01", f"{job(2)}.dependsOn", TUNE, {f"{pod(2)}.schedulerName": "kai-scheduler"}, {}),
    warns("RUN-01", f"{job(1)}.dependsOn", MPI, KAI, {**KAI, **WAITS}),
    Case(
        "SIL-36",
        f"{job(1)}.dependsOn",
        MPI,
        {**KAI, f"{job(1)}.dependsOn": None},
        {**KAI, **WAITS},
    ),
    warns(
        "SIL-36",
        f"{job(1)}.dependsOn",
        MPI,
        {**KAI, **WAITS, f"{pod(1)}.initContainers[0].volumeMounts": []},
        {**KAI, **WAITS},
    ),
    warns(
        "RUN-03",
        MODES,
        TUNE,
        {MODES: ["ReadWriteOnce"], "spec.mlPolicy.numNodes": 2},
        {MODES: ["ReadWriteOnce", "ReadWriteMany"], "spec.mlPolicy.numNodes": 2},
    ),
    warns(
        "RUN-03", MODES, TUNE, {MODES: ["ReadWriteOncePod"], "spec.mlPolicy.numNodes": 2}, {MODES: ["ReadWriteOncePod"]}
    ),
    warns("RUN-04", PROCESSES, MPI, {**EIGHT, PROCESSES: 4}, {**EIGHT, PROCESSES: 8}),
    warns(
        "RUN-04",
        PROCESSES,
        MPI,
        {RESOURCES: {"limits": {"amd.com/gpu": "2"}, "requests": {"amd.com/gpu": "2"}}, PROCESSES: 3},
        {**EIGHT, PROCESSES: 1},
    ),
    warns(
        "RUN-09",
        f"{pod(0)}.schedulerName",
        TORCH,
        {GROUPS: {"volcano": {}}},
        {GROUPS: {"volcano": {}}, f"{pod(0)}.schedulerName": "volcano"},
    ),
    warns(
        "RUN-09",
        f"{pod(1)}.schedulerName",
        HELPED,
        {**VOLCANO, f"{pod(1)}.schedulerName": "default-scheduler"},
        {**VOLCANO, f"{pod(1)}.schedulerName": "my-volcano"},
    ),
    warns("RUN-11", TTL, HELPED, {TTL: 60}, {TTL: 60, **LAST}),
    warns(
        "RUN-11",
        f"{spec(1)}.ttlSecondsAfterFinished",
        TUNE,
        {f"{spec(1)}.ttlSecondsAfterFinished": 0},
        {f"{spec(2)}.ttlSecondsAfterFinished": 0},
    ),
    warns(
        "RUN-11",
        TTL,
        HELPED,
        {**LAST, TTL: 0, f"{job(0)}.replicas": 2},
        {**LAST, TTL: 0},
    ),
    warns(
        "RUN-11",
        f"{spec(0)}.ttlSecondsAfterFinished",
        MPI,
        {f"{spec(0)}.ttlSecondsAfterFinished": 0},
        {f"{spec(1)}.ttlSecondsAfterFinished": 0},
    ),
]

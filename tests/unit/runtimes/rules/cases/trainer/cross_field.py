"""Parts that do not work together."""

from typing import Any

from tests.unit.runtimes.rules.samples import HELPED, JOBSET, MPI, TORCH, TUNE, container, job, pod, spec, warns

GROUPS = "spec.podGroupPolicy"
PLACED = {f"{pod(index)}.schedulerName": "volcano" for index in (0, 1)}
VOLCANO: dict[str, Any] = {GROUPS: {"volcano": {}}, **PLACED}
GANGS: list[dict[str, Any]] = [VOLCANO, {GROUPS: {"coscheduling": {}}}]
ORDER = f"{JOBSET}.startupPolicy"
MODES = f"{JOBSET}.volumeClaimPolicies[0].templates[0].spec.accessModes"
PROCESSES = "spec.mlPolicy.mpi.numProcPerNode"
RESOURCES = f"{container(0)}.resources"
EIGHT = {RESOURCES: {"limits": {"nvidia.com/gpu": "8"}}}

TTL = f"{spec(0)}.ttlSecondsAfterFinished"
LAST = {f"{JOBSET}.successPolicy": {"operator": "All", "targetReplicatedJobs": ["helper"]}}

CASES = [
    *(
        warns(
            "RUN-01",
            GROUPS,
            HELPED,
            {**group, f"{job(1)}.dependsOn": [{"name": "helper", "status": "Ready"}]},
            group,
        )
        for group in GANGS
    ),
    warns(
        "RUN-01",
        GROUPS,
        HELPED,
        {**VOLCANO, ORDER: {"startupPolicyOrder": "InOrder"}},
        {**VOLCANO, ORDER: {"startupPolicyOrder": "AnyOrder"}},
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

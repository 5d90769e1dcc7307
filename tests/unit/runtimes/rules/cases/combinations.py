"""Parts that do not work together."""

from typing import Any

from ..samples import HELPED, JOBSET, MPI, TORCH, TUNE, Case, container, job, warns

GROUPS = "spec.podGroupPolicy"
POLICIES: list[dict[str, Any]] = [{"volcano": {}}, {"coscheduling": {}}]
ORDER = f"{JOBSET}.startupPolicy"
PROBE = f"{container(0)}.startupProbe"
MODES = f"{JOBSET}.volumeClaimPolicies[0].templates[0].spec.accessModes"
PROCESSES = "spec.mlPolicy.mpi.numProcPerNode"
RESOURCES = f"{container(0)}.resources"
EIGHT = {RESOURCES: {"limits": {"nvidia.com/gpu": "8"}}}

CASES = [
    *(
        warns(
            "RUN-01",
            GROUPS,
            HELPED,
            {GROUPS: policy, f"{job(1)}.dependsOn": [{"name": "helper", "status": "Ready"}]},
            {GROUPS: policy},
        )
        for policy in POLICIES
    ),
    warns(
        "RUN-01",
        GROUPS,
        HELPED,
        {GROUPS: {"volcano": {}}, ORDER: {"startupPolicyOrder": "InOrder"}},
        {GROUPS: {"volcano": {}}, ORDER: {"startupPolicyOrder": "AnyOrder"}},
    ),
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
]

"""What Trainer makes of a runtime."""

from tests.unit.runtimes.rules.samples import (
    FLUX,
    HELPED,
    JAX,
    JOBSET,
    MPI,
    TORCH,
    XGBOOST,
    Case,
    a_container,
    changed,
    container,
    init,
    job,
    pod,
    spec,
    warns,
)

QUEUE = "scheduling.volcano.sh/queue-name"
VOLUME = f"{pod(0)}.volumes[0]"
TOKEN = {"projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}
PORTS = f"{container(0)}.ports"
ENV = f"{container(0)}.env"
HELPER_COUNTS = f"{spec(0)}.completions"
NODE_COUNTS = f"{spec(1)}.completions"
NODES = "spec.mlPolicy.numNodes"
TTL = f"{JOBSET}.ttlSecondsAfterFinished"

GANG = changed(TORCH, {f"{pod(0)}.schedulerName": "volcano"})

CASES = [
    Case("SIL-14", HELPER_COUNTS, HELPED, {HELPER_COUNTS: 6}, {HELPER_COUNTS: 6, f"{spec(0)}.parallelism": 6}),
    warns("SIL-14", NODE_COUNTS, HELPED, {NODE_COUNTS: 4}, {"spec.mlPolicy.numNodes": 4}),
    Case("RUN-06", f"{job(0)}.replicas", HELPED, {f"{job(0)}.replicas": 0}, {f"{job(0)}.replicas": 2}),
    Case("RUN-06", f"{job(0)}.replicas", MPI, {f"{job(0)}.replicas": -1}, {f"{job(0)}.replicas": 1}),
    *(
        Case("REC-08", f"{VOLUME}.projected.sources", TORCH, {VOLUME: {"name": "all", "projected": empty}}, sound)
        for empty, sound in (({}, {VOLUME: {"name": "all"}}), ({"sources": []}, {VOLUME: {"name": "all", **TOKEN}}))
    ),
    warns("SIL-14", NODE_COUNTS, HELPED, {NODE_COUNTS: 2}, {NODE_COUNTS: 1}),
    warns("SIL-14", NODE_COUNTS, HELPED, {NODE_COUNTS: 1, NODES: 3}, {NODE_COUNTS: 3, NODES: 3}),
    warns("SIL-14", NODE_COUNTS, HELPED, {NODE_COUNTS: 2, NODES: None}, {NODE_COUNTS: 1, NODES: None}),
    warns(
        "SIL-14",
        f"{spec(1)}.parallelism",
        HELPED,
        {f"{spec(1)}.parallelism": 2},
        {f"{spec(1)}.parallelism": 2, "spec.mlPolicy.numNodes": 2},
    ),
    Case("SIL-14", f"{spec(0)}.parallelism", HELPED, {f"{spec(0)}.parallelism": 0}, {f"{spec(0)}.parallelism": 1}),
    *(warns("RUN-21", TTL, base, {TTL: seconds}, {}) for base in (TORCH, HELPED, MPI) for seconds in (0, 60)),
    warns(
        "RUN-21",
        TTL,
        TORCH,
        {TTL: 86400, f"{JOBSET}.failurePolicy": {"maxRestarts": 1}},
        {f"{JOBSET}.failurePolicy": {"maxRestarts": 1}, f"{spec(0)}.ttlSecondsAfterFinished": 60},
    ),
    Case("SIL-19", "spec.mlPolicy.numNodes", TORCH, {"spec.mlPolicy.numNodes": 0}, {"spec.mlPolicy.numNodes": 1}),
    *(
        Case(
            "SIL-27",
            f"{spec(0)}.completionMode",
            base,
            {f"{spec(0)}.completionMode": "NonIndexed"},
            {f"{spec(0)}.completionMode": "Indexed"},
        )
        for base in (TORCH, JAX, XGBOOST, FLUX, MPI)
    ),
    Case(
        "SIL-27",
        f"{spec(1)}.completionMode",
        MPI,
        {f"{spec(1)}.completionMode": "NonIndexed"},
        {},
    ),
    warns(
        "REC-03",
        "spec.podGroupPolicy",
        GANG,
        {"spec.podGroupPolicy": {"coscheduling": {}, "volcano": {}}},
        {"spec.podGroupPolicy": {"volcano": {}}},
    ),
    Case(
        "REC-05",
        "spec",
        TORCH,
        {ENV: [{"name": f"V{i}", "value": "x" * 90_000} for i in range(12)]},
        {ENV: [{"name": f"V{i}", "value": "x" * 90_000} for i in range(11)]},
    ),
    Case(
        "REC-07",
        f"{PORTS}[1]",
        TORCH,
        {PORTS: [{"containerPort": 8000}, {"containerPort": 9000}]},
        {PORTS: [{"containerPort": 8000, "name": "a"}, {"containerPort": 9000, "name": "b"}]},
    ),
    Case(
        "REC-07",
        f"{PORTS}[1].containerPort",
        HELPED,
        {PORTS: [{"containerPort": 53, "name": "a"}, {"containerPort": 53, "protocol": "UDP", "name": "b"}]},
        {PORTS: [{"containerPort": 53, "name": "a"}, {"containerPort": 54, "protocol": "UDP", "name": "b"}]},
    ),
    Case(
        "REC-07",
        f"{init(1)}.ports[1]",
        HELPED,
        {
            f"{pod(1)}.initContainers": [
                a_container("init", ports=[{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}])
            ]
        },
        {f"{pod(1)}.initContainers": [a_container("init", ports=[{"containerPort": 53}])]},
    ),
    Case(
        "TJC-36",
        f"spec.template.metadata.annotations[{QUEUE}]",
        GANG,
        {"spec.podGroupPolicy.volcano": {}, "spec.template.metadata.annotations": {QUEUE: ""}},
        {"spec.podGroupPolicy.volcano": {}, "spec.template.metadata.annotations": {QUEUE: "training"}},
    ),
    Case(
        "TJC-36",
        f"spec.template.metadata.annotations[{QUEUE}]",
        GANG,
        {"spec.podGroupPolicy.volcano": {}, "spec.template.metadata.annotations": {QUEUE: ""}},
        {"spec.template.metadata.annotations": {QUEUE: ""}},
    ),
]

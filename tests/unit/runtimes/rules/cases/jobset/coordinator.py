"""The coordinator."""

from tests.unit.runtimes.rules.samples import HELPED, JOBSET, TORCH, Case, job, spec

COORDINATOR = f"{JOBSET}.coordinator"

CASES = [
    Case(
        "JSW-19",
        f"{COORDINATOR}.replicatedJob",
        TORCH,
        {COORDINATOR: {"replicatedJob": "master"}},
        {COORDINATOR: {"replicatedJob": "node"}},
    ),
    Case(
        "JSW-20",
        f"{COORDINATOR}.jobIndex",
        HELPED,
        {COORDINATOR: {"replicatedJob": "helper", "jobIndex": 1}},
        {COORDINATOR: {"replicatedJob": "helper", "jobIndex": 1}, f"{job(0)}.replicas": 2},
    ),
    Case("JSW-20", f"{COORDINATOR}.jobIndex", TORCH, {COORDINATOR: {"replicatedJob": "node", "jobIndex": -1}}, {}),
    Case(
        "JSW-21",
        f"{spec(0)}.completionMode",
        HELPED,
        {COORDINATOR: {"replicatedJob": "helper"}, f"{spec(0)}.completionMode": "NonIndexed"},
        {COORDINATOR: {"replicatedJob": "node"}, f"{spec(0)}.completionMode": "NonIndexed"},
    ),
    Case(
        "JSW-22",
        f"{COORDINATOR}.podIndex",
        TORCH,
        {COORDINATOR: {"replicatedJob": "node", "podIndex": 3}},
        {COORDINATOR: {"replicatedJob": "node", "podIndex": 3}, "spec.mlPolicy.numNodes": 4},
    ),
    Case(
        "JSW-23",
        f"{COORDINATOR}.replicatedJob",
        HELPED,
        {f"{job(0)}.name": "x" * 34, COORDINATOR: {"replicatedJob": "x" * 34}},
        {f"{job(0)}.name": "x" * 33, COORDINATOR: {"replicatedJob": "x" * 33}},
    ),
]

"""MPI's launcher, nodes, keys and hostfile."""

from tests.unit.runtimes.rules.samples import (
    ANCESTOR,
    JOBSET,
    MPI,
    Case,
    a_container,
    a_job,
    changed,
    container,
    job,
    pod,
    spec,
    warns,
)

NUM_NODES = "spec.mlPolicy.numNodes"
SUCCESS = f"{JOBSET}.successPolicy"
TARGETS = f"{SUCCESS}.targetReplicatedJobs"
IN_ORDER = {f"{JOBSET}.startupPolicy": {"startupPolicyOrder": "InOrder"}, f"{job(1)}.dependsOn": None}

NODE, LAUNCHER = MPI["spec"]["template"]["spec"]["replicatedJobs"]
OTHER = a_job("other", a_container("other", command=["prepare"]))
LAUNCHER_FIRST = {f"{JOBSET}.replicatedJobs": [{k: v for k, v in LAUNCHER.items() if k != "dependsOn"}, NODE]}
SEPARATE = changed(MPI, {"spec.mlPolicy.mpi.runLauncherAsNode": False})
OWN_COMMAND = changed(MPI, {f"{job(1)}.template.metadata": None, f"{container(1)}.command": ["mpirun", "benchmark"]})
"""A benchmark that brings its command along, and that no TrainJob needs to say anything to."""

AT_ONCE = {f"{job(1)}.dependsOn": None}

CASES = [
    Case(
        "TJC-23",
        f"{JOBSET}.replicatedJobs",
        MPI,
        {f"{job(0)}.name": "worker", f"{job(1)}.dependsOn[0].name": "worker"},
        {},
    ),
    Case(
        "TJC-23",
        f"{JOBSET}.replicatedJobs",
        MPI,
        {f"{job(1)}.name": "driver", TARGETS: ["driver"]},
        {},
    ),
    Case(
        "SIL-04",
        f"{JOBSET}.replicatedJobs",
        SEPARATE,
        {f"{job(1)}.name": "driver", TARGETS: ["driver"]},
        {},
    ),
    Case(
        "REC-01",
        "spec.mlPolicy.mpi.mpiImplementation",
        MPI,
        {"spec.mlPolicy.mpi.mpiImplementation": ""},
        {"spec.mlPolicy.mpi.mpiImplementation": "OpenMPI"},
    ),
    Case("SIL-01", NUM_NODES, MPI, {NUM_NODES: 4}, {f"{spec(0)}.parallelism": 3}),
    Case(
        "SIL-03",
        f"{pod(1)}.containers",
        OWN_COMMAND,
        {f"{container(1)}.name": "launcher"},
        {},
    ),
    Case(
        "SIL-33",
        f"{job(0)}.template.metadata.labels[{ANCESTOR}]",
        MPI,
        {f"{job(0)}.template.metadata.labels": {ANCESTOR: "trainer"}},
        {f"{job(0)}.template.metadata.labels": {"team": "vision"}},
    ),
    Case("SIL-34", f"{job(0)}.replicas", MPI, {f"{job(0)}.replicas": 2}, {f"{job(0)}.replicas": 1}),
    Case(
        "SIL-20",
        "spec.mlPolicy.mpi.numProcPerNode",
        MPI,
        {"spec.mlPolicy.mpi.numProcPerNode": 0},
        {"spec.mlPolicy.mpi.numProcPerNode": 8},
    ),
    Case("SIL-36", f"{job(1)}.dependsOn", MPI, {f"{job(1)}.dependsOn": None}, IN_ORDER),
    Case(
        "SIL-36",
        f"{job(2)}.dependsOn",
        MPI,
        {
            f"{JOBSET}.replicatedJobs": [
                NODE,
                OTHER,
                {**LAUNCHER, "dependsOn": [{"name": "other", "status": "Ready"}]},
            ]
        },
        {
            f"{JOBSET}.replicatedJobs": [
                NODE,
                {**OTHER, "dependsOn": [{"name": "node", "status": "Ready"}]},
                {**LAUNCHER, "dependsOn": [{"name": "other", "status": "Ready"}]},
            ]
        },
    ),
    warns("SIL-36", f"{job(0)}.dependsOn", MPI, LAUNCHER_FIRST, {}),
    Case(
        "SIL-36",
        f"{job(0)}.dependsOn",
        MPI,
        {**LAUNCHER_FIRST, f"{JOBSET}.startupPolicy": {"startupPolicyOrder": "InOrder"}},
        {},
    ),
    warns(
        "SIL-06",
        f"{container(0)}.readinessProbe",
        MPI,
        {f"{container(0)}.readinessProbe": None},
        {f"{container(0)}.readinessProbe": None, f"{container(0)}.startupProbe": {"tcpSocket": {"port": 2222}}},
    ),
    warns(
        "SIL-06", f"{container(0)}.readinessProbe", MPI, {**IN_ORDER, f"{container(0)}.readinessProbe": None}, IN_ORDER
    ),
    Case("SIL-05", SUCCESS, MPI, {SUCCESS: None}, {SUCCESS: {"operator": "Any"}}),
    Case(
        "SIL-05",
        TARGETS,
        MPI,
        {TARGETS: ["launcher", "node"]},
        {f"{SUCCESS}.operator": "Any", TARGETS: ["launcher", "node"]},
    ),
    Case("SIL-05", TARGETS, MPI, {TARGETS: ["node"]}, {TARGETS: ["launcher"]}),
    Case("SIL-05", TARGETS, MPI, {f"{SUCCESS}.operator": "Any", TARGETS: ["node"]}, {}),
    warns(
        "SIL-05",
        TARGETS,
        MPI,
        {
            TARGETS: ["launcher", "node"],
            f"{container(0)}.command": ["sh", "-c"],
            f"{container(0)}.args": ["sshd; wait-for it"],
        },
        {f"{container(0)}.command": ["sh", "-c"], f"{container(0)}.args": ["sshd; wait-for it"]},
    ),
    Case(
        "SIL-01",
        NUM_NODES,
        MPI,
        {NUM_NODES: 2},
        {NUM_NODES: 2, f"{job(1)}.template.metadata": None, f"{container(1)}.command": ["mpirun", "benchmark"]},
    ),
    warns(
        "SIL-06",
        f"{container(0)}.readinessProbe",
        MPI,
        {f"{container(0)}.readinessProbe": None},
        {
            **LAUNCHER_FIRST,
            f"{JOBSET}.replicatedJobs[1].template.spec.template.spec.containers[0].readinessProbe": None,
        },
    ),
    warns(
        "SIL-33",
        f"{job(2)}.template.metadata.labels[{ANCESTOR}]",
        OWN_COMMAND,
        {f"{JOBSET}.replicatedJobs[2]": a_job("driver", a_container(), step="trainer")},
        {f"{JOBSET}.replicatedJobs[2]": a_job("driver", a_container())},
    ),
    *(
        warns("SIL-36", f"{job(1)}.dependsOn", MPI, {**AT_ONCE, **waits}, waits)
        for waits in (
            {f"{pod(1)}.initContainers": [a_container("wait", command=["wait-for-nodes"])]},
            {
                f"{container(1)}.command": ["/bin/bash", "-ec"],
                f"{container(1)}.args": ["until ready; do :; done; mpirun"],
            },
        )
    ),
    *(
        Case("SIL-36", f"{job(1)}.dependsOn", MPI, {**AT_ONCE, **waits}, waits)
        for waits in (
            {f"{pod(1)}.initContainers": [a_container("watch", restartPolicy="Always")]},
            {f"{container(1)}.command": ["mpirun", "bash", "-c", "train"]},
        )
    ),
    *(
        warns(
            "SIL-41",
            f"{job(2)}.name",
            MPI,
            {f"{JOBSET}.replicatedJobs[2]": workers},
            {f"{JOBSET}.replicatedJobs[2]": helper},
        )
        for workers, helper in (
            ({**NODE, "name": "node-rocm"}, a_job("watcher", a_container("watcher"))),
            (
                a_job("workers", a_container(resources={"limits": {"nvidia.com/gpu": "8"}})),
                a_job("workers", a_container(resources={"limits": {"cpu": "8"}})),
            ),
            (
                a_job("slices", a_container(resources={"limits": {"nvidia.com/mig-1g.5gb": "1"}})),
                a_job("dataset-initializer", a_container(resources={"limits": {"nvidia.com/gpu": "1"}})),
            ),
        )
    ),
]

"""In which order jobs start, and when they have succeeded."""

from tests.unit.runtimes.rules.samples import HELPED, JOBSET, MPI, TORCH, Case, a_container, a_job, container, job

SLEEPS = a_container("main", command=["sleep", "infinity"])
DEPENDS = f"{job(1)}.dependsOn"

COMPLETE = [{"name": "helper", "status": "Complete"}]
NODE_COUNTS = {f"{JOBSET}.successPolicy": {"operator": "All", "targetReplicatedJobs": ["node"]}}

CASES = [
    Case(
        "JSW-01",
        f"{job(0)}.dependsOn",
        HELPED,
        {f"{job(0)}.dependsOn": [{"name": "node", "status": "Ready"}]},
        {DEPENDS: [{"name": "helper", "status": "Ready"}]},
    ),
    Case(
        "JSW-01",
        f"{job(0)}.dependsOn",
        TORCH,
        {f"{job(0)}.dependsOn": [{"name": "node", "status": "Ready"}]},
        {f"{job(0)}.dependsOn": []},
    ),
    Case(
        "JSW-02",
        f"{DEPENDS}[0].name",
        HELPED,
        {DEPENDS: [{"name": "zzz", "status": "Ready"}]},
        {DEPENDS: [{"name": "helper", "status": "Ready"}]},
    ),
    Case(
        "JSW-02",
        f"{DEPENDS}[0].name",
        HELPED,
        {
            f"{JOBSET}.replicatedJobs[2]": a_job("later", a_container("later", command=["run"])),
            DEPENDS: [{"name": "later", "status": "Complete"}],
        },
        {
            f"{JOBSET}.replicatedJobs[2]": a_job(
                "later", a_container("later"), dependsOn=[{"name": "node", "status": "Ready"}]
            ),
        },
    ),
    Case(
        "SIL-08",
        f"{DEPENDS}[0].name",
        HELPED,
        {DEPENDS: [{"name": "node", "status": "Ready"}]},
        {DEPENDS: [{"name": "helper", "status": "Ready"}]},
    ),
    Case(
        "SIL-09",
        f"{DEPENDS}[0].status",
        HELPED,
        {
            f"{container(0)}.command": ["sleep", "infinity"],
            f"{JOBSET}.successPolicy": {"operator": "All", "targetReplicatedJobs": ["node"]},
            DEPENDS: [{"name": "helper", "status": "Complete"}],
        },
        {
            f"{container(0)}.command": ["sleep", "60"],
            DEPENDS: [{"name": "helper", "status": "Complete"}],
        },
    ),
    Case(
        "SIL-09",
        f"{DEPENDS}[0].status",
        MPI,
        {f"{DEPENDS}[0].status": "Complete", f"{container(0)}.command": ["serve"]},
        {f"{DEPENDS}[0].status": "Ready"},
    ),
    Case(
        "SIL-05",
        f"{JOBSET}.successPolicy",
        TORCH,
        {f"{JOBSET}.replicatedJobs[1]": a_job("metrics", SLEEPS)},
        {
            f"{JOBSET}.replicatedJobs[1]": a_job("metrics", SLEEPS),
            f"{JOBSET}.successPolicy": {"operator": "All", "targetReplicatedJobs": ["node"]},
        },
    ),
    Case(
        "JSW-06",
        f"{JOBSET}.successPolicy.targetReplicatedJobs[0]",
        TORCH,
        {f"{JOBSET}.successPolicy": {"operator": "All", "targetReplicatedJobs": ["nodes"]}},
        {f"{JOBSET}.successPolicy": {"operator": "All", "targetReplicatedJobs": ["node"]}},
    ),
    Case(
        "SIL-09",
        f"{DEPENDS}[0].status",
        HELPED,
        {DEPENDS: COMPLETE, f"{container(0)}.command": ["sleep", "infinity"], **NODE_COUNTS},
        {DEPENDS: COMPLETE, f"{container(0)}.command": ["sleep", "60"]},
    ),
    Case(
        "SIL-05",
        f"{JOBSET}.successPolicy.targetReplicatedJobs",
        HELPED,
        {
            **NODE_COUNTS,
            f"{JOBSET}.successPolicy.targetReplicatedJobs": ["helper"],
            f"{container(0)}.command": ["tail", "-f"],
        },
        {f"{JOBSET}.successPolicy": {"operator": "Any"}, f"{container(0)}.command": ["tail", "-f"]},
    ),
]

"""Names, network and management of a JobSet."""

from tests.unit.runtimes.rules.samples import HELPED, JOBSET, MPI, PLAIN, TORCH, Case, job, spec, warns

NETWORK = f"{JOBSET}.network"
MANAGED_BY = f"{JOBSET}.managedBy"
PATH = f"{JOBSET}.replicatedJobs"

CASES = [
    Case("SIL-32", PATH, TORCH, {"spec.template": None}, {}),
    Case("SIL-32", PATH, TORCH, {PATH: []}, {}),
    Case("JSW-03", f"{job(0)}.name", HELPED, {f"{job(0)}.name": "Eval_Job"}, {f"{job(0)}.name": "2-eval-job-"}),
    Case("JSW-03", f"{job(0)}.name", HELPED, {f"{job(0)}.name": "v2.eval"}, {}),
    Case(
        "JSW-04",
        f"{job(0)}.name",
        HELPED,
        {f"{job(0)}.name": "x" * 49, f"{spec(0)}.completionMode": "NonIndexed"},
        {f"{job(0)}.name": "x" * 48, f"{spec(0)}.completionMode": "NonIndexed"},
    ),
    Case("JSW-04", f"{job(0)}.name", HELPED, {f"{job(0)}.name": "x" * 49}, {}),
    Case("JSW-05", f"{job(0)}.name", HELPED, {f"{job(0)}.name": "x" * 41}, {f"{job(0)}.name": "x" * 40}),
    Case(
        "JSW-05",
        f"{job(0)}.name",
        HELPED,
        {f"{job(0)}.name": "x" * 40, f"{spec(0)}.parallelism": 11},
        {f"{job(0)}.name": "x" * 39, f"{spec(0)}.parallelism": 11},
    ),
    Case(
        "JSW-07",
        f"{NETWORK}.subdomain",
        MPI,
        {NETWORK: {"subdomain": "1.team"}},
        {},
    ),
    Case("JSW-08", MANAGED_BY, TORCH, {MANAGED_BY: "someone"}, {MANAGED_BY: "jobset.sigs.k8s.io/jobset-controller"}),
    Case("JSW-08", MANAGED_BY, TORCH, {MANAGED_BY: f"acme.io/{'x' * 60}"}, {}),
    Case(
        "JSW-09",
        f"{job(0)}.replicas",
        HELPED,
        {f"{job(0)}.replicas": 2**16, f"{spec(0)}.parallelism": 2**15},
        {f"{job(0)}.replicas": 2**16, f"{spec(0)}.parallelism": 2**15 - 1},
    ),
    Case(
        "JSW-10", f"{job(0)}.groupName", TORCH, {f"{job(0)}.groupName": "Group_1"}, {f"{job(0)}.groupName": "group-1"}
    ),
    warns("SIL-11b", f"{NETWORK}.subdomain", MPI, {NETWORK: {"subdomain": "team"}}, {NETWORK: {"subdomain": ""}}),
    warns("SIL-11b", f"{NETWORK}.subdomain", PLAIN, {NETWORK: {"subdomain": "team"}}, {}),
    Case(
        "SIL-24",
        f"{spec(0)}.managedBy",
        TORCH,
        {f"{spec(0)}.managedBy": "acme.io/controller"},
        {f"{spec(0)}.managedBy": "kubernetes.io/job-controller"},
    ),
    Case(
        "SIL-24",
        MANAGED_BY,
        TORCH,
        {MANAGED_BY: "acme.io/controller"},
        {MANAGED_BY: "jobset.sigs.k8s.io/jobset-controller"},
    ),
    warns("SIL-25", f"{JOBSET}.suspend", TORCH, {f"{JOBSET}.suspend": True}, {f"{JOBSET}.suspend": False}),
    *(
        warns(
            "SIL-26",
            f"spec.template.metadata.{name}",
            TORCH,
            {f"spec.template.metadata.{name}": value},
            {"spec.template.metadata.labels": {"team": "vision"}},
        )
        for name, value in (("name", "mine"), ("namespace", "team-a"), ("finalizers", ["acme.io/keep"]))
    ),
]

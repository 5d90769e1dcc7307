"""The JobSet: order, names, policies, coordinator, claims."""

from ..samples import (
    HELPED,
    JOBSET,
    MPI,
    PLAIN,
    TORCH,
    TUNE,
    Case,
    a_container,
    a_job,
    container,
    job,
    pod,
    spec,
    warns,
)

SLEEPS = a_container("main", command=["sleep", "infinity"])
DEPENDS = f"{job(1)}.dependsOn"
NETWORK = f"{JOBSET}.network"
MANAGED_BY = f"{JOBSET}.managedBy"
INT32_MAX = 2**31 - 1

ORDER = [
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
]

_PATH = f"{JOBSET}.replicatedJobs"
NAMES = [
    Case("SIL-32", _PATH, TORCH, {"spec.template": None}, {}),
    Case("SIL-32", _PATH, TORCH, {_PATH: []}, {}),
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

FAILURE = f"{JOBSET}.failurePolicy"
RULE = {"name": "a", "action": "FailJobSet"}
_READY = {f"{spec(0)}.backoffLimit": INT32_MAX, f"{spec(0)}.podReplacementPolicy": "Failed"}
_MANY = {f"{job(0)}.replicas": 1025}

FAILURES = [
    *(
        Case(
            "JSW-11",
            f"{FAILURE}.rules[0].action",
            TORCH,
            {FAILURE: {"rules": [{**RULE, "action": action}]}},
            {FAILURE: {"rules": [{**RULE, "action": action.replace("RestartJob", "RestartJobSet")}]}},
        )
        for action in ("RestartJob", "RestartJobAndIgnoreMaxRestarts")
    ),
    Case(
        "JSW-18",
        f"{FAILURE}.rules[0].action",
        HELPED,
        {**_MANY, FAILURE: {"rules": [{**RULE, "action": "RestartJob"}]}},
        {**_MANY, FAILURE: {"rules": [RULE]}},
    ),
    Case(
        "JSW-12",
        f"{FAILURE}.restartStrategy",
        TORCH,
        {FAILURE: {"restartStrategy": "InPlaceRestart"}, **_READY},
        {FAILURE: {"restartStrategy": "BlockingRecreate"}},
    ),
    Case(
        "JSW-13",
        f"{spec(0)}.backoffLimit",
        TORCH,
        {FAILURE: {"restartStrategy": "InPlaceRestart"}, **_READY, f"{spec(0)}.backoffLimit": 3},
        {**_READY, f"{spec(0)}.backoffLimit": 3},
    ),
    Case(
        "JSW-13",
        f"{spec(0)}.podReplacementPolicy",
        TORCH,
        {FAILURE: {"restartStrategy": "InPlaceRestart"}, f"{spec(0)}.backoffLimit": INT32_MAX},
        {},
    ),
    *(
        Case(
            "JSW-14",
            f"{FAILURE}.rules[0].name",
            TORCH,
            {FAILURE: {"rules": [{**RULE, "name": bad}]}},
            {FAILURE: {"rules": [{**RULE, "name": good}]}},
        )
        for bad, good in (("rule-1", "rule_1"), ("1a", "a1"), ("x" * 129, "x" * 128), ("a:", ""))
    ),
    Case(
        "JSW-15",
        f"{FAILURE}.rules[2].name",
        TORCH,
        {FAILURE: {"rules": [RULE, {**RULE, "name": "b"}, RULE]}},
        {FAILURE: {"rules": [{**RULE, "name": ""}, {**RULE, "name": ""}]}},
    ),
    Case(
        "JSW-15",
        f"{FAILURE}.rules[1].name",
        TORCH,
        {FAILURE: {"rules": [{**RULE, "name": ""}, {**RULE, "name": "failurePolicyRule0"}]}},
        {},
    ),
    Case(
        "JSW-16",
        f"{FAILURE}.rules[0].targetReplicatedJobs[1]",
        TORCH,
        {FAILURE: {"rules": [{**RULE, "targetReplicatedJobs": ["node", "worker"]}]}},
        {FAILURE: {"rules": [{**RULE, "targetReplicatedJobs": ["node"]}]}},
    ),
    Case(
        "JSW-17",
        f"{FAILURE}.rules[0].onJobFailureReasons[0]",
        TORCH,
        {FAILURE: {"rules": [{**RULE, "onJobFailureReasons": ["OOMKilled"]}]}},
        {FAILURE: {"rules": [{**RULE, "onJobFailureReasons": ["DeadlineExceeded", "PodFailurePolicy"]}]}},
    ),
]

COORDINATOR = f"{JOBSET}.coordinator"
COORDINATED = [
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

POLICIES = f"{JOBSET}.volumeClaimPolicies"
CLAIM = f"{POLICIES}[0].templates[0]"
NAME = f"{CLAIM}.metadata.name"


def mounted(name: str) -> dict[str, object]:
    """The claim by another name, wherever it stands."""
    return {NAME: name, **{f"{container(i)}.volumeMounts[1]": {"name": name, "mountPath": "/c"} for i in range(3)}} | {
        f"{pod(i)}.volumes": [{"name": "initializer", "emptyDir": {}}] for i in range(3)
    }


CLAIMS = [
    Case(
        "JSW-24",
        f"{POLICIES}[1].templates[0].metadata.name",
        TUNE,
        {f"{POLICIES}[1]": TUNE["spec"]["template"]["spec"]["volumeClaimPolicies"][0]},
        {},
    ),
    Case("JSW-25", NAME, TUNE, mounted("Data_1"), mounted("data-1")),
    Case("K8S-27", NAME, TUNE, mounted("data.v1"), mounted("data-v1")),
    Case("JSW-26", NAME, TUNE, mounted("w" * 51), mounted("w" * 50)),
    Case(
        "JSW-27",
        f"{POLICIES}[0].templates[1].metadata.name",
        TUNE,
        {
            f"{POLICIES}[0].templates[1]": {
                "metadata": {"name": "unused"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": 1}}},
            }
        },
        {
            f"{POLICIES}[0].templates[1]": {
                "metadata": {"name": "used"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": 1}}},
            },
            f"{pod(2)}.initContainers": [a_container("init", volumeMounts=[{"name": "used", "mountPath": "/used"}])],
        },
    ),
    Case(
        "JSW-28",
        f"{pod(2)}.volumes[0].name",
        TUNE,
        {f"{pod(2)}.volumes": [{"name": "initializer", "emptyDir": {}}]},
        {f"{pod(2)}.volumes": [{"name": "scratch", "emptyDir": {}}]},
    ),
    *(
        Case(
            "K8S-23", f"{CLAIM}.spec.{path}", TUNE, {f"{CLAIM}.spec.{changed}": bad}, {f"{CLAIM}.spec.{changed}": good}
        )
        for path, changed, bad, good in (
            ("accessModes", "accessModes", [], ["ReadWriteOnce"]),
            ("accessModes[0]", "accessModes", ["Shared"], ["ReadOnlyMany"]),
            ("accessModes", "accessModes", ["ReadWriteOncePod", "ReadWriteOnce"], ["ReadWriteOncePod"]),
            (
                "resources.requests[storage]",
                "resources",
                {"limits": {"storage": "1Gi"}},
                {"requests": {"storage": "1Gi"}},
            ),
            ("resources.requests[storage]", "resources.requests", {"storage": "0"}, {"storage": "1"}),
            ("storageClassName", "storageClassName", "Fast_Disks", "fast-disks"),
            ("volumeMode", "volumeMode", "Raw", "Filesystem"),
            (
                "selector.matchLabels[tier]",
                "selector",
                {"matchLabels": {"tier": "a b"}},
                {"matchLabels": {"tier": "a"}},
            ),
        )
    ),
    Case("K8S-23", f"{CLAIM}.spec.accessModes", TUNE, {f"{CLAIM}.spec.accessModes": None}, {}),
]

SOURCE, REFERENCE = f"{CLAIM}.spec.dataSource", f"{CLAIM}.spec.dataSourceRef"
_COPY = {"kind": "PersistentVolumeClaim", "name": "seed"}
_FILL = {"apiGroup": "acme.io", "kind": "Model", "name": "seed"}
_ELSEWHERE = {REFERENCE: {**_COPY, "namespace": "a"}}
CLAIMS += [
    Case("K8S-23", path, TUNE, bad, good)
    for path, bad, good in (
        (f"{SOURCE}.name", {SOURCE: {**_COPY, "name": ""}}, {SOURCE: _COPY}),
        (f"{SOURCE}.kind", {SOURCE: {**_COPY, "kind": "Snapshot"}}, {SOURCE: {**_FILL, "kind": "Snapshot"}}),
        (f"{REFERENCE}.apiGroup", {REFERENCE: {**_FILL, "apiGroup": "Acme"}}, {REFERENCE: _FILL}),
        (SOURCE, {SOURCE: _COPY, REFERENCE: _FILL}, {SOURCE: _COPY, REFERENCE: _COPY}),
        (SOURCE, {SOURCE: _COPY, **_ELSEWHERE}, _ELSEWHERE),
    )
]

CASES = [*ORDER, *NAMES, *FAILURES, *COORDINATED, *CLAIMS]

"""One runtime for each rule of the schema that breaks it and nothing else, and its neighbour that doesn't."""

import copy
from typing import Any, NamedTuple

import pytest

from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError
from components.runtimes.rules.schema import SCHEMA_RULES
from components.validation.violation import Severity

from ..recorded import known_rules

ABSENT = object()
JOBSET = "spec.template.spec"
JOB = f"{JOBSET}.replicatedJobs.0"
POD = f"{JOB}.template.spec.template.spec"
NODE = f"{POD}.containers.0"
TARGETS = "spec.mlPolicy.torch.envInjection.targets"
CLAIMS = f"{JOBSET}.volumeClaimPolicies"


TRAINER = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}


def runtime() -> dict[str, Any]:
    """A runtime that works."""
    pod = {"spec": {"containers": [{"name": "node", "image": "registry/torch:1"}]}}
    job = {"name": "node", "template": {"metadata": {"labels": TRAINER}, "spec": {"template": pod}}}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "torch", "labels": {"trainer.kubeflow.org/framework": "torch"}},
        "spec": {"mlPolicy": {"numNodes": 1, "torch": {}}, "template": {"spec": {"replicatedJobs": [job]}}},
    }


def changed(path: str, value: Any) -> dict[str, Any]:
    """The same with another value at a dotted path."""
    manifest = copy.deepcopy(runtime())
    *parents, last = (int(key) if key.isdigit() else key for key in path.split("."))
    inner: Any = manifest
    for key in parents:
        inner = inner[key] if isinstance(key, int) else inner.setdefault(key, {})
    inner[last] = value
    if value is ABSENT:
        del inner[last]
    return manifest


class Case(NamedTuple):
    rule: str
    path: str
    """Where the violation is."""

    at: str
    """Where the two differ."""

    wrong: Any
    right: Any


def job(name: str, **more: Any) -> dict[str, Any]:
    container = {"name": name, "image": "registry/tool:1"}
    return {"name": name, "template": {"spec": {"template": {"spec": {"containers": [container]}}}}, **more}


def target(number: int = 0, **more: Any) -> dict[str, Any]:
    return {"jobName": f"job{number}", "containerNames": ["sidecar"], **more}


def claim(number: int = 0, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": f"claim{number}", **metadata}, "spec": {"accessModes": ["ReadWriteMany"]}}


def dependencies(count: int) -> list[dict[str, str]]:
    return [{"name": f"job{number}", "status": "Complete"} for number in range(count)]


def failure_rule(**more: Any) -> dict[str, Any]:
    rule = {"name": "stop", "action": "FailJobSet", **more}
    return {"rules": [{key: value for key, value in rule.items() if value is not ABSENT}]}


BRACKETED = JOB.replace(".0", "[0]")
BRACKETED_POD = POD.replace(".0", "[0]")
BRACKETED_NODE = NODE.replace(".0", "[0]")

QUANTITIES: list[tuple[Any, Any]] = [
    ("16GiB", "16Gi"),
    (2.5, "2.5"),
    (True, 1),
    ("1 Gi", "1Gi"),
    ("", "0"),
    ("1e1.5", "1e1"),
    ("0x10", ".5"),
    ("1ki", "1Ki"),
    ([], "1E"),
    ("five", "+5"),
    ("1e", "1e-3"),
    (float("inf"), 1e3),
    ("1m5", "-1m"),
]
"""Amounts that are none, each beside one that is."""

CASES = [
    Case("CTR-01", "spec", "spec", {}, {"mlPolicy": {"numNodes": 1}}),
    Case("CTR-02", "spec.template", "spec.template", {}, {"spec": {}}),
    Case("CTR-03", "spec.mlPolicy", "spec.mlPolicy", {"jax": {}, "xgboost": {}}, {"jax": {}}),
    Case("CTR-04", "spec.mlPolicy.mpi.mpiImplementation", "spec.mlPolicy", *(
        {"mpi": {"mpiImplementation": name}} for name in ("Intel", "OpenMPI")
    )),
    Case("CTR-05", "spec.mlPolicy.mpi.sshAuthMountPath", "spec.mlPolicy", *(
        {"mpi": {"sshAuthMountPath": "/" + "a" * length}} for length in (4096, 4095)
    )),
    Case("CTR-06", "spec.mlPolicy.flux.numProcPerNode", "spec.mlPolicy", *(
        {"flux": {"numProcPerNode": number}} for number in (0, 1)
    )),
    Case("CTR-07", "spec.mlPolicy.numNodes", "spec.mlPolicy.numNodes", 2**31, 2**31 - 1),
    Case("CTR-07", f"{JOBSET}.coordinator.jobIndex", f"{JOBSET}.coordinator", *(
        {"replicatedJob": "node", "jobIndex": index} for index in (2**63, 0)
    )),
    Case("CTR-07", f"{BRACKETED_NODE}.readinessProbe.httpGet.port", f"{NODE}.readinessProbe", *(
        {"httpGet": {"port": port}} for port in (2**31, 2**31 - 1)
    )),
    Case("CTR-08", TARGETS, TARGETS, [target(n) for n in range(17)], [target(n) for n in range(16)]),
    Case("CTR-09", f"{TARGETS}[1]", TARGETS, [target(0), target(0)], [target(0), target(1)]),
    Case("CTR-10", f"{TARGETS}[0].jobName", TARGETS, [{"containerNames": ["a"]}], [target()]),
    Case("CTR-10", f"{TARGETS}[0].containerNames", TARGETS, [{"jobName": "a"}], [target()]),
    Case("CTR-11", f"{TARGETS}[0].jobName", TARGETS, [target(jobName="")], [target(jobName="a")]),
    Case("CTR-11", f"{TARGETS}[0].jobName", TARGETS, *([target(jobName="a" * length)] for length in (254, 253))),
    Case("CTR-12", f"{TARGETS}[0].containerNames", TARGETS, [target(containerNames=[])], [target()]),
    Case("CTR-12", f"{TARGETS}[0].containerNames", TARGETS, *(
        [target(containerNames=[f"a{n}" for n in range(count)])] for count in (9, 8)
    )),
    Case("CTR-12", f"{TARGETS}[0].containerNames[1]", TARGETS, *(
        [target(containerNames=["a", other])] for other in ("a", "b")
    )),
    Case("CTR-12", f"{TARGETS}[0].containerNames[0]", TARGETS, *(
        [target(containerNames=["a" * length])] for length in (64, 63)
    )),
    Case("CTR-13", f"{TARGETS}[0].containerNames[1]", TARGETS, *(
        [target(containerNames=["a", other])] for other in ("node", "nodes")
    )),
    Case("CTR-14", "spec.podGroupPolicy.volcano.networkTopology.mode", "spec.podGroupPolicy", *(
        {"volcano": {"networkTopology": {"mode": mode}}} for mode in ("Hard", "hard")
    )),
    Case("CTR-15", f"{JOBSET}.startupPolicy.startupPolicyOrder", JOBSET, *(
        {
            "startupPolicy": {"startupPolicyOrder": order},
            "replicatedJobs": [job("first"), job("node", dependsOn=[{"name": "first", "status": "Ready"}])],
        }
        for order in ("InOrder", "AnyOrder")
    )),
    Case("CTR-15", f"{JOBSET}.replicatedJobs", JOBSET, *(
        {"startupPolicy": {"startupPolicyOrder": order}} for order in ("InOrder", "AnyOrder")
    )),
    Case("CTR-16", f"{JOBSET}.replicatedJobs[1]", f"{JOBSET}.replicatedJobs", *(
        [job("node"), job(name)] for name in ("node", "other")
    )),
    Case("CTR-17", f"{BRACKETED}.name", f"{JOB}.name", ABSENT, "node"),
    Case("CTR-17", f"{BRACKETED}.template", f"{JOB}.template", ABSENT, {}),
    Case("CTR-18", f"{BRACKETED}.template.spec.template", f"{JOB}.template.spec", {}, {"template": {}}),
    Case("CTR-18", f"{BRACKETED_POD}.containers", POD, {}, {"containers": []}),
    Case("CTR-19", f"{BRACKETED_NODE}.name", NODE, {"image": "a"}, {"name": "node", "image": "a"}),
    Case("CTR-19", f"{BRACKETED_POD}.initContainers[0].name", f"{POD}.initContainers", [{}], [{"name": "first"}]),
    Case("CTR-20", f"{BRACKETED}.dependsOn", f"{JOB}.dependsOn", dependencies(6), dependencies(5)),
    Case("CTR-20", f"{BRACKETED}.dependsOn[1]", f"{JOB}.dependsOn", dependencies(1) * 2, dependencies(2)),
    Case("CTR-21", f"{BRACKETED}.dependsOn[0].status", f"{JOB}.dependsOn", *(
        [{"name": "a", "status": status}] for status in ("Running", "Ready")
    )),
    Case("CTR-21", f"{BRACKETED}.dependsOn[0].name", f"{JOB}.dependsOn", [{"status": "Ready"}], dependencies(1)),
    Case("CTR-22", f"{JOBSET}.successPolicy.operator", f"{JOBSET}.successPolicy", {}, {"operator": "All"}),
    Case("CTR-22", f"{JOBSET}.successPolicy.operator", f"{JOBSET}.successPolicy", *(
        {"operator": operator} for operator in ("all", "Any")
    )),
    Case("CTR-23", f"{JOBSET}.startupPolicy.startupPolicyOrder", f"{JOBSET}.startupPolicy", *(
        {"startupPolicyOrder": order} for order in ("Inorder", "InOrder")
    )),
    Case("CTR-23", f"{JOBSET}.startupPolicy.startupPolicyOrder", f"{JOBSET}.startupPolicy", {}, ABSENT),
    Case("CTR-24", f"{JOBSET}.failurePolicy.rules[0].name", f"{JOBSET}.failurePolicy", *(
        failure_rule(name=name) for name in (ABSENT, "stop")
    )),
    Case("CTR-24", f"{JOBSET}.failurePolicy.rules[0].action", f"{JOBSET}.failurePolicy", *(
        failure_rule(action=action) for action in (ABSENT, "FailJobSet")
    )),
    Case("CTR-25", f"{JOBSET}.failurePolicy.rules[0].action", f"{JOBSET}.failurePolicy", *(
        failure_rule(action=action) for action in ("Restart", "RestartJobSet")
    )),
    Case("CTR-26", f"{JOBSET}.failurePolicy.restartStrategy", f"{JOBSET}.failurePolicy", *(
        {"restartStrategy": strategy} for strategy in ("Never", "Recreate")
    )),
    Case("CTR-27", f"{JOBSET}.coordinator.replicatedJob", f"{JOBSET}.coordinator", {}, {"replicatedJob": "node"}),
    Case("CTR-28", f"{JOBSET}.ttlSecondsAfterFinished", f"{JOBSET}.ttlSecondsAfterFinished", -1, 0),
    Case("CTR-29", CLAIMS, CLAIMS, [{"templates": []}] * 51, [{"templates": []}] * 50),
    Case("CTR-29", f"{CLAIMS}[0].templates", CLAIMS, *(
        [{"templates": [claim(n) for n in range(count)]}] for count in (51, 50)
    )),
    Case("CTR-30", f"{CLAIMS}[0].templates[1].metadata.namespace", CLAIMS, *(
        [{"templates": [claim(0), claim(1, namespace=namespace)]}] for namespace in ("a", "")
    )),
    Case("CTR-30", f"{CLAIMS}[0].templates[0].metadata", CLAIMS, *(
        [{"templates": [template]}] for template in (dict[str, Any](spec={}), claim())
    )),
    Case("CTR-30", f"{CLAIMS}[0].templates", CLAIMS, [{}], [{"templates": []}]),
    Case("CTR-31", f"{CLAIMS}[0].retentionPolicy.whenDeleted", CLAIMS, *(
        [{"templates": [], "retentionPolicy": {"whenDeleted": what}}] for what in ("Keep", "Retain")
    )),
    *(
        Case("CTR-32", f"{BRACKETED_NODE}.resources.limits[memory]", f"{NODE}.resources", *(
            {"limits": {"memory": amount}} for amount in (wrong, right)
        ))
        for wrong, right in QUANTITIES
    ),
    *(
        Case("CTR-33", f"{BRACKETED_POD}.{field}[1]", f"{POD}.{field}", [item, item | same], [item, item | other])
        for field, item, same, other in (
            ("initContainers", {"name": "a", "image": "b"}, {"image": "c"}, {"name": "b"}),
            ("volumes", {"name": "a"}, {"emptyDir": {}}, {"name": "b"}),
            ("hostAliases", {"ip": "10.0.0.1"}, {"hostnames": ["a"]}, {"ip": "10.0.0.2"}),
            ("imagePullSecrets", {}, {"name": ""}, {"name": "a"}),
            ("resourceClaims", {"name": "a"}, {"resourceClaimName": "b"}, {"name": "b"}),
            ("schedulingGates", {"name": "a"}, {}, {"name": "b"}),
            (
                "topologySpreadConstraints",
                {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
                {"maxSkew": 2},
                {"whenUnsatisfiable": "ScheduleAnyway"},
            ),
        )
    ),
    *(
        Case("CTR-33", f"{BRACKETED_NODE}.{field}[1]", f"{NODE}.{field}", [item, item | same], [item, item | other])
        for field, item, same, other in (
            ("env", {"name": "A"}, {"value": "b"}, {"name": "B"}),
            ("ports", {"containerPort": 80}, {"protocol": "TCP", "name": "web"}, {"protocol": "UDP"}),
            ("volumeMounts", {"name": "a", "mountPath": "/a"}, {"name": "b"}, {"mountPath": "/b"}),
            ("volumeDevices", {"name": "a", "devicePath": "/a"}, {"name": "b"}, {"devicePath": "/b"}),
        )
    ),
    Case("CTR-33", f"{BRACKETED_NODE}.resources.claims[1]", f"{NODE}.resources.claims", *(
        [{"name": "a"}, {"name": name}] for name in ("a", "b")
    )),
    Case("CTR-33", f"{BRACKETED}.template.spec.podFailurePolicy.rules[0].onExitCodes.values[2]",
        f"{JOB}.template.spec.podFailurePolicy", *(
        {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": values}}]}
        for values in ([1, 2, 1], [1, 2, 3])
    )),
    *(
        Case("CTR-34", f"{BRACKETED_NODE}.{field}", f"{NODE}.{field}", wrong, right)
        for field, wrong, right in (
            ("image", 1, "1"), ("tty", "true", True), ("tty", 1, False), ("command", "sh", ["sh"]), ("env", {}, []),
            ("lifecycle", [], {}), ("workingDir", True, "/true"),
        )
    ),
    Case("CTR-34", f"{BRACKETED_NODE}.env[0].value", f"{NODE}.env", *(
        [{"name": "A", "value": value}] for value in (1, "1")
    )),
    Case("CTR-34", f"{BRACKETED_NODE}.readinessProbe.tcpSocket.port", f"{NODE}.readinessProbe", *(
        {"tcpSocket": {"port": port}} for port in (22.5, 22)
    )),
    Case("CTR-34", f"{CLAIMS}[0].templates[0].status.conditions[0].lastProbeTime", CLAIMS, *(
        [{"templates": [claim() | {"status": {"conditions": [{"type": "a", "status": "b", "lastProbeTime": time}]}}]}]
        for time in ("2026-01-02 03:04:05Z", "2026-01-02T03:04:05Z")
    )),
    Case("CTR-34", f"{BRACKETED}.replicas", f"{JOB}.replicas", "1", 1),
    Case("CTR-35", f"{BRACKETED_NODE}.readinessProbe.tcpSocket.port", f"{NODE}.readinessProbe", *(
        {"tcpSocket": action} for action in ({}, {"port": "ssh"})
    )),
    Case("CTR-35", f"{BRACKETED_POD}.volumes[0].hostPath.path", f"{POD}.volumes", *(
        [{"name": "a", "hostPath": source}] for source in ({"path": None}, {"path": "/a"})
    )),
    Case("CTR-35", f"{BRACKETED_POD}.volumes[0].iscsi.lun", f"{POD}.volumes", *(
        [{"name": "a", "iscsi": {"iqn": "iqn.2006-01.example:a", "targetPortal": "10.0.0.1", **lun}}]
        for lun in ({}, {"lun": 1})
    )),
    Case("CTR-35", "metadata.name", "metadata", {}, {"name": "a"}),
    Case("CTR-35", "metadata.name", "metadata", {}, {"generateName": "a-"}),
    Case("CTR-35", "metadata", "metadata", ABSENT, {"name": "a"}),
    Case("CTR-35", "kind", "kind", ABSENT, "ClusterTrainingRuntime"),
    Case("CTR-36", f"{BRACKETED_NODE}.imgae", f"{NODE}.imgae", "a", ABSENT),
    Case("CTR-36", f"{BRACKETED_NODE}.image_pull_policy", f"{NODE}.image_pull_policy", "Always", ABSENT),
    Case("CTR-36", f"{BRACKETED}.template.metadata.creationTimestamp", f"{JOB}.template.metadata", *(
        {"labels": TRAINER, **more}
        for more in ({"creationTimestamp": None}, {"namespace": "a"})
    )),
    Case("CTR-36", f"{BRACKETED_POD}.volumes[0].rbd.keyRing", f"{POD}.volumes", *(
        [{"name": "a", "rbd": {"image": "a", "monitors": ["b"], key: "c"}}] for key in ("keyRing", "keyring")
    )),
    Case("CTR-37", "apiVersion", "apiVersion", "kubeflow.org/v2alpha1", "trainer.kubeflow.org/v1alpha1"),
    Case("CTR-37", "kind", "kind", "TrainingRuntime", "ClusterTrainingRuntime"),
]  # fmt: skip


def found(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """Rule and path of every violation."""
    try:
        violations = ClusterTrainingRuntime.from_manifest(manifest).check()
    except InvalidRuntimeError as error:
        violations = error.violations
        assert all(each.message and each.fix for each in violations)
        assert any(each.severity is Severity.ERROR for each in violations)
    return [(each.rule, each.path) for each in violations]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}-{case.path}" for case in CASES])
def test_violation_has_the_path_of_the_mistake(case: Case) -> None:
    assert [each for each in found(changed(case.at, case.wrong)) if each[0] in SCHEMA_RULES] == [(case.rule, case.path)]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}-{case.path}" for case in CASES])
def test_valid_case_violates_no_rule_of_the_schema(case: Case) -> None:
    assert [each for each in found(changed(case.at, case.right)) if each[0] in SCHEMA_RULES] == []


def test_every_rule_has_a_case() -> None:
    of_manifests = {rule for rule in SCHEMA_RULES if rule.startswith("CTR-")}

    # CTR-38 is about a package that is missing: test_official_models.
    assert {case.rule for case in CASES} == of_manifests - {"CTR-38"}


def test_every_known_rule_of_the_crd_is_implemented() -> None:
    known = known_rules()
    ours = {rule for rule in SCHEMA_RULES if rule.startswith("CTR-")}

    assert ours - {rule["id"] for rule in known} == {"CTR-37", "CTR-38"}
    assert {rule["id"] for rule in known if rule["id"].startswith("CTR-")} - ours == set()

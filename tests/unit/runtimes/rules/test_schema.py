"""One runtime for each rule of the schema that breaks it and nothing else, and its neighbour that doesn't."""

import copy
from typing import Any

import pytest

from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError
from components.runtimes.rules.schema import SCHEMA_RULES
from components.validation.violation import Severity

from ..recorded import known_rules
from .schema_cases import ABSENT, CASES, TRAINER, Case


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

"""Our verdict on each runtime is the one that the real system gave."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.runtimes.rules import update_violations
from components.validation.violation import Severity, Violation

from .samples import loose, violations


def errors(found: tuple[Violation, ...]) -> list[str]:
    return [str(violation) for violation in found if violation.severity is Severity.ERROR]


def agrees(verdict: str, found: tuple[Violation, ...]) -> bool:
    """Errors where it failed, at least a warning where it misbehaved, no error where it worked."""
    if verdict == "silent-misbehaviour":
        return bool(found)
    return bool(errors(found)) == (verdict != "ok")


def corpus(shared: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((shared / "cases" / "corpus.json").read_text())
    return cases


def test_the_corpus_is_judged_as_the_real_system_did(shared: Path) -> None:
    """Cases that hang on the TrainJob or on the cluster are not decidable from the runtime."""
    cases = [case for case in corpus(shared) if case["depends_on"] == "runtime"]
    found = {case["id"]: violations(case["object"]) for case in cases}

    disagreements = {
        case["id"]: (case["expected"]["verdict"], [str(violation) for violation in found[case["id"]]])
        for case in cases
        if not agrees(case["expected"]["verdict"], found[case["id"]])
    }

    assert len(cases) == 203
    assert disagreements == {}


def test_the_rules_of_the_corpus_are_the_ones_that_find_it(shared: Path) -> None:
    """A failing runtime is refused for its own reason: where the corpus names rules, one of them is among ours."""
    strangers = {}
    for case in corpus(shared):
        found = {violation.rule for violation in violations(case["object"])}
        if case["expected"]["verdict"] != "ok" and case["rules"] and not found & set(case["rules"]):
            strangers[case["id"]] = (case["rules"], sorted(found))

    assert strangers == {}


def test_warnings_of_the_real_run_are_warnings_here(shared: Path) -> None:
    quiet = [
        case["id"]
        for case in corpus(shared)
        if any(violation["severity"] == "warn" for violation in case["expected"]["findings"])
        and not violations(case["object"])
    ]

    assert quiet == []


def test_updates_are_judged_as_the_api_server_did(shared: Path) -> None:
    cases = [case for case in corpus(shared) if case.get("update")]
    judged = {}
    for case in cases:
        metadata = {**case["object"]["metadata"], **case["update"]["metadata"]}
        before, after = loose(case["object"]), loose({**case["update"], "metadata": metadata})
        judged[case["id"]] = not update_violations(before, after)

    assert len(cases) == 5
    assert judged == {case["id"]: case["expected"]["update_admitted"] for case in cases}


WILD = {"ok": True, "WARN": True, "BROKEN": False, "BROKEN*": False, "-": False}
"""Whether training works, by what wild/verdicts.json calls it; "-" is what no API server takes."""


def wild(shared: Path) -> list[dict[str, Any]]:
    """The runtimes as people published them that are here."""
    folder = shared / "cases" / "wild"
    verdicts = json.loads((folder / "verdicts.json").read_text())
    return [
        {**verdict, "path": folder / verdict["file"]} for verdict in verdicts if (folder / verdict["file"]).is_file()
    ]


def test_published_runtimes_that_train_are_not_refused(shared: Path) -> None:
    """Fields that the API has no more, and that nothing came of, are left out as `adopt` does."""
    found = {case["file"]: violations(yaml.safe_load(case["path"].read_text()), adopt=True) for case in wild(shared)}

    assert len(found) == 22
    assert {name: not errors(violations) for name, violations in found.items()} == {
        case["file"]: WILD[case["training"]] for case in wild(shared)
    }


def test_published_runtimes_that_only_half_work_get_a_warning(shared: Path) -> None:
    quiet = [
        case["file"]
        for case in wild(shared)
        if case["training"] == "WARN" and not violations(yaml.safe_load(case["path"].read_text()), adopt=True)
    ]

    assert quiet == []


def test_published_runtimes_are_refused_where_the_api_server_refuses_them(shared: Path) -> None:
    """Server-side apply refuses unknown fields, as we do; where it takes a runtime we refuse what cannot train."""
    judged = {case["file"]: bool(errors(violations(yaml.safe_load(case["path"].read_text())))) for case in wild(shared)}

    assert judged == {
        case["file"]: case["server_side_apply"] == "REJ" or not WILD[case["training"]] for case in wild(shared)
    }


@pytest.mark.parametrize("framework", ["deepspeed", "mlx", "torch", "jax", "xgboost"])
def test_nothing_is_said_about_upstreams_own_runtimes(framework: str, shared: Path) -> None:
    path = shared / "upstream" / "trainer-2.3.0" / "runtimes" / f"{framework}_distributed.yaml"

    assert violations(yaml.safe_load(path.read_text())) == ()


def test_upstreams_runtime_with_cache_has_warnings(shared: Path) -> None:
    path = shared / "upstream" / "trainer-2.3.0" / "runtimes" / "torch_distributed_with_cache.yaml"

    found = violations(yaml.safe_load(path.read_text()))

    assert sorted((violation.rule, violation.severity) for violation in found) == [
        ("TJC-16", Severity.WARNING),
        ("WHR-04", Severity.WARNING),
    ]

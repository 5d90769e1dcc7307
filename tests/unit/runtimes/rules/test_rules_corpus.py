"""Our verdict on each runtime is the one that the real system gave."""

import pytest
import yaml

from components.runtimes.rules import update_violations
from components.validation.violation import Severity, Violation
from tests.upstream import TRAINER_NOW

from ..recorded import corpus, published
from .samples import loose, violations


def errors(found: tuple[Violation, ...]) -> list[str]:
    return [str(violation) for violation in found if violation.severity is Severity.ERROR]


def agrees(verdict: str, found: tuple[Violation, ...]) -> bool:
    """Errors where it failed, at least a warning where it misbehaved, no error where it worked."""
    if verdict == "silent-misbehaviour":
        return bool(found)
    return bool(errors(found)) == (verdict != "ok")


def test_corpus_has_the_verdicts_of_the_real_system() -> None:
    """Cases that hang on the TrainJob or on the cluster are not decidable from the runtime."""
    cases = [case for case in corpus() if case["depends_on"] == "runtime"]
    found = {case["id"]: violations(case["object"]) for case in cases}

    disagreements = {
        case["id"]: (case["verdict"], [str(violation) for violation in found[case["id"]]])
        for case in cases
        if not agrees(case["verdict"], found[case["id"]])
    }

    assert len(cases) == 203
    assert disagreements == {}


def test_violations_of_the_corpus_have_its_rules() -> None:
    """A failing runtime is refused for its own reason: where the corpus names rules, one of them is among ours."""
    strangers = {}
    for case in corpus():
        found = {violation.rule for violation in violations(case["object"])}
        if case["verdict"] != "ok" and case["rules"] and not found & set(case["rules"]):
            strangers[case["id"]] = (case["rules"], sorted(found))

    assert strangers == {}


def test_warnings_of_the_real_system_are_warnings() -> None:
    quiet = [case["id"] for case in corpus() if case["warned"] and not violations(case["object"])]

    assert quiet == []


def test_updates_have_the_verdicts_of_the_api_server() -> None:
    cases = [case for case in corpus() if case.get("update")]
    judged = {}
    for case in cases:
        metadata = {**case["object"]["metadata"], **case["update"]["metadata"]}
        before, after = loose(case["object"]), loose({**case["update"], "metadata": metadata})
        judged[case["id"]] = not update_violations(before, after)

    assert len(cases) == 5
    assert judged == {case["id"]: case["update_admitted"] for case in cases}


WILD = {"ok": True, "WARN": True, "BROKEN": False, "BROKEN*": False, "-": False}
"""Whether training works, by the verdict on a published runtime. No API server admits "-"."""


def test_published_runtimes_that_train_are_accepted() -> None:
    """Fields that the API has no more, and that nothing came of, are left out as `adopt` does."""
    found = {case["file"]: violations(manifest, adopt=True) for case, [manifest] in published()}

    assert len(found) == 22
    assert {name: not errors(violations) for name, violations in found.items()} == {
        case["file"]: WILD[case["training"]] for case, [manifest] in published()
    }


def test_published_runtimes_that_work_in_part_have_a_warning() -> None:
    quiet = [
        case["file"]
        for case, [manifest] in published()
        if case["training"] == "WARN" and not violations(manifest, adopt=True)
    ]

    assert quiet == []


def test_published_runtimes_that_the_api_server_rejects_are_rejected() -> None:
    """Server-side apply refuses unknown fields, as we do; where it takes a runtime we refuse what cannot train."""
    judged = {case["file"]: bool(errors(violations(manifest))) for case, [manifest] in published()}

    assert judged == {
        case["file"]: case["server_side_apply"] == "REJ" or not WILD[case["training"]] for case, _ in published()
    }


@pytest.mark.parametrize("framework", ["deepspeed", "mlx", "torch", "jax", "xgboost"])
def test_upstream_runtimes_have_no_violations(framework: str) -> None:
    path = TRAINER_NOW.runtimes[f"{framework}_distributed"]

    assert violations(yaml.safe_load(path.read_text())) == ()


def test_upstream_runtime_with_cache_has_warnings() -> None:
    path = TRAINER_NOW.runtimes["torch_distributed_with_cache"]

    found = violations(yaml.safe_load(path.read_text()))

    assert sorted((violation.rule, violation.severity) for violation in found) == [
        ("TJC-16", Severity.WARNING),
        ("WHR-04", Severity.WARNING),
    ]

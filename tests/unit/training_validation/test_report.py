"""The report of a validation."""

import json

from components.training_validation.diagnosis import Diagnosis
from components.training_validation.phases import Phase
from components.training_validation.report import Outcome, PhaseResult, ValidationReport

PASSED = PhaseResult(Outcome.PASSED, seconds=1.04, detail="3 nodes")
CAUSE = Diagnosis("no node that fits", Phase.START, "pod a", ("0/3 nodes",), "All nodes are in use.", "Free some.")
GOOD = ValidationReport("torch-distributed", "h100", dict.fromkeys(Phase, PASSED))
FAILED = ValidationReport(
    "deepspeed-distributed",
    None,
    {Phase.NODES: PASSED, Phase.ADMISSION: PASSED, Phase.START: PhaseResult(Outcome.FAILED, 120.0, "1 of 3 pods runs")},
    (CAUSE,),
)


def test_report_passes_if_all_phases_passed() -> None:
    assert GOOD.passed
    assert not FAILED.passed
    assert not ValidationReport("torch", None, {Phase.NODES: PASSED}).passed


def test_phase_after_a_failed_one_is_not_reached() -> None:
    outcomes = [FAILED.outcome(phase) for phase in Phase]
    assert outcomes == [Outcome.PASSED, Outcome.PASSED, Outcome.FAILED, Outcome.NOT_REACHED]


def test_page_of_a_failure() -> None:
    assert str(FAILED) == (
        "deepspeed-distributed: failed\n"
        "  nodes      passed         1.0 s  3 nodes\n"
        "  admission  passed         1.0 s  3 nodes\n"
        "  start      failed       120.0 s  1 of 3 pods runs\n"
        "  training   not reached\n"
        "start: no node that fits (pod a)\n"
        "    | 0/3 nodes\n"
        "  All nodes are in use.\n"
        "  Fix: Free some."
    )


def test_phase_that_cannot_be_seen_does_not_fail_the_report() -> None:
    unseen = PhaseResult(Outcome.NOT_CHECKED, 0.0, "Listing nodes is not permitted")
    report = ValidationReport("torch", None, {**GOOD.results, Phase.NODES: unseen})
    assert report.passed
    assert "  nodes      not checked    0.0 s  Listing nodes is not permitted\n" in str(report)
    assert report.to_output()["phases"]["nodes"]["outcome"] == "not checked"


def test_page_names_the_pool() -> None:
    assert str(GOOD).startswith("torch-distributed on h100: passed\n")


def test_config_map_has_the_page_and_the_output_of_the_stack() -> None:
    data = FAILED.to_config_map_data()
    assert data["report.txt"] == f"{FAILED}\n"
    assert json.loads(data["report.json"]) == FAILED.to_output()
    assert FAILED.to_output() == {
        "runtime": "deepspeed-distributed",
        "pool": None,
        "passed": False,
        "phases": {
            "nodes": {"outcome": "passed", "seconds": 1.0, "detail": "3 nodes"},
            "admission": {"outcome": "passed", "seconds": 1.0, "detail": "3 nodes"},
            "start": {"outcome": "failed", "seconds": 120.0, "detail": "1 of 3 pods runs"},
            "training": {"outcome": "not reached"},
        },
        "causes": [
            {
                "name": "no node that fits",
                "phase": "start",
                "subject": "pod a",
                "evidence": ["0/3 nodes"],
                "meaning": "All nodes are in use.",
                "fix": "Free some.",
            }
        ],
    }

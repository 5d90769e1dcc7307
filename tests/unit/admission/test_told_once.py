"""What several hooks of one run would tell: once in full, then as a reference."""

import asyncio
from typing import Any

import pytest

from components.admission.probes import AdmissionTimeoutError
from components.admission.told_once import RepeatedFailureError, ToldOnce
from components.cluster.hook_error import PreflightError
from components.validation.violation import Violation

SHARED = Violation("VER-02", "jobset.version", "too old.", "Take a newer one.")
OWN = Violation("OPR-09", "spec.a", "dropped.", "Update the CRD.")


def raised(told: ToldOnce, error: Exception) -> Exception:
    async def fail(name: str) -> None:
        assert name == "x"
        raise error

    with pytest.raises(Exception) as caught:  # noqa: PT011 - whichever it is
        run(_await(told, fail))
    return caught.value


def run(coroutine: Any) -> None:
    """Run it in a loop of its own, and leave the one of other tests alone."""
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(coroutine)
    finally:
        loop.close()


async def _await(told: ToldOnce, fail: object) -> None:
    await told.hook(fail)("x")  # type: ignore[arg-type]


def test_first_hook_reports_a_failure_and_others_refer_to_it() -> None:
    told, error = ToldOnce(), AdmissionTimeoutError("After 120 s ...")
    assert raised(told, error) is error
    for _ in range(6):
        repeated = raised(told, AdmissionTimeoutError("After 120 s ..."))
        assert isinstance(repeated, RepeatedFailureError)
        assert str(repeated) == "Stopped by a failure that another resource of this run reports in full."


def test_different_failure_is_reported() -> None:
    told, other = ToldOnce(), AdmissionTimeoutError("b")
    raised(told, AdmissionTimeoutError("a"))
    assert raised(told, other) is other


def test_shared_violations_are_reported_once_and_others_always() -> None:
    told = ToldOnce()
    first, second = raised(told, PreflightError([SHARED])), raised(told, PreflightError([SHARED, OWN]))
    assert isinstance(first, PreflightError)
    assert isinstance(second, PreflightError)
    assert (first.violations, second.violations) == ((SHARED,), (OWN,))
    assert isinstance(raised(told, PreflightError([OWN, SHARED])), RepeatedFailureError)


def test_successful_hook_returns() -> None:
    async def succeed(name: str) -> None:
        assert name == "x"

    run(ToldOnce().hook(succeed)("x"))

"""Questions that are asked again until their answers are right, or the time is up."""

import time
from threading import Event

import pytest

from components.cluster.client import ClusterClient, ClusterReadError
from components.cluster.deadline import deadline, remaining, run_within
from components.cluster.polling import MAX_PARALLEL, POLL_INTERVAL, ROUND_TIMEOUT, poll_until_passing
from components.cluster.transport import Limits

from .api_answers import TRAIN_JOB, kubeconfig
from .servers import FAR_TOO_LONG, SILENCE, after_request, listening


class Clock:
    """A clock that only sleep moves on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_only_failing_checks_are_repeated() -> None:
    clock, asked = Clock(), list[str]()

    def ask(question: str) -> str | None:
        asked.append(question)
        return None if question == "right" or asked.count(question) == 3 else "wrong"

    assert poll_until_passing(["right", "late"], ask, 10, clock, clock.sleep) == {}
    assert sorted(asked) == ["late", "late", "late", "right"]
    assert clock.now == 2 * POLL_INTERVAL


def test_checks_that_still_fail_at_the_timeout_are_returned() -> None:
    clock = Clock()
    assert poll_until_passing(["a", "b"], lambda each: each == "a" and "no", 1, clock, clock.sleep) == {"a": "no"}
    assert clock.now == 1.0


def test_without_time_each_check_runs_once() -> None:
    clock, asked = Clock(), list[int]()

    def ask(question: int) -> str:
        asked.append(question)
        return "no"

    assert poll_until_passing(range(20), ask, 0, clock, clock.sleep) == dict.fromkeys(range(20), "no")
    assert (sorted(asked), clock.now) == ([*range(20)], 0.0)


def test_requests_to_the_cluster_end_with_the_timeout() -> None:
    clock, left = Clock(), list[float]()

    def ask(_: int) -> None:
        left.append(remaining(1000))

    for seconds in (100, 0):
        poll_until_passing([1], ask, seconds, clock, clock.sleep)
    assert [round(each) for each in left] == [100, ROUND_TIMEOUT]
    assert remaining(1000) == 1000


def test_outer_deadline_ends_polling() -> None:
    left: list[float] = []
    with deadline(10):
        for seconds in (100, 0):
            poll_until_passing([1], lambda _: left.append(remaining(1000)), seconds, time.monotonic, time.sleep)
    with deadline(0):
        began = time.monotonic()
        assert poll_until_passing([1], lambda _: "wrong", 1000, time.monotonic, time.sleep) == {1: "wrong"}
        assert time.monotonic() - began < 500
    assert [round(each) for each in left] == [10, 10]


def test_silent_api_server_does_not_delay_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each question may take longer than all of them may together, and more are asked than at once.
    patient = Limits(connect=SILENCE, read=SILENCE, call=SILENCE)
    over = Event()
    with listening(after_request(SILENCE)) as port:
        access = ClusterClient(None, kubeconfig(f"http://127.0.0.1:{port}"), patient)

        def ask(_: int) -> str | None:
            try:
                access.get(TRAIN_JOB)
            except ClusterReadError as error:
                return str(error)
            return None

        def all_asked() -> dict[int, str]:
            return poll_until_passing(range(3 * MAX_PARALLEL), ask, 0.3, time.monotonic, lambda _: over.set())

        monkeypatch.setattr("components.cluster.polling.ROUND_TIMEOUT", 0.3)
        found = run_within(FAR_TOO_LONG, all_asked)
    assert sorted(found) == [*range(3 * MAX_PARALLEL)]
    known = ("did not send a complete response within", "sent nothing for", "the 0.3 s timeout of this operation")
    assert all(any(words in each for words in known) for each in found.values())

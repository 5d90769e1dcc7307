"""How long may be asked, and what happens when that is over."""

import threading
from time import sleep

import pytest

from components.cluster.deadline import deadline, expired, remaining, run_within


def test_without_a_deadline_timeouts_are_unchanged() -> None:
    assert remaining(7) == 7


def test_deadline_shortens_inner_timeouts() -> None:
    with deadline(100):
        assert 99 < remaining(1000) <= 100
        assert remaining(7) == 7
        with deadline(1000):
            assert 99 < remaining(1000) <= 100
        with deadline(10):
            assert 9 < remaining(1000) <= 10
        assert 99 < remaining(1000) <= 100
    assert remaining(1000) == 1000


def test_expired_deadline_leaves_no_time() -> None:
    with deadline(0):
        assert remaining(7) == 0


def test_function_that_ends_in_time_returns_or_raises() -> None:
    assert run_within(10, lambda: 7) == 7
    assert run_within(10, lambda: None) is None
    with pytest.raises(KeyError, match="x"):
        run_within(10, lambda: dict[str, int]()["x"])


def test_function_that_does_not_end_in_time_is_abandoned() -> None:
    over = threading.Event()
    with pytest.raises(TimeoutError):
        run_within(0.01, over.wait)
    daemons = {each.daemon for each in threading.enumerate() if each.name == "cluster"}
    over.set()
    assert daemons == {True}


def test_timeout_error_of_the_function_is_passed_on() -> None:
    def late() -> None:
        sleep(0)
        raise TimeoutError("inside")

    with pytest.raises(TimeoutError, match="inside"):
        run_within(10, late)


def test_expired_deadline_returns_its_length() -> None:
    assert expired() is None
    with deadline(100):
        assert expired() is None
        with deadline(0):
            assert expired() == 0
            with deadline(7):
                assert expired() == 0
        assert expired() is None

"""A limit on the time of all requests inside a block."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")

OPERATION_TIMEOUT = 600.0
"""Seconds for all requests of one operation, such as a hook. The waiting time that the settings allow is added."""


@dataclass(frozen=True)
class _Deadline:
    ends: float
    """The end, in seconds of `time.monotonic`."""

    seconds: float
    """The length, for messages."""


_DEADLINE: ContextVar[_Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def deadline(seconds: float, total: float | None = None) -> Iterator[None]:
    """End all requests inside the block after this many seconds, or at an outer deadline if that is earlier.

    `total` is the length for messages, where the deadline began earlier. Default: `seconds`.
    """
    new, outer = _Deadline(time.monotonic() + seconds, seconds if total is None else total), _DEADLINE.get()
    token = _DEADLINE.set(outer if outer and outer.ends <= new.ends else new)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


@contextmanager
def default_deadline() -> Iterator[None]:
    """Set a deadline of OPERATION_TIMEOUT, unless there is one already."""
    if _DEADLINE.get():
        yield
        return
    with deadline(OPERATION_TIMEOUT):
        yield


def remaining(seconds: float) -> float:
    """The seconds that an operation may take: `seconds`, or less near the end of a deadline."""
    current = _DEADLINE.get()
    return seconds if current is None else max(0.0, min(seconds, current.ends - time.monotonic()))


def expired() -> float | None:
    """The length in seconds of the deadline that has passed. None: no deadline has passed."""
    current = _DEADLINE.get()
    return current.seconds if current and time.monotonic() >= current.ends else None


def run_within(seconds: float, function: Callable[[], Result]) -> Result:
    """Return or raise what `function` does. Raises TimeoutError if it takes longer.

    It runs in a thread, which is abandoned then: there is no other way to stop the lookup of a host name, or a server
    that sends one byte at a time. Daemon threads do not delay the end of the program.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, name="cluster", daemon=True)
    thread.start()
    thread.join(seconds)
    if results:
        return results[0]
    if errors:
        raise errors[0]
    raise TimeoutError

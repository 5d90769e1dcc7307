"""A limit on how long the cluster is asked, over everything that is asked inside of it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")

_ENDS: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """What is asked inside ends after so many seconds, or with a deadline around it that ends before."""
    token = _ENDS.set(time.monotonic() + remaining(seconds))
    try:
        yield
    finally:
        _ENDS.reset(token)


def remaining(seconds: float) -> float:
    """Seconds that something may take that is allowed `seconds` by itself: less near the end of a deadline."""
    ends = _ENDS.get()
    return seconds if ends is None else max(0.0, min(seconds, ends - time.monotonic()))


def run_within(seconds: float, function: Callable[[], Result]) -> Result:
    """What `function` returns or raises. Raises TimeoutError when that takes longer.

    It runs in a thread that is left to itself then: neither the look-up of a host name nor a server that sends one byte
    at a time can be stopped otherwise. Daemon threads do not hold up the end of the program.
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

"""A limit on the time of all requests inside a block."""

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
    """End all requests inside the block after this many seconds, or at an outer deadline if that is earlier."""
    token = _ENDS.set(time.monotonic() + remaining(seconds))
    try:
        yield
    finally:
        _ENDS.reset(token)


def remaining(seconds: float) -> float:
    """The seconds that an operation may take: `seconds`, or less near the end of a deadline."""
    ends = _ENDS.get()
    return seconds if ends is None else max(0.0, min(seconds, ends - time.monotonic()))


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

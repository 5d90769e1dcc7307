"""Hooks ask in threads of their own."""

import asyncio
import contextvars
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, TypeVar

import pytest

from components.cluster.deadline import OPERATION_TIMEOUT, deadline, remaining
from components.cluster.threads import run_in_thread

Result = TypeVar("Result")

SAID = contextvars.ContextVar("SAID", default="nothing")


def done(asked: Coroutine[Any, Any, Result]) -> Result:
    """Run in a loop that is nobody else's."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(asked)
    finally:
        loop.close()


def test_hooks_run_outside_the_event_loops_threads() -> None:
    answered = Event()

    async def run() -> bool:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        resource = loop.run_in_executor(None, answered.wait, 10)
        await run_in_thread(answered.set)
        return await resource

    assert done(run())


def test_thread_has_the_hooks_context_and_passes_on_exceptions() -> None:
    async def run() -> str:
        SAID.set("something")
        return await run_in_thread(SAID.get)

    assert done(run()) == "something"
    with pytest.raises(ZeroDivisionError):
        done(run_in_thread(divmod, 1, 0))


def test_requests_outside_of_hooks_have_a_deadline() -> None:
    assert round(done(run_in_thread(remaining, 10_000))) == OPERATION_TIMEOUT

    async def run() -> float:
        with deadline(7):
            return await run_in_thread(remaining, 10_000)

    assert 6 < done(run()) <= 7
    assert remaining(10_000) == 10_000

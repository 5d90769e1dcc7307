"""Hooks ask in threads of their own."""

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from components.hook_threads import in_a_thread

SAID = contextvars.ContextVar("SAID", default="nothing")


def test_a_hook_needs_none_of_the_threads_in_which_resources_wait_for_it() -> None:
    answered = Event()

    async def run() -> bool:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        resource = loop.run_in_executor(None, answered.wait, 10)
        await in_a_thread(answered.set)
        return await resource

    assert asyncio.run(run())


def test_it_runs_in_the_context_of_the_hook_and_raises_what_is_raised() -> None:
    async def run() -> str:
        SAID.set("something")
        return await in_a_thread(SAID.get)

    assert asyncio.run(run()) == "something"
    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_a_thread(divmod, 1, 0))

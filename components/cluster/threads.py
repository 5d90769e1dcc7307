"""The thread pool in which hooks call the cluster."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from .deadline import default_deadline

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_THREADS = ThreadPoolExecutor(8, "hook")


async def run_in_thread(
    function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Like `asyncio.to_thread`, but in a thread pool of our own, and with a deadline also outside of hooks.

    Each thread of the event loop's pool waits for the engine to register a resource, and the engine waits for the
    resource's hooks. With more resources than threads, a hook that needed one of these threads would never run (pulumi
    3.272: four times `--parallel`, automation/_server.py).
    """
    with default_deadline():
        context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_THREADS, lambda: context.run(function, *args, **kwargs))

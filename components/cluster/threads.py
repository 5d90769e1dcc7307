"""The threads in which hooks ask the cluster."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_THREADS = ThreadPoolExecutor(8, "hook")


async def run_in_thread(
    function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """As `asyncio.to_thread`, in a thread of our own.

    The event loop's threads wait for the engine, each with a resource that it registers, and the engine waits for the
    hooks of these resources: a hook that waited for one of these threads would wait for ever, as soon as there are more
    resources than threads (pulumi 3.272: four times `--parallel`, automation/_server.py).
    """
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_THREADS, lambda: context.run(function, *args, **kwargs))

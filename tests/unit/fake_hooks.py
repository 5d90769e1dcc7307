"""Hooks without an engine."""

import asyncio
from typing import Any


class Hook:
    """A hook that no engine knows."""

    def __init__(self, name: str, callback: Any, opts: Any = None) -> None:
        self.name, self.callback, self.opts = name, callback, opts


def run_hook(hook: Any, args: Any = None) -> None:
    """As the engine does. Raises what the hook does."""
    for error in filter(None, run_at_once(hook, args)):
        raise error


def run_at_once(hook: Any, *each: Any) -> list[BaseException | None]:
    """As the engine does for several resources at the same time, in a loop that is nobody else's. Returns what the hook
    raises for each."""

    async def run() -> list[BaseException | None]:
        return [*await asyncio.gather(*map(hook.callback, each), return_exceptions=True)]

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(run())
    finally:
        loop.close()

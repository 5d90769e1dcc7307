"""Hooks without an engine."""

import asyncio
from typing import Any


class Hook:
    """A hook that no engine knows."""

    def __init__(self, name: str, callback: Any, opts: Any = None) -> None:
        self.name, self.callback, self.opts = name, callback, opts


def run_hook(hook: Any, args: Any = None) -> None:
    """As the engine does, in a loop that is nobody else's."""
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(hook.callback(args))
    finally:
        loop.close()

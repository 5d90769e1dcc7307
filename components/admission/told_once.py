"""Failures that several hooks of a run share: the first hook reports them, the others refer to that."""

from collections.abc import Awaitable, Callable
from functools import wraps
from threading import Lock
from typing import ParamSpec

from ..cluster.hook_error import PreflightError
from ..validation.violation import Violation

Arguments = ParamSpec("Arguments")


class RepeatedFailureError(Exception):
    """A hook failed for a reason that another hook of the same run has reported."""

    def __init__(self) -> None:
        super().__init__("Stopped by a failure that another resource of this run reports in full.")


class ToldOnce:
    """Remembers what the hooks of a run have reported."""

    def __init__(self) -> None:
        self._told: set[str | Violation] = set()
        self._lock = Lock()

    def new(self, error: Exception) -> Exception:
        """The part of an error that was not reported before: the error itself, a PreflightError with the new
        violations, or a RepeatedFailureError."""
        with self._lock:
            parts = error.violations if isinstance(error, PreflightError) else (str(error),)
            left = [part for part in parts if part not in self._told]
            self._told.update(parts)
        if not left:
            return RepeatedFailureError()
        if isinstance(error, PreflightError):
            return PreflightError(
                error.violations if len(left) == len(parts) else [v for v in left if isinstance(v, Violation)]
            )
        return error

    def hook(self, function: Callable[Arguments, Awaitable[None]]) -> Callable[Arguments, Awaitable[None]]:
        """Wrap a hook's function so that it raises only what was not reported before."""

        @wraps(function)
        async def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
            try:
                await function(*args, **kwargs)
            except Exception as error:
                raise self.new(error) from None

        return run

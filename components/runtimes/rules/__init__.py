"""What the schema of the API can't say: one function a rule."""

from ...violation import Violation
from ..api import Runtime


def check(runtime: Runtime) -> tuple[Violation, ...]:
    """Everything that the rules find in a runtime."""
    del runtime
    return ()

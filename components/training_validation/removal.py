"""The check before a report is deleted."""

import pulumi

from ..cluster.context import StackContext
from ..cluster.ownership import ownership_hook


def removal_hook(name: str, stack_context: StackContext) -> pulumi.ResourceHook:
    """The hook that runs before a report is deleted: only the stack's own is. A program without a validation registers
    it too, because the engine finds it by its name."""
    return ownership_hook(f"{name}:own", stack_context, "validation", False)

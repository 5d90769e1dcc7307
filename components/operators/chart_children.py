"""The child resources of a chart, recorded as they are registered."""

from collections.abc import Collection, Mapping
from typing import Any

import pulumi

Child = tuple[str, str]
"""Type and name of a child of a chart."""


class ChartChildren:
    """The inputs of a chart's children, for the hooks that run before one of them is deleted."""

    def __init__(self) -> None:
        self._inputs: dict[Child, Mapping[str, Any]] = {}
        self.is_complete = False
        """Whether the engine has finished all of them: one that is deleted later is removed, not replaced."""

    def note(self, type_: str, name: str, inputs: Mapping[str, Any]) -> None:
        """Record a child that is being registered."""
        self._inputs[type_, name] = inputs

    @property
    def names(self) -> Collection[Child]:
        """Types and names of the recorded children."""
        return self._inputs.keys()

    def successor(self, args: pulumi.ResourceHookArgs) -> Mapping[str, Any] | None:
        """The manifest that replaces the object of a deletion. None: the object is removed."""
        return None if self.is_complete else self._inputs.get((args.type, args.name))

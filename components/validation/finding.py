"""What is wrong with a pool's spec, found by its own rules."""

from typing import NamedTuple

from .paths import FieldPath
from .violation import Severity


class Finding(NamedTuple):
    """One thing that is wrong. Those that stop are raised all at once when a spec is built."""

    rule: str
    """Id of the rule: `POOL-03`."""

    loc: FieldPath
    """Where below the spec, in the keys that the user writes: `("capacity", "name")`."""

    message: str
    """What is wrong with which value, and why."""

    fix: str
    """What to do about it."""

    severity: Severity = Severity.ERROR
    """Whether it stops."""

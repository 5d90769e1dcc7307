"""The type of rules for TrainJobs, and the list of all."""

from collections.abc import Callable, Iterator

from ...validation.violation import Severity, Violation
from ..rules.rule import BaseRule
from .pair import Pair

PairCheck = Callable[[Pair], Iterator[Violation]]


class PairRule(BaseRule[Pair]):
    """A rule for TrainJobs, for TrainJobs with their runtime, or with a pool of nodes too."""

    __slots__ = ()


PAIR_RULES: list[PairRule] = []
"""All rules for TrainJobs, in the order of their violations in reports."""


def pair_rule(*ids: str, severity: Severity = Severity.ERROR) -> Callable[[PairCheck], PairCheck]:
    """Registers a function as a rule for TrainJobs: `@pair_rule("TJC-01")`."""

    def register(check: PairCheck) -> PairCheck:
        PAIR_RULES.append(PairRule(ids, severity, check))
        return check

    return register

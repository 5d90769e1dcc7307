"""The type of rules, and the list of all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from inspect import cleandoc
from typing import Generic, TypeVar

from ...validation.printable import printable
from ...validation.violation import Severity, Violation
from .view import RuntimeView

Subject = TypeVar("Subject")
Check = Callable[[RuntimeView], Iterator[Violation]]


def violation(path: str, message: str, fix: str, severity: Severity = Severity.ERROR) -> Violation:
    """A violation as rules yield it; `Rule.violations` adds the id. WARNING marks a case that is less severe than the
    rule."""
    return Violation("", path, printable(message), fix, severity)


@dataclass(frozen=True, slots=True)
class BaseRule(Generic[Subject]):
    """A pure function that finds one kind of mistake. Its docstring has what it forbids, the reason and the source."""

    ids: tuple[str, ...]
    """Ids of the rule. Further ids are for the same mistake as other parts of the system report it."""

    severity: Severity
    check: Callable[[Subject], Iterator[Violation]]

    @property
    def id(self) -> str:
        """The id of its violations."""
        return self.ids[0]

    def violations(self, subject: Subject) -> Iterator[Violation]:
        """Yields the violations of a subject. For a rule with severity WARNING, all are warnings."""
        for found in self.check(subject):
            severity = found.severity if self.severity is Severity.ERROR else self.severity
            yield replace(found, rule=self.id, severity=severity)

    @property
    def summary(self) -> str:
        """What it forbids, in one sentence."""
        return self._doc[0]

    @property
    def reason(self) -> str:
        """The reason. Empty if it is obvious."""
        return self._rest.partition("Source: ")[0].strip()

    @property
    def source(self) -> str:
        """The source: files with their version."""
        return self._rest.partition("Source: ")[2]

    @property
    def _rest(self) -> str:
        return " ".join(" ".join(self._doc[1:]).split())

    @property
    def _doc(self) -> list[str]:
        return cleandoc(self.check.__doc__ or "").split("\n")


class Rule(BaseRule[RuntimeView]):
    """A rule for runtimes."""

    __slots__ = ()


RULES: list[Rule] = []
"""All rules, in the order of their violations in reports."""


def rule(*ids: str, severity: Severity = Severity.ERROR) -> Callable[[Check], Check]:
    """Registers a function as a rule: `@rule("JSW-01")`. Several functions can share the id of a kind of mistakes."""

    def register(check: Check) -> Check:
        RULES.append(Rule(ids, severity, check))
        return check

    return register

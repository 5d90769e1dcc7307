"""What a rule is, and all of them by id."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from inspect import cleandoc

from ...validation.printable import printable
from ...validation.violation import Severity, Violation
from .view import RuntimeView

Check = Callable[[RuntimeView], Iterator[Violation]]


def violation(path: str, message: str, fix: str, severity: Severity = Severity.ERROR) -> Violation:
    """What a rule yields; `Rule.violations` adds the id. WARNING is for a case that weighs less than the rule."""
    return Violation("", path, printable(message), fix, severity)


@dataclass(frozen=True, slots=True)
class Rule:
    """A pure function that finds one kind of mistake. Its docstring says what it forbids, why, and who says so."""

    ids: tuple[str, ...]
    """Its id; further ones are of the same mistake as another part of the system meets it."""

    severity: Severity
    check: Check

    @property
    def id(self) -> str:
        """The id that its violations carry."""
        return self.ids[0]

    def violations(self, view: RuntimeView) -> Iterator[Violation]:
        """Where a runtime breaks the rule. The violations of a rule with severity WARNING are all warnings."""
        for found in self.check(view):
            severity = found.severity if self.severity is Severity.ERROR else self.severity
            yield replace(found, rule=self.id, severity=severity)

    @property
    def summary(self) -> str:
        """What it forbids, in one line."""
        return self._doc[0]

    @property
    def reason(self) -> str:
        """Why; empty where that goes without saying."""
        return self._rest.partition("Source: ")[0].strip()

    @property
    def source(self) -> str:
        """Who says so: files with version."""
        return self._rest.partition("Source: ")[2]

    @property
    def _rest(self) -> str:
        return " ".join(" ".join(self._doc[1:]).split())

    @property
    def _doc(self) -> list[str]:
        return cleandoc(self.check.__doc__ or "").split("\n")


RULES: list[Rule] = []
"""Every rule, in the order in which their violations are told."""


def rule(*ids: str, severity: Severity = Severity.ERROR) -> Callable[[Check], Check]:
    """Makes a function a rule: `@rule("JSW-01")`. Several functions may share an id that names a kind of mistakes."""

    def register(check: Check) -> Check:
        RULES.append(Rule(ids, severity, check))
        return check

    return register

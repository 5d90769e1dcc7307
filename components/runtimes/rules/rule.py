"""What a rule is, and all of them by id."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import cleandoc
from typing import NamedTuple

from ...validation.violation import Severity
from .view import RuntimeView


class Finding(NamedTuple):
    """Where a runtime breaks a rule."""

    path: str
    """Where, as the author wrote it: `spec.template.spec.replicatedJobs[1].dependsOn[0].name`."""

    message: str
    """What is wrong with which value, and why."""

    fix: str
    """What to do about it."""

    severity: Severity | None = None
    """Set where this finding weighs more or less than the rule says."""


Check = Callable[[RuntimeView], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pure function that finds one kind of mistake. Its docstring says what it forbids, why, and who says so."""

    ids: tuple[str, ...]
    """Its id; further ones are of the same mistake as another part of the system meets it."""

    severity: Severity
    check: Check

    @property
    def id(self) -> str:
        """The id that its findings carry."""
        return self.ids[0]

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
"""Every rule, in the order in which their findings are told."""


def rule(*ids: str, severity: Severity = Severity.ERROR) -> Callable[[Check], Check]:
    """Makes a function a rule: `@rule("JSW-01")`. Several functions may share an id that names a kind of mistakes."""

    def register(check: Check) -> Check:
        RULES.append(Rule(ids, severity, check))
        return check

    return register

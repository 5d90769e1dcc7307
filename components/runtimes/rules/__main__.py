"""`python -m <package>.rules`: every rule as a page of documentation."""

from collections.abc import Iterable

from . import RULES, UPDATE_RULES
from .schema import SCHEMA_RULES

_INTRODUCTION = """\
# Rules for training runtimes

Everything that `ClusterTrainingRuntime` and `TrainingRuntime` are checked for, before anything is deployed. An
**error** stops the construction: TrainJobs of such a runtime are refused, fail, hang, or do something else than it
says. A **warning** is told by `runtime.check()`: it works, but not as it reads, or only under conditions that cannot
be seen in the runtime alone. Some rules are one or the other, as their text says.

The ids are those of the violations. They tell who meets the mistake, and when: the API server refuses what breaks a CTR
or UPD rule, Trainer's webhook what breaks WHR. TJC, REC, JSW and K8S wait for a TrainJob: it is refused, or never
becomes a JobSet, or that has no Jobs. SIL and RUN never say a word. SDK concerns the Python SDK alone. "Executed"
says that the real controllers were seen to do so.

Versions: Trainer v2.3.0, JobSet v0.12.0, Kubernetes v1.37.2, SDK 0.5.0. This page is made from the code: `python -m
components.runtimes.rules > docs/runtime-rules.md`.
"""

_UPDATES = """\
## Updates

A value that is there before and after must not differ; adding or removing the field is allowed. `update_violations`
finds them, and a runtime resource is replaced when one of these paths changes.
"""


def page() -> str:
    """The page, as Markdown."""
    rules = sorted(RULES, key=lambda rule: (rule.ids, rule.summary))
    of_rules = ((", ".join(r.ids), r.severity.value, r.summary, f"{r.reason} {r.source}".strip()) for r in rules)
    of_schema = ((rule_id, f"{rule.forbids}.", rule.source) for rule_id, rule in SCHEMA_RULES.items())
    sections = (
        _INTRODUCTION,
        "## Rules\n",
        _table(("Rule", "Severity", "Forbids", "Why, and who says so"), of_rules),
        "## The schema's rules\n\nAll are errors but YAML-03 and YAML-04, which warn.\n",
        _table(("Rule", "Forbids", "Who says so"), of_schema),
        _UPDATES,
        _table(("Rule", "Path"), ((rule_id, f"`{path}`") for rule_id, path in UPDATE_RULES.items())),
    )
    return "\n".join(sections)


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    columns = tuple(header)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (columns, ("---",) * len(columns), *rows))


if __name__ == "__main__":
    print(page(), end="")

"""`python -m <package>.rules`: every rule as a page of documentation."""

from collections.abc import Iterable

from . import RULES, UPDATE_RULES
from .schema import SCHEMA_RULES

_INTRODUCTION = """\
# Rules for training runtimes

These are all checks of `ClusterTrainingRuntime` and `TrainingRuntime`, made before anything is deployed.
An **error** rejects the runtime: its TrainJobs would be rejected, fail, hang, or not do what the runtime states.
A **warning** is returned by `runtime.check()`: the runtime works, but not as it appears to, or only under conditions \
that the runtime alone does not show.
Some rules can be either, as their text explains.

The prefix of an id shows where the mistake would surface without this check:

- CTR and UPD: the API server rejects the runtime.
- WHR: Trainer's webhook rejects the runtime.
- TJC, REC, JSW and K8S: the runtime is accepted, but a TrainJob is rejected, never becomes a JobSet, or its \
JobSet has no Jobs.
- SIL and RUN: nothing reports it.
- SDK: only the Python SDK is affected.

"Executed" means that the behavior was seen on the real controllers; everything else was read in the source.

Versions: Trainer v2.3.0, JobSet v0.12.0, Kubernetes v1.37.2, SDK 0.5.0.
This page is generated: `python -m components.runtimes.rules > docs/runtime-rules.md`.
"""

_UPDATES = """\
## Updates

These fields are immutable: a value that exists before and after an update must not change.
Adding or removing the field is allowed.
`update_violations` finds such changes, and a runtime resource is replaced when one of these paths changes.
"""


def page() -> str:
    """The page, as Markdown."""
    rules = sorted(RULES, key=lambda rule: (rule.ids, rule.summary))
    of_rules = ((", ".join(r.ids), r.severity.value, r.summary, f"{r.reason} {r.source}".strip()) for r in rules)
    of_schema = ((rule_id, f"{rule.forbids}.", rule.source) for rule_id, rule in SCHEMA_RULES.items())
    sections = (
        _INTRODUCTION,
        "## Rules\n",
        _table(("Rule", "Severity", "Forbids", "Reason and source"), of_rules),
        "## Rules of the schema\n\nAll are errors, except for the warnings YAML-03 and YAML-04.\n",
        _table(("Rule", "Forbids", "Source"), of_schema),
        _UPDATES,
        _table(("Rule", "Path"), ((rule_id, f"`{path}`") for rule_id, path in UPDATE_RULES.items())),
    )
    return "\n".join(sections)


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    columns = tuple(header)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (columns, ("---",) * len(columns), *rows))


if __name__ == "__main__":
    print(page(), end="")

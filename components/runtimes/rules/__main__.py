"""`python -m <package>.rules` prints the documentation page of all rules."""

from collections.abc import Iterable

from . import RULES, UPDATE_RULES
from .schema import SCHEMA_RULES

_INTRODUCTION = """\
# Rules for training runtimes

The linter, the catalogue and every stack check `ClusterTrainingRuntime` and `TrainingRuntime` against these \
rules before anything is deployed.

- An **error** rejects the runtime: its TrainJobs would be rejected, fail, hang, or do something other \
than the manifest says.
- A **warning** is returned by `runtime.check()`: the runtime works, but not as it reads, or only under \
conditions that the manifest alone does not show.
- Some rules can be either; their text says when.

The prefix of an id says where the mistake would show:

| prefix | where the mistake shows |
| --- | --- |
| CTR, UPD | The API server rejects the runtime, or its update. |
| WHR | Trainer's webhook rejects the runtime. |
| TJC, REC, JSW, K8S | The runtime is admitted. Its TrainJobs are rejected, never become a JobSet, or become a \
JobSet without Jobs. |
| SIL, RUN | Nothing reports the mistake. |
| SDK | Only the Python SDK is affected. |
| YAML | The file itself: it cannot be read, repeats a name, or contains a secret. |

"Executed" means that the real controllers were seen to behave this way.
Versions: Trainer v2.3.0, JobSet v0.12.0, Kubernetes v1.37.2, SDK 0.5.0.

Each id is an anchor of this page, for example `runtime-rules.md#ctr-36`.
The page is generated: `python -m components.runtimes.rules > docs/runtime-rules.md`.
"""

_UPDATES = """\
## Updates

The API server rejects a change of these fields if the field is present before and after the update.
Adding or removing the field is allowed.
`update_violations` reports such changes, and Pulumi replaces a runtime resource when one of these paths changes.
"""


def page() -> str:
    """The page, as Markdown."""
    rules = sorted(RULES, key=lambda rule: (rule.ids, rule.summary))
    anchored: set[str] = set()
    of_rules = (
        (_anchors(r.ids, anchored), r.severity.value, r.summary, f"{r.reason} {r.source}".strip()) for r in rules
    )
    of_schema = (
        (_anchors([rule_id], anchored), f"{rule.forbids}.", rule.source) for rule_id, rule in SCHEMA_RULES.items()
    )
    sections = (
        _INTRODUCTION,
        "## Rules\n",
        _table(("Rule", "Severity", "Forbids", "Reason and source"), of_rules),
        "## Rules of the schema\n\nAll of these are errors, except YAML-03 and YAML-04, which are warnings.\n",
        _table(("Rule", "Forbids", "Source"), of_schema),
        _UPDATES,
        _table(
            ("Rule", "Path"), ((_anchors([rule_id], anchored), f"`{path}`") for rule_id, path in UPDATE_RULES.items())
        ),
    )
    return "\n".join(sections)


def _anchors(rule_ids: Iterable[str], anchored: set[str]) -> str:
    """Anchors of rule ids for links, such as `#ctr-36`. An id in several rows has its anchor in the first one."""
    cells = []
    for rule_id in rule_ids:
        cells.append(rule_id if rule_id in anchored else f'<a id="{rule_id.lower()}"></a>{rule_id}')
        anchored.add(rule_id)
    return ", ".join(cells)


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    columns = tuple(header)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (columns, ("---",) * len(columns), *rows))


if __name__ == "__main__":
    print(page(), end="")

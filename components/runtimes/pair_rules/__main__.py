"""`python -m <package>.pair_rules` prints the documentation page of all rules for TrainJobs."""

from collections.abc import Iterable

from ..rules import RULES
from . import PAIR_RULES, TRAIN_JOB_UPDATE_RULES

NODE_RULES = ("PLC-06", "PLC-07")
"""Rules of `fit.check_fit`, which the page of node pools lists."""

_INTRODUCTION = """\
# Rules for TrainJobs

`check_train_job` checks a TrainJob against these rules: by itself, with its runtime, and with the nodes of a pool.

- An **error** means that the TrainJob is rejected, gets no pods, never starts, or is complete without training.
- A **warning** means that it trains, but not as it reads, or only under conditions that the manifests do not show.
- Some rules can be either; their text says when.

The prefix of an id says where the mistake shows.
[Rules for runtimes](runtime-rules.md) has the prefixes; PLC is for pods that do not fit the nodes of a pool.
A rule of the same id there is for the same mistake in a runtime.

"Executed" means that the real controllers were seen to behave this way.
`tests/e2e/test_pair_verdicts.py` compares the rules with Trainer 2.3.0.
Versions: Trainer v2.0.0, v2.2.0 and v2.3.0, each with the JobSet that it is built for, Kubernetes v1.37.2, SDK 0.5.0.

The page is generated: `python -m components.runtimes.pair_rules > docs/train-job-rules.md`.

## Rules
"""

_OTHERS = """\
## Rules of runtimes that are checked again

With a runtime, all rules of Kubernetes for runtimes that are errors are also checked in the JobSet that Trainer makes \
of the pair: K8S-02 to K8S-27, RUN-02, RUN-07, RUN-15 and RUN-16.
An error that the runtime does not have by itself is reported at the field of the TrainJob that causes it, for example \
a limit in `resourcesPerNode` that is less than the request of the runtime.

With a pool, PLC-01 to PLC-08 are checked for the pods that train or request GPUs: node selectors, kinds and numbers \
of GPUs, CPU and memory, network cards, number of nodes, architecture of images.

## Updates

`train_job_update_violations` reports the changes of an existing TrainJob that are rejected.
"""


def page() -> str:
    """The page, as Markdown."""
    anchored = {*(rule_id for rule in RULES for rule_id in rule.ids), *NODE_RULES}
    rules = sorted(PAIR_RULES, key=lambda rule: (rule.ids, rule.summary))
    rows = [(_ids(r.ids, anchored), r.severity.value, r.summary, f"{r.reason} {r.source}".strip()) for r in rules]
    updates = [(_ids([rule_id], anchored), text) for rule_id, text in TRAIN_JOB_UPDATE_RULES.items()]
    return "\n".join(
        (
            _INTRODUCTION,
            _table(("Rule", "Severity", "Forbids", "Reason and source"), rows),
            _OTHERS,
            _table(("Rule", "Reports"), updates),
        )
    )


def _ids(rule_ids: Iterable[str], anchored: set[str]) -> str:
    """The ids, each with its anchor. An id whose anchor is on another page has none."""
    cells = []
    for rule_id in rule_ids:
        cells.append(rule_id if rule_id in anchored else f'<a id="{rule_id.lower()}"></a>{rule_id}')
        anchored.add(rule_id)
    return ", ".join(cells)


def _table(header: tuple[str, ...], rows: Iterable[Iterable[str]]) -> str:
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (header, ("---",) * len(header), *rows))


if __name__ == "__main__":
    print(page(), end="")

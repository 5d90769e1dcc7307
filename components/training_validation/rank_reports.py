"""The lines that ranks write to the log: a mark and a JSON object."""

import json
from collections.abc import Iterable

from .observations import RankObservation

MARK = "training-validation-rank "
"""Start of a rank's report. mpirun may put its own tag in front of it."""

_TYPES: dict[str, tuple[type, ...]] = {
    "rank": (int,),
    "size": (int,),
    "host": (str,),
    "gpus": (int,),
    "total": (float, type(None)),
    "megabytes_per_second": (int, type(None)),
}

MAX_RANKS = 1_000_000
"""Number of ranks that a report may claim. What a log says is not trusted."""


def ranks_of(lines: Iterable[str]) -> tuple[RankObservation, ...]:
    """The reports in a log, by rank. Lines that are cut or mixed with other output are skipped.

    If a rank reported twice, because its launcher was restarted, the last report counts.
    """
    found = {each.rank: each for line in lines if (each := _parsed(line))}
    return tuple(found[rank] for rank in sorted(found))


def _parsed(line: str) -> RankObservation | None:
    _, mark, text = line.partition(MARK)
    try:
        report = json.loads(text) if mark else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(report, dict) or report.keys() != _TYPES.keys():
        return None
    if not all(type(report[name]) in types for name, types in _TYPES.items()):
        return None
    return RankObservation(**report) if 0 <= report["rank"] < report["size"] <= MAX_RANKS else None

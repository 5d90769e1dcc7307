"""Writes the tables of docs/benchmarks.md and its plot."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench import scaling
from bench.engine_cost import OPERATIONS
from bench.results import SUBJECTS, Measurement
from bench.timing import Panel, Results, Spread, table

FOLDER = Path("docs")
SECONDS = {"up": "s", "preview": "s", "destroy": "s"}
GROWING = {
    "program-runtimes": {"ms": "ms"},
    "program-pools": {"ms": "ms"},
    "runtimes": SECONDS,
    "pools": SECONDS,
}
"""The costs whose growth is shown, by subject, with their units."""
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def write(checking: str) -> None:
    """Write the tables of the latest results between the markers in docs/benchmarks.md, and the plot next to it."""
    measured = {subject: found for subject in SUBJECTS if (found := Measurement.last(subject))}
    file = FOLDER / "benchmarks.md"
    panels = _panels(measured)
    text = "\n\n".join((BEGIN, *_sections(measured, bool(panels), checking), END))
    file.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: text, file.read_text(), flags=re.DOTALL))
    if panels:
        from bench import plot  # nothing else needs matplotlib

        plot.draw(panels, FOLDER / "benchmarks.svg")


def _sections(measured: Mapping[str, Measurement], drawn: bool, checking: str) -> Iterator[str]:
    tables = {subject: found.tables for subject, found in measured.items()}
    if measured:
        yield f"{next(iter(measured.values())).machine}."
    if drawn:
        yield "![How costs grow with the number of runtimes](benchmarks.svg)"
    if "program-runtimes" in tables:
        yield "### The program"
        yield _program("runtimes", tables["program-runtimes"])
    if "program-pools" in tables:
        yield _program("GPU node pools", tables["program-pools"])
    if "platform" in tables:
        yield "### The engine, the local stack"
        yield _engine(dict.fromkeys([""], *tables["platform"].values()))
    if "runtimes" in tables:
        yield "### The engine, stacks of runtimes"
        yield _engine({f"{count} runtimes": found for count, found in tables["runtimes"].items()})
    if "pools" in tables:
        yield "### The engine, stacks of GPU node pools"
        yield _engine({f"{count} pools": found for count, found in tables["pools"].items()})
    yield "### Growth"
    yield _growth(tables)
    yield "### Checking"
    yield checking
    yield "### Twice"
    yield _reproducibility(measured)


def _program(things: str, by_count: Mapping[int, Results]) -> str:
    rows = []
    for count, found in by_count.items():
        bare, ours = found["bare"], found["ours"]
        beyond = Spread(tuple(max(0.0, ms - 200) for ms in ours["ms"].values)).over(bare["ms"])
        memory = ours["MiB"].over(bare["MiB"])
        time = (bare["ms"].text(0), ours["ms"].text(0), ours["ms"].over(bare["ms"]).text(2), f"{beyond.median:.2f}")
        mebibytes = (f"{bare['MiB'].median:.0f}", f"{ours['MiB'].median:.0f}", f"{memory.median:.2f}")
        rows.append((str(count), *time, *mebibytes))
    head = (things, "bare, ms", "ours, ms", "times bare", "without 0.2 s", "bare, MiB", "ours, MiB", "times bare")
    return table(head, *rows)


def _engine(tables: Mapping[str, Results]) -> str:
    subjects = list(dict.fromkeys(subject for found in tables.values() for subject in found))
    others = [each for each in subjects if each != "ours"]
    head = ["", *(f"{each}, s" for each in subjects), *(f"ours, times {each}" for each in others)]
    rows = []
    for what, found in tables.items():
        for operation in OPERATIONS:
            row = [f"{what}: {operation}".removeprefix(": ")]
            row += [found[each][operation].text(1) if operation in found[each] else "-" for each in subjects]
            row += [
                found["ours"][operation].over(found[each][operation]).text(2) if operation in found[each] else "-"
                for each in others
            ]
            rows.append(tuple(row))
    return table(tuple(head), *rows)


def _growth(tables: Mapping[str, dict[int, Results]]) -> str:
    costs: dict[str, Mapping[int, Spread]] = {}
    for subject, by_count in tables.items():
        for number, unit in GROWING.get(subject, {}).items():
            what = f"{subject}: {'time' if number == unit else number} of"
            costs |= {f"{what} {who}, {unit}": _of(by_count, who, number) for who in ("bare", "ours")}
    rows = []
    for what, cost in costs.items():
        digits = 2 if what.endswith("ms") else 3
        more = ", ".join(f"{each:.{digits}f} ({a} to {b})" for (a, b), each in scaling.marginal_costs(cost).items())
        rows.append((what, f"{scaling.exponent(cost):.2f}", more))
    return table(("cost", "grows with the power", "each one more"), *rows)


def _of(by_count: Mapping[int, Results], subject: str, number: str) -> dict[int, Spread]:
    return {count: found[subject][number] for count, found in by_count.items()}


def _reproducibility(measured: Mapping[str, Measurement]) -> str:
    earlier: dict[str, float] = {}
    now: dict[str, float] = {}
    for subject, found in measured.items():
        if before := Measurement.last(subject, before=True):
            earlier |= dict(before.ratios())
            now |= dict(found.ratios())
    both = [where for where in now if where in earlier]
    unlike = [where for where in both if not _alike(earlier[where], now[where])]
    other = [f"{where} ({now[where]:.2f}, there {earlier[where]:.2f})" for where in unlike]
    alike = len(both) - len(other)
    text = f"Of {len(both)} ratios to the bare program {alike} were on the same side of 1 in another run"
    return f"{text}; not: {'; '.join(other)}." if other else f"{text}."


def _alike(earlier: float, now: float) -> bool:
    """Whether both are on the same side of 1. Values that differ by less than 0.1 count as alike."""
    return (earlier > 1) == (now > 1) or abs(earlier - now) < 0.1


def _panels(measured: Mapping[str, Measurement]) -> dict[str, Panel]:
    panels: dict[str, Panel] = {}
    if "program-runtimes" in measured:
        panels["the program, ms"] = _lines(measured["program-runtimes"].tables, "ms")
    if "runtimes" in measured:
        panels["first up, s"] = _lines(measured["runtimes"].tables, "up")
        panels["preview of no change, s"] = _lines(measured["runtimes"].tables, "preview")
    return panels


def _lines(tables: Mapping[int, Results], number: str) -> Panel:
    subjects = next(iter(tables.values()))
    return {who: _of(tables, who, number) for who in subjects if number in subjects[who]}

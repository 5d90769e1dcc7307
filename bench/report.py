"""The measured part of docs/benchmarks.md, and its plot."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench import growth, plot
from bench.engine import OPERATIONS
from bench.measure import Spread, table
from bench.measurements import Found, Measurements

FOLDER = Path("docs")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def write(measured: Measurements, before: Measurements | None, checking: str) -> None:
    """Put the tables between the marks of docs/benchmarks.md, and the plot beside it."""
    file = FOLDER / "benchmarks.md"
    text = "\n\n".join((BEGIN, *_sections(measured, before, checking), END))
    content = re.sub(f"{BEGIN}.*{END}", lambda _: text, file.read_text(), flags=re.DOTALL)
    file.write_text(content)
    plot.draw(_panels(measured), FOLDER / "benchmarks.svg")


def _sections(measured: Measurements, before: Measurements | None, checking: str) -> Iterator[str]:
    yield f"{measured.machine}."
    yield "![How costs grow with the number of runtimes](benchmarks.svg)"
    yield "### The program"
    yield _program("runtimes", measured.program_runtimes)
    yield _program("GPU node pools", measured.program_pools)
    yield "### The engine, the local stack"
    yield _engine({"": measured.platform})
    yield "### The engine, stacks of runtimes"
    yield _engine({f"{count} runtimes": found for count, found in measured.engine_runtimes.items()})
    yield "### The engine, stacks of GPU node pools"
    yield _engine({f"{count} pools": found for count, found in measured.engine_pools.items()})
    yield "### Growth"
    yield _growth(measured)
    yield "### Checking"
    yield checking
    yield "### Twice"
    yield _twice(measured, before)


def _program(things: str, by_count: Mapping[int, Found]) -> str:
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


def _engine(tables: Mapping[str, Found]) -> str:
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


def _growth(measured: Measurements) -> str:
    costs: dict[str, Mapping[int, Spread]] = {}
    for things, by_count in (("runtimes", measured.program_runtimes), ("pools", measured.program_pools)):
        costs |= {f"program, {things}, {who}, ms": _of(by_count, who, "ms") for who in ("bare", "ours")}
    for things, by_count in (("runtimes", measured.engine_runtimes), ("pools", measured.engine_pools)):
        for operation in ("up", "preview", "destroy"):
            costs |= {f"{operation}, {things}, {who}, s": _of(by_count, who, operation) for who in ("bare", "ours")}
    rows = []
    for what, cost in costs.items():
        digits = 2 if what.endswith("ms") else 3
        more = ", ".join(f"{each:.{digits}f} ({a} to {b})" for (a, b), each in growth.each_more(cost).items())
        rows.append((what, f"{growth.exponent(cost):.2f}", more))
    return table(("cost", "grows with the power", "each one more"), *rows)


def _of(by_count: Mapping[int, Found], subject: str, number: str) -> dict[int, Spread]:
    return {count: found[subject][number] for count, found in by_count.items()}


def _twice(measured: Measurements, before: Measurements | None) -> str:
    if before is None:
        return "There was no run before this one."
    earlier, now = dict(before.ratios()), dict(measured.ratios())
    both = [where for where in now if where in earlier]
    same = [where for where in both if _alike(earlier[where], now[where])]
    other = [f"{where} ({earlier[where]:.2f}, then {now[where]:.2f})" for where in both if where not in same]
    text = (
        f"Of {len(both)} ratios to the bare program {len(same)} are on the same side of 1 as in the run before this one"
    )
    return f"{text}; not: {'; '.join(other)}." if other else f"{text}."


def _alike(earlier: float, now: float) -> bool:
    """Whether both are on the same side of 1. Those that nearly are 1 may be on either."""
    return (earlier > 1) == (now > 1) or abs(earlier - now) < 0.1


def _panels(measured: Measurements) -> dict[str, plot.Panel]:
    engine = measured.engine_runtimes
    return {
        "the program, ms": {who: _of(measured.program_runtimes, who, "ms") for who in ("bare", "ours")},
        "first up, s": {who: _of(engine, who, "up") for who in ("bare", "ours", "kubectl")},
        "preview of no change, s": {who: _of(engine, who, "preview") for who in ("bare", "ours", "kubectl")},
    }

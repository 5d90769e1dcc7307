"""What benchmarks make of their measurements."""

from functools import partial
from pathlib import Path

import pytest

from bench import report, results, scaling
from bench.engine_cost import OPERATIONS
from bench.results import Measurement
from bench.timing import Spread, measure_round_robin


def test_each_round_starts_with_another_subject_and_the_first_round_is_discarded() -> None:
    asked: list[str] = []

    def subject(name: str) -> dict[str, float]:
        asked.append(name)
        return {"ms": float(len(asked))}

    found = measure_round_robin({name: partial(subject, name) for name in ("bare", "ours")}, rounds=2)
    assert asked == ["bare", "ours", "ours", "bare", "bare", "ours"]
    assert found == {"bare": {"ms": Spread((4.0, 5.0))}, "ours": {"ms": Spread((3.0, 6.0))}}


def test_ratios_are_of_the_same_round() -> None:
    assert Spread((2.0, 30.0)).over(Spread((1.0, 10.0))) == Spread((2.0, 3.0))
    assert Spread((3.0, 1.0, 2.0)).text(1) == "2.0 (1.0 to 3.0)"


def test_growth_is_reported_as_exponent_and_marginal_costs() -> None:
    linear = {number: Spread((3.0 * number,)) for number in (1, 10, 100)}
    quadratic = {number: Spread((float(number**2),)) for number in (1, 10, 100)}
    assert round(scaling.exponent(linear), 6) == 1
    assert round(scaling.exponent(quadratic), 6) == 2
    assert scaling.marginal_costs(linear) == {(1, 10): 3, (10, 100): 3}
    assert scaling.marginal_costs(quadratic) == {(1, 10): 11, (10, 100): 110}


@pytest.mark.parametrize("subject", [None, "platform", "pools"])
def test_a_page_is_written_whatever_is_measured(
    subject: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    monkeypatch.setattr(report, "FOLDER", tmp_path)
    page = tmp_path / "benchmarks.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    if subject:
        costs = {operation: Spread((2.0,)) for operation in OPERATIONS}
        found = {count: {"bare": costs, "ours": costs} for count in ((2,) if subject == "platform" else (5, 15))}
        Measurement(subject, "a machine", found).write(tmp_path / f"{subject}.json")
    report.write("checked")
    written = page.read_text()
    assert written.startswith("before\n")
    assert written.endswith("after\n")
    assert "old" not in written
    assert "checked" in written
    assert ("a machine." in written) == bool(subject)
    assert ("| 2.0 (2.0 to 2.0) | 2.0 (2.0 to 2.0) | 1.00 (1.00 to 1.00) |" in written) == bool(subject)
    assert not (tmp_path / "benchmarks.svg").exists()

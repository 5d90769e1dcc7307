"""What benchmarks make of their measurements."""

from functools import partial
from pathlib import Path

from bench import growth
from bench.measure import Spread, interleaved
from bench.measurements import Measurements


def test_a_round_measures_each_subject_once_and_the_first_round_is_thrown_away() -> None:
    asked: list[str] = []

    def subject(name: str) -> dict[str, float]:
        asked.append(name)
        return {"ms": float(len(asked))}

    found = interleaved({name: partial(subject, name) for name in ("bare", "ours")}, rounds=2)
    assert asked == ["bare", "ours"] * 3
    assert found == {"bare": {"ms": Spread((3.0, 5.0))}, "ours": {"ms": Spread((4.0, 6.0))}}


def test_ratios_are_of_the_same_round() -> None:
    assert Spread((2.0, 30.0)).over(Spread((1.0, 10.0))) == Spread((2.0, 3.0))
    assert Spread((3.0, 1.0, 2.0)).text(1) == "2.0 (1.0 to 3.0)"


def test_growth_is_told_by_its_power_and_by_what_each_one_more_costs() -> None:
    linear = {number: Spread((3.0 * number,)) for number in (1, 10, 100)}
    quadratic = {number: Spread((float(number**2),)) for number in (1, 10, 100)}
    assert round(growth.exponent(linear), 6) == 1
    assert round(growth.exponent(quadratic), 6) == 2
    assert growth.each_more(linear) == {(1, 10): 3, (10, 100): 3}
    assert growth.each_more(quadratic) == {(1, 10): 11, (10, 100): 110}


def test_measurements_are_read_as_they_were_written(tmp_path: Path) -> None:
    found = {"bare": {"up": Spread((1.0, 2.0))}, "ours": {"up": Spread((1.5, 2.0))}}
    measured = Measurements("a machine", {1: found}, {2: found}, found, {20: found}, {5: found})
    measured.write(tmp_path / "last.json")
    assert Measurements.read(tmp_path / "last.json") == measured
    assert dict(measured.ratios()) == {
        "platform, ours, up": 1.25,
        "program_runtimes 1, ours, up": 1.25,
        "program_pools 2, ours, up": 1.25,
        "engine_runtimes 20, ours, up": 1.25,
        "engine_pools 5, ours, up": 1.25,
    }

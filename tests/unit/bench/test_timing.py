"""Measurements in rounds, and their spread."""

from collections.abc import Mapping

from bench.timing import Spread, measure_round_robin, table


def test_spread_has_a_median_and_its_limits() -> None:
    spread = Spread((3.0, 1.0, 2.25))
    assert spread.median == 2.25
    assert spread.text(1) == "2.2 (1.0 to 3.0)"


def test_ratios_are_those_of_each_round() -> None:
    assert Spread((4.0, 9.0)).over(Spread((2.0, 3.0))) == Spread((2.0, 3.0))


def test_each_round_begins_with_another_subject_and_warmup_rounds_are_discarded() -> None:
    calls: list[str] = []

    def measure(name: str) -> Mapping[str, float]:
        calls.append(name)
        return {"ms": len(calls)}

    subjects = {name: lambda name=name: measure(name) for name in ("a", "b")}
    results = measure_round_robin(subjects, rounds=2)
    assert calls == ["a", "b", "b", "a", "a", "b"]
    assert results == {"a": {"ms": Spread((4, 5))}, "b": {"ms": Spread((3, 6))}}


def test_table_has_a_header() -> None:
    assert table(("a", "b"), ("1", "2")) == "| a | b |\n| --- | --- |\n| 1 | 2 |"

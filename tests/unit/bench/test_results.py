"""The measurements, as they are written and read."""

from pathlib import Path

import pytest

from bench import results
from bench.results import Measurement
from bench.timing import Spread


def test_a_measurement_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = {"bare": {"up": Spread((1.0, 2.0))}, "ours": {"up": Spread((1.5, 2.0)), "preview": Spread((1.0, 1.0))}}
    measured = Measurement("runtimes", "a machine", {20: found})
    measured.write(tmp_path / "last.json")
    assert Measurement.read(tmp_path / "last.json") == measured
    assert dict(measured.ratios()) == {"runtimes 20, ours, up": 1.25}


def test_the_run_before_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path / "bench")
    monkeypatch.setattr(results, "SUBJECTS", {"pools": lambda rounds: {rounds: {}}})
    assert Measurement.last("pools") is None
    for rounds in (1, 2):
        Measurement.run("pools", rounds)
    tables = [found.tables for found in (Measurement.last("pools", before=True), Measurement.last("pools")) if found]
    assert tables == [{1: {}}, {2: {}}]

"""Rare fields, with and without the package that knows them."""

import sys

import pytest

from components.k8s.volumes import Volume
from components.runtimes import InvalidRuntimeError


def test_a_rare_field_names_the_extra_if_its_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kubeflow_trainer_api", None)

    with pytest.raises(InvalidRuntimeError) as caught:
        Volume(name="a", flocker={"datasetName": "b"})
    (violation,) = caught.value.violations
    assert (violation.rule, violation.path) == ("CTR-38", "flocker")
    assert violation.fix == "Run: pip install -r requirements.txt"
    assert Volume(name="a", empty_dir={}).name == "a"  # type: ignore[arg-type] # mappings are taken as well

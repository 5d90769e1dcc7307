"""Charts are upstream's, but for what upstream's own release process sets."""

import filecmp
from pathlib import Path

import pytest
import yaml

from tools import go_build
from tools.local_cluster import charts, operators

JOBSET, TRAINER = operators.DEFAULT


@pytest.fixture(params=operators.DEFAULT, ids=lambda operator: operator.release)
def unpacked(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Path, operators.Operator]:
    operator: operators.Operator = request.param
    monkeypatch.setattr(operators, "CHARTS", tmp_path)
    charts.unpack(operator)
    source = go_build.module_folder(operator.go_module, operator.module) / "charts" / operator.release
    return source, operator.chart, operator


def files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def test_no_file_differs_from_the_modules_but_the_values_and_version(
    unpacked: tuple[Path, Path, operators.Operator],
) -> None:
    source, chart, operator = unpacked
    bundled = {name for name in files(chart) if name.startswith("charts/")}
    assert files(chart) - bundled == files(source)
    _, differ, _ = filecmp.cmpfiles(source, chart, files(source), shallow=False)
    assert set(differ) == ({"values.yaml", "Chart.yaml"} if operator is JOBSET else set())
    assert {name.split("/")[1] for name in bundled} == (set() if operator is JOBSET else {"jobset", "lws"})


def test_version_and_image_are_those_of_the_release(unpacked: tuple[Path, Path, operators.Operator]) -> None:
    source, chart, operator = unpacked
    assert yaml.safe_load((chart / "Chart.yaml").read_text())["version"] == operator.version
    before, after = (yaml.safe_load((folder / "values.yaml").read_text()) for folder in (source, chart))
    if operator is JOBSET:
        released = {"repository": operator.image, "tag": f"v{operator.version}", "pullPolicy": "IfNotPresent"}
        assert after == {**before, "image": {**before["image"], **released}}
    else:
        assert after == before


def test_dependencies_have_the_versions_that_the_chart_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "CHARTS", tmp_path)
    charts.unpack(TRAINER)
    named = yaml.safe_load((TRAINER.chart / "Chart.yaml").read_text())["dependencies"]
    for dependency in named:
        bundled = yaml.safe_load((TRAINER.chart / "charts" / dependency["name"] / "Chart.yaml").read_text())
        assert (bundled["name"], bundled["version"]) == (dependency["name"], dependency["version"])


def test_chart_that_is_there_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "CHARTS", tmp_path)
    JOBSET.chart.mkdir()
    charts.unpack(JOBSET)
    assert files(JOBSET.chart) == set()


def test_tools_hold_no_template_of_an_operators_object() -> None:
    tools = Path(charts.__file__).parent
    texts = [file.read_text(errors="replace") for file in tools.rglob("*") if file.is_file() and file.suffix != ".sum"]
    assert not [text for text in texts if "kind: ValidatingWebhookConfiguration" in text or "kind: Deployment" in text]

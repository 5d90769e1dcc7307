"""Charts in folders of the project."""

from pathlib import Path

import pytest

from components.jobset import JobSetOperatorSpec
from stacks.checks.local_chart import check_local_chart


def found(chart: str, require_local_state: bool = True) -> list[tuple[str, str, str, str]]:
    spec = JobSetOperatorSpec(chart=chart, version="0.8.2")
    return [
        (each.rule, each.path, each.message, each.fix)
        for each in check_local_chart("jobset", spec, require_local_state)
    ]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a chart, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chart").mkdir()
    return tmp_path / "chart"


def test_local_chart_of_the_configured_version_is_accepted(folder: Path) -> None:
    (folder / "Chart.yaml").write_text("version: 0.8.2\n")
    assert found("chart") == []


@pytest.mark.parametrize(("version", "shown"), [("0.9.0", '"0.9.0"'), ("1.0", "1.0")])
def test_other_version_is_rejected(version: str, shown: str, folder: Path) -> None:
    (folder / "Chart.yaml").write_text(f"version: {version}\n")
    message = f"The chart in chart has version {shown}, not 0.8.2."
    assert found("chart") == [("STK-06", "jobset.version", message, f"Set {shown}, or change the chart.")]


@pytest.mark.parametrize("content", [None, b"", b"name: jobset\n", b"[]\n", b"version: \xff\n"])
def test_folder_without_a_version_has_no_chart(content: bytes | None, folder: Path) -> None:
    if content is not None:
        (folder / "Chart.yaml").write_bytes(content)
    fix = "Use `oci://` and the path in a registry, or a folder with a Chart.yaml, relative to the project's."
    assert found("chart") == [("STK-06", "jobset.chart", "No chart is in folder chart.", fix)]


def test_unreadable_chart_is_reported_with_its_line(folder: Path) -> None:
    (folder / "Chart.yaml").write_text("name: jobset\nversion: [\n")
    ((rule, path, message, _),) = found("chart")
    assert (rule, path) == ("STK-06", "jobset.chart")
    assert message.startswith("chart/Chart.yaml cannot be read: line 3: ")


def test_chart_that_make_up_creates_is_required_only_where_its_state_is() -> None:
    message = "No chart is in folder .local/charts/jobset."
    assert found(".local/charts/jobset") == [("STK-06", "jobset.chart", message, "Run `make up` to create it.")]
    assert found(".local/charts/jobset", require_local_state=False) == []
    assert len(found("charts/jobset", require_local_state=False)) == 1


def test_chart_that_make_up_created_is_checked(folder: Path) -> None:
    made = folder.parent / ".local" / "jobset"
    made.mkdir(parents=True)
    (made / "Chart.yaml").write_text("version: 0.9.0\n")
    assert [path for _, path, *_ in found(".local/jobset", require_local_state=False)] == ["jobset.version"]

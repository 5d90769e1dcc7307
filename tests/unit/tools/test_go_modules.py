"""Folders of upstream's Go modules: what is pinned is found, anything else is an error that says why."""

from pathlib import Path

import pytest

from tools import go_modules
from tools.go_modules import ModuleDownloadError, module_dir


def test_a_pinned_module_is_found_with_upstreams_chart() -> None:
    folder = module_dir("sigs.k8s.io/jobset", "0.12.0")
    assert (folder / "charts" / "jobset" / "Chart.yaml").is_file()
    assert module_dir("sigs.k8s.io/jobset", "v0.12.0") == folder


def test_a_version_that_is_not_pinned_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "go.mod").write_text("module example.com/pins\n")
    (tmp_path / "go.sum").write_text("sigs.k8s.io/jobset v0.11.1 h1:other=\n")
    monkeypatch.setattr(go_modules, "UPSTREAM", tmp_path)
    with pytest.raises(ModuleDownloadError, match=r"jobset@v0\.12\.0 is not pinned"):
        module_dir.__wrapped__("sigs.k8s.io/jobset", "v0.12.0")


def test_another_checksum_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "go.mod").write_text("module example.com/pins\n")
    (tmp_path / "go.sum").write_text("sigs.k8s.io/jobset v0.12.0 h1:0000000000000000000000000000000000000000000=\n")
    monkeypatch.setattr(go_modules, "UPSTREAM", tmp_path)
    with pytest.raises(ModuleDownloadError, match="checksum"):
        module_dir.__wrapped__("sigs.k8s.io/jobset", "v0.12.0")

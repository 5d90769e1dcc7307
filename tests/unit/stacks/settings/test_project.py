"""The Pulumi project of the stacks."""

from pathlib import Path

import pytest

from stacks.settings.project import project_folder, project_name

ROOT = Path(__file__).parent.parent.parent.parent.parent


def test_name_is_that_of_the_file_in_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: mine\nruntime: python\n")
    monkeypatch.chdir(tmp_path)
    assert project_name() == "mine"


def test_folder_is_the_nearest_one_with_the_file_or_that_of_this_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert project_folder() == ROOT
    (tmp_path / "Pulumi.yaml").touch()
    assert project_folder() == tmp_path
    (tmp_path / "a" / "Pulumi.yaml").touch()
    assert project_folder() == tmp_path / "a"

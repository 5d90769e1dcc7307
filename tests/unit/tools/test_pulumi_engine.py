"""What is shown of the engine's output, and what an official one is asked for."""

import os
from pathlib import Path

import pytest

from tools import STATE, pulumi_engine
from tools.pulumi_engine import is_first_occurrence

STACK = "    pulumi:pulumi:Stack training-platform-local running"
FROM_PATH = "warning: using pulumi-resource-kubernetes from $PATH at .local/bin/pulumi-resource-kubernetes"
VERSION = "warning: resource plugin kubernetes is expected to have version >=4.34.2, but has 4.25.0"


def test_provider_warnings_are_shown_once() -> None:
    said: set[str] = set()
    lines = ["Updating (local):", f"{STACK} {FROM_PATH}", "", f"{STACK} {VERSION}", FROM_PATH, VERSION, "", "Outputs:"]
    assert [line for line in lines if is_first_occurrence(line, said)] == [*lines[:4], "", "Outputs:"]


@pytest.mark.parametrize(
    ("operation", "stack", "asked"),
    [
        ("preview", "local", []),
        ("up", "local", ["--yes"]),
        ("refresh", "local", ["--yes", "--clear-pending-creates"]),
        ("refresh", "layers-team", ["--yes"]),
        ("destroy", "local", ["--yes", "--run-program"]),
        ("destroy", "layers-team", ["--yes", "--run-program"]),
    ],
)
def test_official_engine_gets_the_options_of_destroy_and_refresh(
    operation: str, stack: str, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    official, log = tmp_path / "pulumi", tmp_path / "log"
    official.write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
    official.chmod(0o755)
    monkeypatch.setattr(pulumi_engine, "STATE", tmp_path / "state")
    monkeypatch.setattr(pulumi_engine, "LOCAL", tmp_path)
    monkeypatch.setattr("tools.go_build.official_engine", lambda: official)
    monkeypatch.chdir(tmp_path)
    pulumi_engine.run(operation, stack, confirmed=True)
    assert log.read_text().splitlines() == [
        f"stack select --create {stack}",
        " ".join([operation, "--stack", stack, "--non-interactive", *asked]),
    ]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x"}', '{"pid": 4194304}', "null"])
def test_lock_of_an_engine_that_is_gone_or_that_is_damaged_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    monkeypatch.setattr(pulumi_engine, "STATE", tmp_path)
    lock = tmp_path / ".pulumi/locks/organization/training-platform/local/1.json"
    lock.parent.mkdir(parents=True)
    lock.write_text(content)
    assert pulumi_engine.unlock("local")
    assert not lock.exists()


def test_folder_with_credentials_is_deleted_at_the_end_or_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulumi_engine, "LOCAL", tmp_path)
    left, of_others = tmp_path / "scratch-4194304-a", tmp_path / f"scratch-{os.getpid()}-b"
    for folder in (left, of_others):
        folder.mkdir()
        (folder / "kubeconfig").write_text("token")
    with pulumi_engine._temporary_directory() as scratch:
        assert Path(scratch).stat().st_mode & 0o777 == 0o700
        assert not left.exists()
        assert of_others.exists()
    assert not Path(scratch).exists()


def test_pid_of_another_program_holds_no_lock() -> None:
    assert not pulumi_engine.is_engine(os.getpid())
    assert not pulumi_engine.is_engine(4194304)


def test_state_of_the_local_stack_has_no_file_that_a_killed_engine_leaves_damaged() -> None:
    url = pulumi_engine.environment("local")["PULUMI_BACKEND_URL"]
    assert url == f"file://{STATE}?metadata=skip"
    assert pulumi_engine.environment("dev") == {}

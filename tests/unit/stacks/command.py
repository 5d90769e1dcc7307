"""`python -m stacks` as a person runs it."""

import sys

import pytest

from stacks.__main__ import main


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    """The exit code of the command, and what it prints to each stream."""
    monkeypatch.setattr(sys, "argv", ["stacks", *words])
    code = main()
    return code, *capsys.readouterr()

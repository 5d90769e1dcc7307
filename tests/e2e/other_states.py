"""Several stacks in one state."""

import pytest

from .conftest import Platform


def use_state_of(project: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    """The team's stack is kept where the local stack is, so that it can refer to it."""
    monkeypatch.setenv("PULUMI_BACKEND_URL", f"file://{project.project}/.local/state")
    monkeypatch.setenv("PULUMI_HOME", f"{project.project}/.local/pulumi")
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "local")

"""Where the pinned upstream facts and cases are that some tests compare with."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parent.parent.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `../shared` beside the checkout: upstream's manifests, and cases with the real system's verdict."""
    if not SHARED.is_dir():
        pytest.skip(f"NOT COMPARED WITH UPSTREAM: {SHARED} does not exist")
    return SHARED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not SHARED.is_dir():
        terminalreporter.section("upstream data is missing", sep="!", red=True)
        terminalreporter.line(f"{SHARED} does not exist: every test that compares with upstream was skipped.")

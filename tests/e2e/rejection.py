"""Commands that must be rejected."""

from .conftest import Platform


def refused(platform: Platform, command: str, *said: str) -> None:
    done = platform.run(command)
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stdout
    for words in said:
        assert words in done.stdout, done.stdout

"""Commands that never end by themselves."""

import pytest

from components.k8s.containers import Container
from components.runtimes.rules.endless_commands import runs_endlessly
from components.runtimes.rules.view import LocatedContainer


def container(*command: str) -> LocatedContainer:
    return LocatedContainer("containers[0]", Container(name="main", command=command[:1], args=command[1:]), init=False)


@pytest.mark.parametrize(
    "command",
    [
        ["/usr/sbin/sshd", "-De", "-f", "/home/mpiuser/.sshd_config"],
        ["sshd", "-D"],
        ["sleep", "infinity"],
        ["tail", "-f", "/dev/null"],
        ["tail", "--follow=name", "/var/log/a"],
        ["sh", "-c", "sleep infinity"],
        ["/bin/bash", "-lc", "setup && exec /usr/sbin/sshd -D"],
        ["bash", "-ec", "setup\ntail -F log"],
    ],
)
def test_endless_commands_are_recognized(command: list[str]) -> None:
    assert runs_endlessly(container(*command))


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["sshd"],
        ["sleep", "60"],
        ["tail", "-n", "1", "file"],
        ["sh", "-c", "sshd -D & wait-for-launcher"],
        ["sh", "-c", "timeout 60 sleep infinity"],
        ["sh", "-c", "while sleep 1; do test -e /done && exit; done"],
        ["sh", "-c", "echo 'sleep infinity"],
        ["sh", "run.sh", "sleep", "infinity"],
        ["python", "train.py"],
    ],
)
def test_commands_that_may_end_are_not_endless(command: list[str]) -> None:
    assert not runs_endlessly(container(*command))

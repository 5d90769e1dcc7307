"""What rules are made of: grammars, quantities, commands that never end."""

from decimal import Decimal

import pytest

from components.k8s.containers import Container
from components.k8s.grammars import DNS_LABEL, DOMAIN_PATH, PORT_NAME, QUALIFIED_NAME, NameFormat
from components.k8s.quantities import amount
from components.runtimes.rules.endless_commands import runs_endlessly
from components.runtimes.rules.view import LocatedContainer


@pytest.mark.parametrize(
    ("grammar", "good", "bad"),
    [
        (DNS_LABEL, ["a", "1-a", "a" * 63], ["", "-a", "a-", "a.b", "A", "a" * 64, "a\n"]),
        (
            QUALIFIED_NAME,
            ["a", "A.b_c-d", "acme.io/a"],
            ["", "/a", "a/", "a/b/c", "A.io/a", "a b", "acme.io/" + "a" * 64],
        ),
        (PORT_NAME, ["http", "a-1", "1a"], ["", "1", "a--b", "a-", "http-metrics-port"]),
        (DOMAIN_PATH, ["acme.io/foo", "a/b/c%20"], ["acme.io", "/foo", "acme.io/", "Acme.io/foo", "a/b c"]),
    ],
)
def test_name_format_matches_what_kubernetes_accepts(grammar: NameFormat, good: list[str], bad: list[str]) -> None:
    assert [value for value in good if not grammar.matches(value)] == []
    assert [value for value in bad if grammar.matches(value)] == []


@pytest.mark.parametrize(
    ("quantity", "number"),
    [
        (2, "2"),
        ("500m", "0.5"),
        ("+.5", "0.5"),
        ("5.", "5"),
        ("1Ki", "1024"),
        ("1k", "1000"),
        ("1E", "1000000000000000000"),
        ("1E1", "10"),
        ("1e-3", "0.001"),
        ("-1Gi", "-1073741824"),
        ("3u", "0.000003"),
    ],
)
def test_a_quantity_is_a_number(quantity: int | str, number: str) -> None:
    assert amount(quantity) == Decimal(number)


def test_invalid_quantity_raises() -> None:
    with pytest.raises(ValueError, match="'12 potatoes' is not a valid quantity"):
        amount("12 potatoes")


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

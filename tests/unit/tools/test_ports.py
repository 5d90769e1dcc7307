"""Ports of the operators: nobody may take them between their choice and the operators' start."""

import socket
from pathlib import Path

import pytest

from tools import charts


def test_it_is_none_that_outgoing_connections_are_given() -> None:
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    if lowest < charts.PORTS.stop:
        pytest.skip(f"this machine gives connections ports from {lowest}")
    with socket.socket() as held:
        assert charts.take_port(held) in charts.PORTS
        assert charts.PORTS.stop <= lowest


def test_one_that_is_taken_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as one, socket.socket() as other, socket.socket() as third:
        taken = charts.take_port(one)
        monkeypatch.setattr(charts, "PORTS", range(taken, taken + 2))
        assert charts.take_port(other) == taken + 1
        with pytest.raises(OSError, match="is free"):
            charts.take_port(third)

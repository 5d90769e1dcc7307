"""The runner of the operators' pods, without a cluster."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.local_cluster import operator_runner


class Pods:
    """Pods of which one cannot be run."""

    ended = 0

    def __init__(self, _: Any) -> None:
        self.locate = None

    def sync(self) -> None:
        raise KeyError("volume")

    def end(self) -> None:
        Pods.ended += 1


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


def test_operators_end_with_the_runner_whatever_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_runner, "OperatorPods", Pods)
    monkeypatch.setattr(operator_runner, "client_of", lambda _: None)
    monkeypatch.setattr("tools.local_cluster.operator_runner.WebhookProxy.start", lambda _: None)
    with pytest.raises(KeyError):
        operator_runner.serve(tmp_path / "socket", None, lambda: None)
    assert Pods.ended == 1

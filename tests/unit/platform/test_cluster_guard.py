"""Which cluster a platform belongs to: the one that its state remembers, and that answers."""

import asyncio
import json
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pulumi
import pytest

from components.cluster.client import ClusterClient
from components.platform import InvalidPlatformError, Target
from components.platform.cluster_guard import check_cluster, check_id, identify
from components.platform.connection import Connection
from components.validation.violation import Violation

from ...api_server import ApiServer

A, B, C = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "abc")


def target(**fields: Any) -> Target:
    return Target(lambda violations: InvalidPlatformError("training", violations), context="c", **fields)


@pytest.mark.parametrize(
    ("of", "answering", "remembered", "refused"),
    [
        (target(), A, A, False),
        (target(), B, A, True),
        (target(), None, A, False),
        (target(), A, None, False),
        (target(cluster_id=B), B, A, True),
        (target(cluster_id=B, replaces=A), B, A, False),
        (target(cluster_id=B, replaces=C), B, A, True),
        (target(cluster_id=B, replaces=A), B, B, False),
    ],
)
def test_another_cluster_than_the_states_is_refused_unless_it_took_its_place(
    of: Target, answering: str | None, remembered: str | None, refused: bool
) -> None:
    assert bool(check_cluster(of, answering, remembered)) is refused


def test_message_has_both_ids_and_both_fixes() -> None:
    assert str(check_cluster(target(), B, A)) == (
        f"context: This stack's state belongs to the cluster {A}, but the cluster {B} answers. Its objects would be "
        "mistaken for this stack's. Fix: Name the context that leads to the cluster of the state. If that one is gone "
        f'and this one took its place, write `"cluster_id": "{B}", "replaces": "{A}"`, and run `pulumi refresh` '
        "first. [STK-17]"
    )


def test_an_id_that_is_given_is_asserted_besides() -> None:
    assert check_id(target(), B) is None
    assert check_id(target(cluster_id=A), A) is None
    assert check_id(target(cluster_id=A), None) is None
    assert str(check_id(target(cluster_id=A), B)) == (
        f"cluster_id: The cluster that answers has the id {B}, not {A}: it is not the one that is meant. Fix: Name the "
        "context that leads to the one that is meant. If it was created anew, write its new id here. [STK-17]"
    )


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Violation, ...]]:
    """What is said of the cluster at an address, which does not tell its id."""
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)

    def asked(address: str, context: str | None = "c", name: str = "c") -> tuple[Violation, ...]:
        there = {"contexts": [{"name": name, "context": {"cluster": "c"}}], "current-context": name}
        file = tmp_path / "kubeconfig"
        file.write_text(json.dumps({**there, "clusters": [{"name": "c", "cluster": {"server": address}}]}))
        connection = Connection({}, ClusterClient(context, str(file)))
        platform, loop = pulumi.Resource.__new__(pulumi.Resource), asyncio.new_event_loop()
        with closing(loop), pytest.raises(InvalidPlatformError) as refused:
            loop.run_until_complete(identify(platform, "training", target(), connection))
        return refused.value.violations

    return asked


def closed_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"https://127.0.0.1:{server.getsockname()[1]}"


def test_unreachable_cluster_is_reported(asked: Callable[..., tuple[Violation, ...]]) -> None:
    address = closed_port()
    assert asked(address) == (
        Violation(
            "STK-05",
            "context",
            "No API server answers for context `c`: "
            f"the API server at {address} cannot be reached: Connection refused.",
            "Start the cluster or the tunnel to it, or set another context.",
        ),
    )


def test_without_a_context_the_kubeconfig_is_what_leads_there(asked: Callable[..., tuple[Violation, ...]]) -> None:
    (violation,) = asked(closed_port(), context=None)
    assert violation.message.startswith("No API server answers for `kubeconfig`: ")


def test_a_host_that_no_name_server_can_be_asked_for_does_not_answer(
    asked: Callable[..., tuple[Violation, ...]],
) -> None:
    host = "a" * 64 + ".example.com"
    (violation,) = asked(f"https://{host}")
    assert f"the API server at https://{host} " in violation.message


def test_what_answers_without_being_an_api_server_is_refused(asked: Callable[..., tuple[Violation, ...]]) -> None:
    with ApiServer(lambda *_: (200, b"<html>Log in")) as server:
        (violation,) = asked(server.url)
    assert violation.message == (
        "No API server answers for context `c`: "
        "/version cannot be read: HTTP status 200 came with a body that is not an object."
    )


def test_missing_right_to_read_the_id_is_named(asked: Callable[..., tuple[Violation, ...]]) -> None:
    with ApiServer(
        lambda *_: (403, {"apiVersion": "v1", "kind": "Status", "status": "Failure", "message": "you may not"})
    ) as server:
        (violation,) = asked(server.url)
    assert (violation.rule, violation.path) == ("STK-21", "context")
    assert "namespace kube-system was not read: /api/v1/namespaces/kube-system cannot be read: you may not" in (
        violation.message
    )


def test_unknown_context_is_reported(asked: Callable[..., tuple[Violation, ...]]) -> None:
    (violation,) = asked(closed_port(), name="other")
    assert (violation.rule, violation.path) == ("STK-05", "context")
    assert "has no context `c`" in violation.message

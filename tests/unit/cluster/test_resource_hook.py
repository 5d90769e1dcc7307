"""Whatever one hook asks of the cluster, all together ends with its deadline."""

import ast
import time
from pathlib import Path
from typing import Any

import pulumi
import pytest

import components
from components.cluster.client import ClusterClient, ClusterReadError
from components.cluster.deadline import OPERATION_TIMEOUT, remaining
from components.cluster.resource_hook import resource_hook
from components.cluster.threads import run_in_thread
from components.cluster.transport import Limits

from ..fake_hooks import Hook, run_hook
from .api_answers import kubeconfig
from .servers import SILENCE, after_request, listening


@pytest.fixture(autouse=True)
def _no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi, "ResourceHook", Hook)


def test_all_requests_of_a_hook_have_one_deadline() -> None:
    left: list[float] = []

    async def ask(_: Any) -> None:
        for _ in range(2):
            left.append(await run_in_thread(remaining, 10_000))

    run_hook(resource_hook("one", ask))
    run_hook(resource_hook("two", ask, waits=120))
    assert [round(each) for each in left] == [OPERATION_TIMEOUT] * 2 + [OPERATION_TIMEOUT + 120] * 2
    assert left[0] > left[1]


@pytest.mark.parametrize("on_dry_run", [False, True])
def test_hook_has_its_name_and_runs_in_previews_if_asked_to(on_dry_run: bool) -> None:
    async def ask(_: Any) -> None:
        """Nothing."""

    hook: Any = resource_hook("jobset:own", ask, on_dry_run=on_dry_run)
    assert (hook.name, hook.opts.on_dry_run) == ("jobset:own", on_dry_run)


def test_hook_with_a_silent_api_server_ends_at_its_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("components.cluster.resource_hook.OPERATION_TIMEOUT", 0.5)
    limits = Limits(connect=SILENCE, read=0.2, call=0.2, tries=1)
    said: list[str] = []

    async def ask(_: Any) -> None:
        for _ in range(1_000):
            try:
                await run_in_thread(access.get, "/api/v1/namespaces/kube-system")
            except ClusterReadError as error:
                said.append(str(error))

    with listening(after_request(SILENCE)) as port:
        access = ClusterClient(None, kubeconfig(f"http://127.0.0.1:{port}"), limits)
        began = time.monotonic()
        run_hook(resource_hook("many", ask))
        assert time.monotonic() - began < 1_000 * 0.2 / 2
    assert said[-1].endswith("received no request: the 0.5 s timeout of this operation has passed")
    assert any(each.endswith("and the 0.5 s timeout of this operation has passed") for each in said)


def test_every_hook_has_a_deadline() -> None:
    (folder,) = components.__path__
    found = {
        path.relative_to(folder).as_posix()
        for path in Path(folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("ResourceHook")
    }
    assert found == {"cluster/resource_hook.py"}

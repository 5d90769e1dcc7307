"""Where the cluster's API is asked: at what a kubeconfig says, be it a file or the text of one."""

import json

import pytest

from components.cluster_access import ClusterAccess, NoAnswer

from ...api_server import VERSION, ApiServer


def kubeconfig(server: str) -> dict[str, object]:
    return {
        "current-context": "a",
        "contexts": [{"name": "a", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {}}],
    }


@pytest.mark.parametrize("indent", [None, 1])
def test_the_text_of_a_kubeconfig_leads_to_its_server(indent: int | None) -> None:
    text = json.dumps(kubeconfig("http://127.0.0.1:9"), indent=indent)
    message = "the API server at http://127.0.0.1:9 cannot be reached: Connection refused"
    with pytest.raises(NoAnswer, match=message):
        ClusterAccess(None, text).call("GET", "/version")


def test_the_text_of_one_that_is_not_known_yet_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/dev/null")
    with pytest.raises(NoAnswer, match="the kubeconfig does not lead to a cluster"):
        ClusterAccess(None, "{}").call("GET", "/version")


def test_all_calls_go_over_one_connection() -> None:
    with ApiServer() as server:
        access = ClusterAccess(None, json.dumps(kubeconfig(server.url)))
        assert [access.get("/version") for _ in range(3)] == [VERSION] * 3
    assert server.connections == 1

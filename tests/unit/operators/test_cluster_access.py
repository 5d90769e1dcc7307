"""Where the cluster's API is asked: at what a kubeconfig says, be it a file or the text of one."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from components.cluster_access import ClusterAccess, NoAnswer

KUBECONFIG = {
    "current-context": "a",
    "contexts": [{"name": "a", "context": {"cluster": "c", "user": "u"}}],
    "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:9"}}],
    "users": [{"name": "u", "user": {}}],
}


@pytest.mark.parametrize("text", [json.dumps(KUBECONFIG), json.dumps(KUBECONFIG, indent=1)])
def test_the_text_of_a_kubeconfig_leads_to_its_server(text: str) -> None:
    with pytest.raises(NoAnswer, match=r"does not answer: .*port=9"):
        ClusterAccess(None, text).call("GET", "/version")


def test_the_text_of_one_that_is_not_known_yet_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/dev/null")
    with pytest.raises(NoAnswer, match="the kubeconfig does not lead to a cluster"):
        ClusterAccess(None, "{}").call("GET", "/version")


def test_all_calls_go_over_one_connection() -> None:
    connections: list[object] = []

    class Api(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            connections.append(self.client_address)
            super().setup()

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        there = {"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}
        access = ClusterAccess(None, json.dumps({**KUBECONFIG, "clusters": [there]}))
        assert [access.get("/version") for _ in range(3)] == [{}] * 3
        server.shutdown()
    assert len(connections) == 1

"""Where the cluster's API is asked: at what a kubeconfig says, be it a file or the text of one."""

import json

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

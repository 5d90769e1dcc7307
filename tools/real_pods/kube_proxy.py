"""kube-proxy: routes connections from pods and the API server to Services. One instance serves all nodes."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tools import BIN
from tools.real_pods import background_process, network
from tools.real_pods.node import Node

HEALTH_PORT = 10256
"""The default port, which is free in the sandbox."""


def start(kubeconfig: Path, home: Path, node: Node) -> None:
    """Start kube-proxy as that of one node, and wait until it has written the rules of every Service."""
    configuration = home / "kube-proxy.json"
    configuration.write_text(json.dumps(_configuration(kubeconfig, node)))
    background_process.start(home, "kube-proxy", BIN / "kube-proxy", f"--config={configuration}", serves=_serves)


def _configuration(kubeconfig: Path, node: Node) -> dict[str, Any]:
    """Settings that differ from the defaults."""
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "clientConnection": {"kubeconfig": str(kubeconfig)},
        "clusterCIDR": str(network.PODS),
        # Limits of the whole machine, which must not be changed from a box.
        "conntrack": {"maxPerCore": 0, "min": 0},
        "healthzBindAddress": f"{network.CONTROL_PLANE}:{HEALTH_PORT}",
        "hostnameOverride": node.name,
        "mode": "nftables",
    }


def _serves() -> bool:
    try:
        with urllib.request.urlopen(f"http://{network.CONTROL_PLANE}:{HEALTH_PORT}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False

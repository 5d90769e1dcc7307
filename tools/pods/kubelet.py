"""The kubelet: makes this machine a node of the cluster."""

import json
import os
from pathlib import Path
from typing import Any

from tools import BIN
from tools.pods import box, container_runtime, daemon, dns, network
from tools.process_kubelet import client_of

GPUS = 64
"""How many GPUs the node says it has. Nothing is behind them but the scheduler's counting, as with simulated nodes."""


def start(kubeconfig: Path, home: Path) -> None:
    """Start it, and wait until its node is Ready and has GPUs."""
    configuration = home / "kubelet.json"
    configuration.write_text(json.dumps(_configuration()))
    arguments = {
        "config": configuration,
        "kubeconfig": kubeconfig,
        "hostname-override": network.NODE_NAME,
        "node-ip": network.NODE,
    }
    daemon.start(
        home,
        "kubelet",
        BIN / "kubelet",
        *(f"--{name}={value}" for name, value in arguments.items()),
        serves=lambda: _is_ready(kubeconfig),
    )
    _set_gpus(kubeconfig)


def _configuration() -> dict[str, Any]:
    """What differs from a kubelet's defaults."""
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": str(network.NODE),
        # Only the box can reach it.
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{os.environ[box.INSIDE]}",
        "clusterDNS": [str(network.NODE)],
        "clusterDomain": dns.DOMAIN,
        "containerRuntimeEndpoint": f"unix://{container_runtime.SOCKET}",
        "enforceNodeAllocatable": [],
        # The machine's disk may be as full as it likes: these pods are small, and gone soon.
        "evictionHard": {"memory.available": "100Mi"},
        "imageGCHighThresholdPercent": 100,
        "failCgroupV1": False,
        "failSwapOn": False,
        "localStorageCapacityIsolation": False,
        "makeIPTablesUtilChains": False,
        "maxPods": 250,
        "registerNode": True,
        "resolvConf": "",
    }


def _is_ready(kubeconfig: Path) -> bool:
    from kubernetes.client import ApiException, CoreV1Api

    try:
        node = CoreV1Api(client_of(kubeconfig)).read_node(network.NODE_NAME)
    except ApiException:
        return False
    ready = any(condition.type == "Ready" and condition.status == "True" for condition in node.status.conditions)
    return ready and not node.spec.taints  # the controller manager takes the one off that a node is born with


def _set_gpus(kubeconfig: Path) -> None:
    from kubernetes.client import CoreV1Api

    gpus = {"nvidia.com/gpu": str(GPUS)}
    status = {"status": {"capacity": gpus, "allocatable": gpus}}
    CoreV1Api(client_of(kubeconfig)).patch_node_status(network.NODE_NAME, status)

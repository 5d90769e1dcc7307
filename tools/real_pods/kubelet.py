"""The kubelet: registers a node of the sandbox with the cluster."""

import json
import os
from pathlib import Path
from typing import Any

from tools import BIN
from tools.local_cluster.operator_runner import client_of
from tools.real_pods import background_process, control_groups, dns, network, sandbox
from tools.real_pods.node import Node


def start(node: Node, kubeconfig: Path) -> None:
    """Start a kubelet and wait until its node is Ready and has its GPUs."""
    configuration = node.home / "kubelet.json"
    configuration.write_text(json.dumps(_configuration(node)))
    control_groups.make(_cgroup(node))
    arguments = {
        "config": configuration,
        "kubeconfig": kubeconfig,
        "hostname-override": node.name,
        "node-ip": node.address,
        "root-dir": node.home / "kubelet",
        "cert-dir": node.home / "kubelet-certificates",
    }
    background_process.start(
        node.home,
        "kubelet",
        BIN / "kubelet",
        *(f"--{name}={value}" for name, value in arguments.items()),
        serves=lambda: _is_ready(node, kubeconfig),
    )
    if node.gpus:
        _set_gpus(node, kubeconfig)


def _cgroup(node: Node) -> str:
    """The cgroup of all pods of the node."""
    return f"{os.environ[sandbox.SANDBOX_VARIABLE]}/{node.name}"


def _configuration(node: Node) -> dict[str, Any]:
    """Settings that differ from the defaults."""
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": str(node.address),
        # Only the box can reach it.
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{_cgroup(node)}",
        "clusterDNS": [str(network.CONTROL_PLANE)],
        "clusterDomain": dns.DOMAIN,
        "containerRuntimeEndpoint": f"unix://{node.socket}",
        "enforceNodeAllocatable": [],
        # A full disk must not evict pods: these are small and short-lived.
        "evictionHard": {"memory.available": "100Mi"},
        "imageGCHighThresholdPercent": 100,
        "failCgroupV1": False,
        "failSwapOn": False,
        "healthzBindAddress": str(node.address),
        "localStorageCapacityIsolation": False,
        "makeIPTablesUtilChains": False,
        "maxPods": 250,
        "podLogsDir": str(node.home / "pod-logs"),
        "registerNode": True,
        "resolvConf": "",
        # Delay until a pod sees a changed Secret: operators wait for their certificates. The default is 1m.
        "syncFrequency": "5s",
        "volumePluginDir": str(node.home / "volume-plugins"),
    }


def _is_ready(node: Node, kubeconfig: Path) -> bool:
    from kubernetes.client import ApiException, CoreV1Api

    try:
        found = CoreV1Api(client_of(kubeconfig)).read_node(node.name)
    except ApiException:
        return False
    ready = any(condition.type == "Ready" and condition.status == "True" for condition in found.status.conditions)
    return ready and not found.spec.taints  # the controller manager removes the initial taint


def _set_gpus(node: Node, kubeconfig: Path) -> None:
    from kubernetes.client import CoreV1Api

    gpus = {"nvidia.com/gpu": str(node.gpus)}
    CoreV1Api(client_of(kubeconfig)).patch_node_status(node.name, {"status": {"capacity": gpus, "allocatable": gpus}})

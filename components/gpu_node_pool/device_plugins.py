"""Device plugins, which report the devices of a node to Kubernetes, for node images that do not include them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from ..k8s.scheduling import Toleration

NVIDIA_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.17.4"
"""NVIDIA's device plugin, in the version of the EKS User Guide, "Install Kubernetes device plugin for GPUs"."""

EFA_IMAGE = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.18"
"""AWS' device plugin for EFA, from the registry that aws/eks-charts stable/aws-efa-k8s-device-plugin uses. Nodes in
every region except those of China and GovCloud can pull it with the usual role of EKS nodes."""

MIN_EFA_VERSION = {"p6-b200.48xlarge": (0, 5, 10)}
"""The oldest version of that device plugin that recognizes EFA devices correctly, by machine type. Older versions
report the two NVLink controllers of p6-b200 as EFA devices (aws/sagemaker-hyperpod-cli#282; the EKS User Guide, "Run
machine learning training on Amazon EKS with EFA", requires 0.5.6)."""

_SOCKETS = "/var/lib/kubelet/device-plugins"


@dataclass(frozen=True)
class DevicePlugin:
    """A program that runs on each node of a pool and reports devices to the kubelet."""

    name: str
    """Name, such as `nvidia-device-plugin`."""

    image: str
    """Image reference."""

    env: Mapping[str, str]
    """Environment variables."""

    host_paths: Mapping[str, str]
    """Directories of the node that are mounted at the same path, by volume name."""

    host_network: bool = False
    """Whether it uses the node's network."""

    pull_secrets: tuple[str, ...] = ()
    """Secrets in its namespace, kube-system, for pulling its image."""


def nvidia_device_plugin(image: str, pull_secrets: tuple[str, ...] = ()) -> DevicePlugin:
    """The plugin for `nvidia.com/gpu`, with upstream's settings (NVIDIA/k8s-device-plugin,
    nvidia-device-plugin.yml)."""
    env, paths = {"FAIL_ON_INIT_ERROR": "false"}, {"device-plugin": _SOCKETS}
    return DevicePlugin("nvidia-device-plugin", image, env, paths, pull_secrets=pull_secrets)


def efa_device_plugin(image: str, pull_secrets: tuple[str, ...] = ()) -> DevicePlugin:
    """The plugin for `vpc.amazonaws.com/efa`, with upstream's settings except those for machines without GPUs."""
    paths = {"device-plugin": _SOCKETS, "infiniband": "/dev/infiniband"}
    return DevicePlugin("efa-device-plugin", image, {}, paths, True, pull_secrets)


def install(
    plugin: DevicePlugin,
    pool: str,
    node_selector: Mapping[str, str],
    tolerations: Sequence[Toleration],
    opts: pulumi.ResourceOptions,
) -> None:
    """Declare a plugin on the nodes of one pool only, so that a cluster can have pools with and without it."""
    kubernetes.apps.v1.DaemonSet(
        f"{pool}-{plugin.name}", **daemon_set(plugin, pool, node_selector, tolerations), opts=opts
    )


def daemon_set(
    plugin: DevicePlugin, pool: str, node_selector: Mapping[str, str], tolerations: Sequence[Toleration]
) -> dict[str, Any]:
    """Metadata and spec of the DaemonSet. Pulumi generates its name, which keeps replacements from colliding."""
    labels = {"app.kubernetes.io/name": plugin.name, "app.kubernetes.io/instance": pool}
    container = {
        "name": plugin.name,
        "image": plugin.image,
        "env": [{"name": name, "value": value} for name, value in plugin.env.items()],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [{"name": name, "mountPath": path} for name, path in plugin.host_paths.items()],
    }
    pod: dict[str, Any] = {
        "priorityClassName": "system-node-critical",
        "automountServiceAccountToken": False,
        "hostNetwork": plugin.host_network,
        "nodeSelector": dict(node_selector),
        "tolerations": [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in tolerations],
        "containers": [container],
        "volumes": [{"name": name, "hostPath": {"path": path}} for name, path in plugin.host_paths.items()],
    }
    if plugin.pull_secrets:
        pod["imagePullSecrets"] = [{"name": secret} for secret in plugin.pull_secrets]
    return {
        # Critical pods are always allowed in kube-system. Nobody waits for them: a pool may start with no node.
        "metadata": {"namespace": "kube-system", "labels": labels, "annotations": {"pulumi.com/skipAwait": "true"}},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}},
    }

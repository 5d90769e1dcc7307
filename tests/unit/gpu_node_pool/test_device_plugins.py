"""Device plugins run on their pool's nodes, whatever taints these have, and see only what they need."""

from components.gpu_node_pool.device_plugins import (
    EFA_IMAGE,
    NVIDIA_IMAGE,
    daemon_set,
    efa_device_plugin,
    nvidia_device_plugin,
)
from components.k8s.scheduling import Toleration

SELECTOR = {"training-platform/node-pool": "gpu"}
TOLERATIONS = (
    Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule"),
    Toleration(key="team", operator="Equal", value="vision", effect="NoExecute"),
)


def test_nvidia_device_plugin_has_upstream_settings() -> None:
    labels = {"app.kubernetes.io/name": "nvidia-device-plugin", "app.kubernetes.io/instance": "gpu"}
    assert daemon_set(nvidia_device_plugin(NVIDIA_IMAGE), "gpu", SELECTOR, TOLERATIONS) == {
        "metadata": {
            "namespace": "kube-system",
            "labels": labels,
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "priorityClassName": "system-node-critical",
                    "automountServiceAccountToken": False,
                    "hostNetwork": False,
                    "nodeSelector": {"training-platform/node-pool": "gpu"},
                    "tolerations": [
                        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
                        {"key": "team", "operator": "Equal", "value": "vision", "effect": "NoExecute"},
                    ],
                    "containers": [
                        {
                            "name": "nvidia-device-plugin",
                            "image": "nvcr.io/nvidia/k8s-device-plugin:v0.17.4",
                            "env": [{"name": "FAIL_ON_INIT_ERROR", "value": "false"}],
                            "securityContext": {
                                "allowPrivilegeEscalation": False,
                                "capabilities": {"drop": ["ALL"]},
                            },
                            "volumeMounts": [{"name": "device-plugin", "mountPath": "/var/lib/kubelet/device-plugins"}],
                        }
                    ],
                    "volumes": [{"name": "device-plugin", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}],
                },
            },
        },
    }


def test_efa_device_plugin_has_the_host_network_and_rdma_devices() -> None:
    pod = daemon_set(efa_device_plugin(EFA_IMAGE), "gpu", SELECTOR, ())["spec"]["template"]["spec"]
    assert pod["hostNetwork"] is True
    assert {volume["name"]: volume["hostPath"]["path"] for volume in pod["volumes"]} == {
        "device-plugin": "/var/lib/kubelet/device-plugins",
        "infiniband": "/dev/infiniband",
    }
    assert pod["containers"][0]["volumeMounts"] == [
        {"name": "device-plugin", "mountPath": "/var/lib/kubelet/device-plugins"},
        {"name": "infiniband", "mountPath": "/dev/infiniband"},
    ]

"""Keys of EKS pools, and values derived from them."""

from typing import Any

import pytest

from components.gpu_node_pool.eks.pool import EksPool

from ..aws.samples import EKS


@pytest.mark.parametrize(
    ("changed", "ami_type"),
    [
        ({}, "AL2023_x86_64_NVIDIA"),
        ({"machineType": "g5g.16xlarge"}, "AL2023_ARM_64_NVIDIA"),
        ({"image": "bottlerocket"}, "BOTTLEROCKET_x86_64_NVIDIA"),
        ({"image": "bottlerocket", "machineType": "g5g.16xlarge"}, "BOTTLEROCKET_ARM_64_NVIDIA"),
        ({"machineType": "p9.48xlarge", "machineSpec": {"gpus": 8}}, "AL2023_x86_64_NVIDIA"),
    ],
)
def test_image_has_the_architecture_of_the_machine(changed: dict[str, Any], ami_type: str) -> None:
    assert EksPool.model_validate(EKS | changed).ami_type == ami_type


def test_nodes_have_the_accelerator_label_for_the_cluster_autoscaler() -> None:
    labels = {"team": "vision", "k8s.amazonaws.com/accelerator": "ours"}
    assert EksPool.model_validate(EKS).node_labels("gpu") == {
        "k8s.amazonaws.com/accelerator": "nvidia-h100",
        "nvidia.com/gpu.deploy.operands": "false",
        "training-platform/node-pool": "gpu",
    }
    assert EksPool.model_validate(EKS | {"labels": labels}).node_labels("gpu") == {
        "k8s.amazonaws.com/accelerator": "ours",
        "nvidia.com/gpu.deploy.operands": "false",
        "team": "vision",
        "training-platform/node-pool": "gpu",
    }

"""Valid pools on AWS."""

from typing import Any

EKS: dict[str, Any] = {
    "provider": "eks",
    "cluster": "train",
    "nodeRoleArn": "arn:aws:iam::111122223333:role/nodes",
    "subnetIds": ["subnet-1"],
    "machineType": "p5.48xlarge",
    "size": {"max": 1},
}

NODE_CLASS: dict[str, Any] = {
    "kind": "ec2",
    "role": "nodes",
    "subnetIds": ["subnet-1"],
    "securityGroupIds": ["sg-1"],
    "image": "al2023@v20250801",
}

KARPENTER: dict[str, Any] = {
    "provider": "karpenter",
    "machineType": "p5.48xlarge",
    "size": {"max": 1},
    "nodeClass": NODE_CLASS,
}

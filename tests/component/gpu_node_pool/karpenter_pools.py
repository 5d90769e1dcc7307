"""Valid pools of Karpenter."""

from typing import Any

MINIMAL: dict[str, Any] = {
    "provider": "karpenter",
    "machineType": "g5.12xlarge",
    "size": {"max": 4},
    "nodeClass": {
        "kind": "ec2",
        "role": "nodes",
        "subnetIds": ["subnet-1", "subnet-2"],
        "securityGroupIds": ["sg-1"],
        "image": "al2023@v20250801",
    },
}

PRODUCTION = MINIMAL | {
    "machineType": "p6-b300.48xlarge",
    "size": {"max": 16},
    "network": {"kind": "efa"},
    "zones": ["us-west-2a"],
    "labels": {"team": "vision"},
    "extraTaints": [{"key": "team", "value": "vision", "effect": "NoExecute"}],
    "diskGib": 500,
    "emptyMinutes": 30,
    "replaceOutdated": True,
    "weight": 10,
    "timeoutMinutes": 90,
    "nodeClass": MINIMAL["nodeClass"]
    | {
        "image": "bottlerocket@v1.44.0",
        "instanceStore": "raid0",
        "placementGroup": "near",
        "tags": {"team": "vision"},
        "subnetIds": ["subnet-1"],
    },
}

EXISTING = MINIMAL | {"nodeClass": {"kind": "existing", "name": "gpu-nodes"}}

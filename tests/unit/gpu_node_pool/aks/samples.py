"""Valid pools of AKS."""

from typing import Any

POOL: dict[str, Any] = {
    "provider": "aks",
    "cluster": "train",
    "resourceGroup": "ml",
    "machineType": "Standard_NC96ads_A100_v4",
    "size": {"max": 4},
}

ND = {"machineType": "Standard_ND96isr_H100_v5", "driver": "operator", "network": {"kind": "infiniband"}}

SPOT = {"kind": "spot"}

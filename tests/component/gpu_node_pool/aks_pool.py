"""The smallest pool of AKS."""

from typing import Any

MINIMAL: dict[str, Any] = {
    "provider": "aks",
    "cluster": "train",
    "resourceGroup": "ml",
    "machineType": "Standard_NC96ads_A100_v4",
    "size": {"max": 4},
}

RESOURCES = "/subscriptions/s/resourceGroups/ml/providers"

GROUP = f"{RESOURCES}/Microsoft.Compute/capacityReservationGroups/h100"

NEAR = f"{RESOURCES}/Microsoft.Compute/proximityPlacementGroups/near"

SUBNET = f"{RESOURCES}/Microsoft.Network/virtualNetworks/net/subnets/gpu"

"""Valid pools of GKE."""

from typing import Any

POOL: dict[str, Any] = {
    "provider": "gke",
    "cluster": "train",
    "location": "us-central1",
    "zones": ["us-central1-a"],
    "machineType": "a2-highgpu-8g",
    "size": {"max": 4},
}

TWO_ZONES = ["us-central1-a", "us-central1-b"]

FLEX_START = {"kind": "flex-start"}

QUEUED = {"kind": "queued"}


def networks(count: int, at: int = 0, **changed: str) -> dict[str, Any]:
    """So many networks, the one at an index with something changed."""
    names = [f"net-{index}" for index in range(1, count + 1)]
    each = [{"network": name, "subnetwork": f"{name}-sub", "name": name} for name in names]
    each[at] |= changed
    return {"kind": "gpudirect", "networks": each}


def reserved(name: str) -> dict[str, str]:
    return {"kind": "reservation", "reservation": name}

"""The smallest pool of GKE."""

from typing import Any

MINIMAL: dict[str, Any] = {
    "provider": "gke",
    "cluster": "train",
    "location": "us-central1",
    "zones": ["us-central1-a"],
    "machineType": "a2-highgpu-8g",
    "size": {"max": 4},
}

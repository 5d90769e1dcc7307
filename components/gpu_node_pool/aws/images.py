"""EKS' own node images for GPUs, which include NVIDIA's driver."""

from collections.abc import Mapping
from typing import Literal

ImageFamily = Literal["al2023", "bottlerocket"]
"""Amazon Linux 2023, which needs NVIDIA's device plugin, or Bottlerocket, which includes it. Source: EKS User Guide,
"Install Kubernetes device plugin for GPUs"."""

CONTAINER_DISK_DEVICE: Mapping[ImageFamily, str] = {"al2023": "/dev/xvda", "bottlerocket": "/dev/xvdb"}
"""Device on which an image stores containers. Source: karpenter-provider-aws pkg/providers/amifamily@v1.12.0."""

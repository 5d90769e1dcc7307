"""Taints: what keeps pods off the nodes of a pool, as Kubernetes and as clouds write it."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from ..model import Model
from ..runtimes.scheduling import Toleration
from .finding import Finding


class Taint(Model):
    """What keeps pods off a node that don't tolerate it."""

    key: str = Field(min_length=1)
    """`nvidia.com/gpu`."""

    value: str | None = None
    """Default: none."""

    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """What happens to a pod that doesn't tolerate it."""

    @property
    def cloud_effect(self) -> str:
        """The effect as the APIs of GKE and EKS spell it: `NO_SCHEDULE`."""
        return {"NoSchedule": "NO_SCHEDULE", "PreferNoSchedule": "PREFER_NO_SCHEDULE", "NoExecute": "NO_EXECUTE"}[
            self.effect
        ]

    @property
    def toleration(self) -> Toleration:
        """What a pod needs to land on a node with this taint."""
        # The value of the GPU taint differs from cloud to cloud, and says nothing more.
        if self.value is None or self.key == GPU_TAINT.key:
            return Toleration(key=self.key, operator="Exists", effect=self.effect)
        return Toleration(key=self.key, operator="Equal", value=self.value, effect=self.effect)

    def __str__(self) -> str:
        """The taint as kubectl and AKS write it: `nvidia.com/gpu=present:NoSchedule`."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


GPU_TAINT = Taint(key="nvidia.com/gpu", value="present", effect="NoSchedule")
"""Keeps everything off GPU nodes that doesn't ask for GPUs. Key and value are GKE's, which puts them there itself."""


def doubled_taints(taints: Sequence[Taint], own: Sequence[Taint]) -> Iterator[Finding]:
    """Extra taints that a node has already: clouds refuse a second with the same key and effect."""
    seen = {(taint.key, taint.effect): "the pool has it in any case" for taint in own}
    for index, taint in enumerate(taints):
        if earlier := seen.get((taint.key, taint.effect)):
            message = f"the taint {taint} is there twice: {earlier}, and a node takes one of a key and effect."
            yield Finding("POOL-05", ("extraTaints", index), message, "Take it out.")
        seen.setdefault((taint.key, taint.effect), f"first at [{index}]")

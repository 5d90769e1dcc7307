"""Taints: what keeps pods off the nodes of a pool, as Kubernetes and as clouds write it."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from ..k8s.grammars import LABEL_VALUE, QUALIFIED_NAME
from ..k8s.scheduling import Toleration
from ..validation.model import StrictModel
from ..validation.violation import Violation


class Taint(StrictModel):
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


def check_taints(key: str, taints: Sequence[Taint], own: Sequence[Taint] = ()) -> Iterator[Violation]:
    """What is wrong with the taints that stand at a key of a spec: no node takes one that is written wrong, or a second
    with the same key and effect, be it of the pool's `own`."""
    seen = {(taint.key, taint.effect): "the pool has it in any case" for taint in own}
    for index, taint in enumerate(taints):
        if not QUALIFIED_NAME.matches(taint.key):
            message = f"{taint.key!r} is no key of a taint: it must be {QUALIFIED_NAME}."
            yield Violation("POOL-14", f"{key}[{index}].key", message, "Rename the taint.")
        if not LABEL_VALUE.matches(taint.value or ""):
            message = f"{taint.value!r} is no value of a taint: it must be {LABEL_VALUE}."
            yield Violation("POOL-14", f"{key}[{index}].value", message, "Change the value.")
        if earlier := seen.get((taint.key, taint.effect)):
            message = f"the taint {taint} is there twice: {earlier}, and a node takes one of a key and effect."
            yield Violation("POOL-05", f"{key}[{index}]", message, "Take it out.")
        seen.setdefault((taint.key, taint.effect), f"first at [{index}]")

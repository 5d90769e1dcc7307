"""Taints of the nodes of a pool, as Kubernetes and the clouds write them."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from ..k8s.grammars import LABEL_VALUE, QUALIFIED_NAME
from ..k8s.scheduling import Toleration
from ..validation.model import StrictModel
from ..validation.violation import Violation


class Taint(StrictModel):
    """Keeps pods that do not tolerate it off a node."""

    key: str = Field(min_length=1)
    """Key, such as `nvidia.com/gpu`."""

    value: str | None = None
    """Value. Default: none."""

    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """What happens to pods that do not tolerate it: NoSchedule, PreferNoSchedule or NoExecute."""

    @property
    def cloud_effect(self) -> str:
        """The effect in the APIs of GKE and EKS: `NO_SCHEDULE`."""
        return {"NoSchedule": "NO_SCHEDULE", "PreferNoSchedule": "PREFER_NO_SCHEDULE", "NoExecute": "NO_EXECUTE"}[
            self.effect
        ]

    @property
    def toleration(self) -> Toleration:
        """The toleration that pods need for this taint."""
        # The value of the GPU taint has no meaning and differs between clouds.
        if self.value is None or self.key == GPU_TAINT.key:
            return Toleration(key=self.key, operator="Exists", effect=self.effect)
        return Toleration(key=self.key, operator="Equal", value=self.value, effect=self.effect)

    def __str__(self) -> str:
        """The taint as kubectl and AKS write it: `nvidia.com/gpu=present:NoSchedule`."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


GPU_TAINT = Taint(key="nvidia.com/gpu", value="present", effect="NoSchedule")
"""Keeps pods that request no GPUs off GPU nodes. Key and value are those that GKE adds itself."""


def check_taints(key: str, taints: Sequence[Taint], own: Sequence[Taint] = ()) -> Iterator[Violation]:
    """Yield violations for the taints at a key of a spec: invalid ones, and duplicates of a key and effect, including
    those of the pool's `own`."""
    seen = {(taint.key, taint.effect): "the pool always has it" for taint in own}
    for index, taint in enumerate(taints):
        if not QUALIFIED_NAME.matches(taint.key):
            message = f"{taint.key!r} is not a valid taint key: it must be {QUALIFIED_NAME}."
            yield Violation("POOL-14", f"{key}[{index}].key", message, "Rename the taint.")
        if not LABEL_VALUE.matches(taint.value or ""):
            message = f"{taint.value!r} is not a valid taint value: it must be {LABEL_VALUE}."
            yield Violation("POOL-14", f"{key}[{index}].value", message, "Change the value.")
        if earlier := seen.get((taint.key, taint.effect)):
            message = f"Duplicate taint {taint}: {earlier}, and a node can have only one with the same key and effect."
            yield Violation("POOL-05", f"{key}[{index}]", message, "Remove it.")
        seen.setdefault((taint.key, taint.effect), f"first at [{index}]")

"""Keys of Karpenter pools, and values derived from them."""

from components.gpu_node_pool.karpenter.pool import KarpenterPool
from components.gpu_node_pool.karpenter.resources import node_pool

from ..aws.samples import KARPENTER

STARTUP = {"key": "efs.csi.aws.com/agent-not-ready", "effect": "NoExecute"}


def test_placement_does_not_tolerate_startup_taints() -> None:
    """cisco-open/forge#688: a runtime that tolerated them would start before its volumes can be mounted."""
    spec = KarpenterPool.model_validate(KARPENTER | {"startupTaints": [STARTUP]})
    assert spec.check() == ()
    assert [each.key for each in spec.placement("a").tolerations] == ["nvidia.com/gpu"]
    template = node_pool("a", spec)["spec"]["template"]["spec"]
    assert template["startupTaints"] == [STARTUP]
    assert [each["key"] for each in template["taints"]] == ["nvidia.com/gpu"]


def test_without_startup_taints_the_node_pool_has_none() -> None:
    assert "startupTaints" not in node_pool("a", KarpenterPool.model_validate(KARPENTER))["spec"]["template"]["spec"]

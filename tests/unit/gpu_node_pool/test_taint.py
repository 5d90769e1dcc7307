"""Taints as Kubernetes and the clouds write them."""

from components.gpu_node_pool.taint import GPU_TAINT, Taint


def test_taint_has_the_formats_of_kubectl_and_clouds() -> None:
    assert [str(GPU_TAINT), GPU_TAINT.cloud_effect] == ["nvidia.com/gpu=present:NoSchedule", "NO_SCHEDULE"]
    taint = Taint(key="a", effect="PreferNoSchedule")
    assert [str(taint), taint.cloud_effect] == ["a:PreferNoSchedule", "PREFER_NO_SCHEDULE"]
    assert Taint(key="a", effect="NoExecute").cloud_effect == "NO_EXECUTE"

"""The outputs of a stack."""

from ..stack_deployment import deployed


def test_exports_have_what_other_stacks_need() -> None:
    exports = deployed().exports
    toleration = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    assert exports == {
        "gpuNodePools": {
            name: {
                "nodeSelector": {"training-platform/node-pool": name},
                "tolerations": [toleration],
                "gpuResource": "nvidia.com/gpu",
                "gpusPerNode": gpus,
                "maxNodes": 2,
                **room,
            }
            for name, gpus, room in (("gpu", 8, {"cpuPerNode": "64", "memoryPerNode": "512Gi"}), ("old", 4, {}))
        },
        "jobset": {"version": "0.12.0", "namespace": "jobset-system"},
        "trainer": {"version": "2.3.0", "namespace": "kubeflow-system"},
        "runtimes": ["deepspeed-distributed", "mine"],
    }


def test_a_layer_that_is_absent_exports_nothing() -> None:
    assert deployed("gpuNodePools", "runtimes", "jobset").exports == {
        "trainer": {"version": "2.3.0", "namespace": "kubeflow-system"}
    }

"""Mirrors: everything that a stack pulls comes from them."""

from ..stack_deployment import JOBSET, RUNTIMES, TRAINER, deployed

EKS_REGISTRY = "602401143452.dkr.ecr.us-west-2.amazonaws.com"


def test_mirrors_apply_to_charts_controllers_and_runtimes() -> None:
    mirrors = {"registry.k8s.io": "m.example.com/k8s", "ghcr.io": "m.example.com/ghcr"}
    monitor = deployed(images={"mirrors": mirrors})
    jobset, trainer = (monitor.registered[urn].inputs for urn in (JOBSET[1], TRAINER[1]))
    assert jobset["chart"] == "oci://m.example.com/k8s/jobset/charts/jobset"
    assert jobset["values"]["image"] == {"repository": "m.example.com/k8s/jobset/jobset"}
    assert trainer["chart"] == "oci://m.example.com/ghcr/kubeflow/charts/kubeflow-trainer"
    assert trainer["values"]["image"] == {"registry": "m.example.com/ghcr"}
    images = {
        container["image"]
        for urn in RUNTIMES
        for job in monitor.registered[urn].inputs["spec"]["template"]["spec"]["replicatedJobs"]
        for pod in [job["template"]["spec"]["template"]["spec"]]
        for container in [*pod["containers"], *pod.get("initContainers", [])]
    }
    assert images == {
        "m.example.com/ghcr/kubeflow/trainer/deepspeed-runtime:v2.3.0",
        "m.example.com/ghcr/kubeflow/trainer/mlx-runtime:v2.3.0",
    }


def test_mirrors_apply_to_device_plugins() -> None:
    node_class = {
        "kind": "ec2",
        "role": "a",
        "subnetIds": ["subnet-1"],
        "securityGroupIds": ["sg-1"],
        "image": "al2023@v1",
    }
    pool = {"provider": "karpenter", "machineType": "p5.48xlarge", "size": {"max": 1}, "nodeClass": node_class}
    monitor = deployed(
        "runtimes",
        gpuNodePools={"gpu": pool | {"network": {"kind": "efa"}, "zones": ["a"]}},
        images={"mirrors": {"nvcr.io": "m.example.com/nvcr", EKS_REGISTRY: "m.example.com/eks"}},
    )
    images = [
        container["image"]
        for plugin in monitor.of_type("kubernetes:apps/v1:DaemonSet")
        for container in plugin.inputs["spec"]["template"]["spec"]["containers"]
    ]
    assert images == [
        "m.example.com/eks/eks/aws-efa-k8s-device-plugin:v0.5.18",
        "m.example.com/nvcr/nvidia/k8s-device-plugin:v0.17.4",
    ]

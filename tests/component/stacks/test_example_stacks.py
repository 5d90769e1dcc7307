"""The example stacks, previewed: what each declares, and where its trainings go."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from stacks.deploy import deploy
from stacks.settings.load import load_sections
from stacks.settings.resolve import resolve
from stacks.settings.stack_file import StackFile

from ..monitor import PROJECT, Monitor, run

STACKS = Path(__file__).parent.parent.parent.parent / "stacks"
EXAMPLES = sorted(file.name.split(".")[1] for file in STACKS.glob("Pulumi.example-*.yaml"))
OURS = (
    "pulumi:",
    "training-platform:",
    "kubernetes:helm.sh",
    "kubernetes:core/v1:Namespace",
    "kubernetes:core/v1:Conf",
)


@pytest.fixture
def preview(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Monitor]:
    """Previews an example, in a project whose kubeconfig has the context that the example names."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kubeconfig").touch()
    monkeypatch.setenv("KUBECONFIG", "kubeconfig")

    def preview(example: str) -> Monitor:
        config = yaml.safe_load((STACKS / f"Pulumi.{example}.yaml").read_text())["config"]
        mine = f"{PROJECT}:"
        sections = {key.removeprefix(mine): value for key, value in config.items() if key.startswith(mine)}
        context = {"name": sections["cluster"]["context"], "context": {"cluster": "c"}}
        cluster = {"name": "c", "cluster": {"server": "https://127.0.0.1:6443"}}
        (tmp_path / "kubeconfig").write_text(yaml.safe_dump({"contexts": [context], "clusters": [cluster]}))
        resolved = resolve(load_sections(sections, StackFile(example, PROJECT)))
        others = {key: value for key, value in config.items() if not key.startswith(mine)}
        return run(lambda: deploy(resolved), others, preview=True)

    return preview


def machines(monitor: Monitor) -> list[str]:
    """What is declared beside operators and runtimes: type and name of each, by name."""
    return [
        f"{each.type} {each.name}"
        for each in monitor.by_name()
        if not each.type.startswith(OURS) and "trainer.kubeflow.org" not in each.type
    ]


MACHINES = {
    "example-gke": ["gcp:container/nodePool:NodePool a100", "gcp:container/nodePool:NodePool l4"],
    "example-eks": [
        "aws:ec2/launchTemplate:LaunchTemplate h100",
        "aws:eks/nodeGroup:NodeGroup h100",
        "kubernetes:apps/v1:DaemonSet h100-efa-device-plugin",
        "aws:autoscaling/tag:Tag h100-label/k8s.amazonaws.com/accelerator",
        "aws:autoscaling/tag:Tag h100-label/nvidia.com/gpu.deploy.operands",
        "aws:autoscaling/tag:Tag h100-label/training-platform/node-pool",
        "kubernetes:apps/v1:DaemonSet h100-nvidia-device-plugin",
        "aws:autoscaling/tag:Tag h100-resources/ephemeral-storage",
        "aws:autoscaling/tag:Tag h100-resources/nvidia.com/gpu",
        "aws:autoscaling/tag:Tag h100-resources/vpc.amazonaws.com/efa",
        "aws:autoscaling/tag:Tag h100-taint/nvidia.com/gpu",
    ],
    "example-aks": ["azure-native:containerservice:AgentPool h100"],
    "example-karpenter": [
        "kubernetes:karpenter.sh/v1:NodePool a100",
        "kubernetes:apps/v1:DaemonSet a100-efa-device-plugin",
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass a100-node-class",
        "kubernetes:apps/v1:DaemonSet a100-nvidia-device-plugin",
    ],
    "example-aks-on-demand": [
        "azure-native:containerservice:AgentPool a100",
        "kubernetes:apps/v1:DaemonSet a100-nvidia-device-plugin",
    ],
    "example-eks-on-demand": [
        "aws:ec2/launchTemplate:LaunchTemplate l4",
        "aws:eks/nodeGroup:NodeGroup l4",
        "kubernetes:apps/v1:DaemonSet l4-nvidia-device-plugin",
    ],
    "example-gke-gpudirect": ["gcp:container/nodePool:NodePool h100"],
    "example-existing": ["kubernetes:core/v1:NodePatch h100-gpu-a", "kubernetes:core/v1:NodePatch h100-gpu-b"],
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_declares_its_machines(example: str, preview: Callable[[str], Monitor]) -> None:
    assert machines(preview(example)) == MACHINES[example]


def pods(monitor: Monitor) -> dict[str, Any]:
    """Each role's pod spec by runtime and role."""
    return {
        f"{each.inputs['metadata']['name']} {job['name']}": job["template"]["spec"]["template"]["spec"]
        for each in monitor.by_name()
        if each.type.endswith("ClusterTrainingRuntime")
        for job in each.inputs["spec"]["template"]["spec"]["replicatedJobs"]
    }


GPU = ("nvidia.com/gpu", "Exists", None)
LANDING = {
    "example-gke": {
        "deepspeed-a100 node": ("a100", [GPU], {"nvidia.com/gpu": "8"}),
        "deepspeed-a100 launcher": ("a100", [GPU], {"nvidia.com/gpu": "8"}),
        "torch-l4 node": ("l4", [GPU], {"nvidia.com/gpu": "1"}),
    },
    "example-eks": {
        "torch-h100 node": (
            "h100",
            [GPU],
            {"memory": "1500Gi", "nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"},
        ),
    },
    "example-aks": {
        f"deepspeed-h100 {role}": (
            "h100",
            [GPU, ("team", "Equal", "research")],
            {"nvidia.com/gpu": "8", "rdma/shared_ib": "1"},
        )
        for role in ("node", "launcher")
    },
    "example-karpenter": {
        "torch-a100 node": ("a100", [GPU], {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "4"}),
    },
    "example-aks-on-demand": {"torch-a100 node": ("a100", [GPU], {"nvidia.com/gpu": "4"})},
    "example-eks-on-demand": {"torch-l4 node": ("l4", [GPU], {"nvidia.com/gpu": "4"})},
    "example-gke-gpudirect": {"torch-h100 node": ("h100", [GPU], {"nvidia.com/gpu": "8"})},
    "example-existing": {
        f"deepspeed-h100 {role}": (
            "h100",
            [("dedicated", "Equal", "training"), GPU],
            {"nvidia.com/gpu": "8", "rdma/shared_ib": "1"},
        )
        for role in ("node", "launcher")
    },
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_runtimes_of_an_example_are_bound_to_its_pool(example: str, preview: Callable[[str], Monitor]) -> None:
    landing = {
        role: (
            pod["nodeSelector"]["training-platform/node-pool"],
            [(each["key"], each["operator"], each.get("value")) for each in pod["tolerations"]],
            pod["containers"][0]["resources"]["limits"],
        )
        for role, pod in pods(preview(example)).items()
    }
    assert landing == LANDING[example]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_have_no_warnings(example: str, preview: Callable[[str], Monitor]) -> None:
    assert preview(example).log.warnings == []


def test_every_example_is_explained() -> None:
    page = (STACKS.parent / "docs" / "gpu-node-pools.md").read_text()
    assert [example for example in EXAMPLES if f"(../stacks/Pulumi.{example}.yaml)" not in page] == []
    assert sorted(MACHINES) == EXAMPLES


def test_walk_shows_stack_files_as_they_are() -> None:
    page = (STACKS.parent / "docs" / "cloud-walk.md").read_text()
    shown = re.findall(r"```yaml\n(# stacks/Pulumi\.(example-[\w-]+)\.yaml\n.*?)```", page, re.DOTALL)
    assert [name for _, name in shown] == ["example-eks-on-demand", "example-gke-gpudirect", "example-aks-on-demand"]
    for text, name in shown:
        assert text.partition("\n")[2] == (STACKS / f"Pulumi.{name}.yaml").read_text()


def test_pods_use_every_network_of_gpudirect(preview: Callable[[str], Monitor]) -> None:
    monitor = preview("example-gke-gpudirect")
    (runtime,) = (each for each in monitor.by_name() if each.type.endswith("ClusterTrainingRuntime"))
    (job,) = runtime.inputs["spec"]["template"]["spec"]["replicatedJobs"]
    annotations = job["template"]["spec"]["template"]["metadata"]["annotations"]
    interfaces = yaml.safe_load(annotations["networking.gke.io/interfaces"])
    assert [each["network"] for each in interfaces] == ["default", *(f"vpc{number}" for number in range(1, 9))]

"""Every component can be tested with plain mocks, and the page about testing works as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
INSTALLED = 'import sys\n\nimport components\n\nsys.modules["training_platform"] = components\n'

PROGRAM = """
import pulumi
import pytest
from pulumi.runtime import Mocks
from training_platform.cluster.client import ClusterClient
from training_platform.cluster.context import StackContext
from training_platform.gpu_node_pool import AksPool, EksPool, ExistingPool, GkePool, GpuNodePool
from training_platform.gpu_node_pool import KarpenterPool, SimulatedPool
from training_platform.jobset import JobSet, JobSetOperatorSpec
from training_platform.kubeflow_trainer import KubeflowTrainer, KubeflowTrainerSpec
from training_platform.runtimes import deepspeed
from training_platform.training_gate import TrainingGate
from training_platform.training_runtimes import TrainingRuntimes

AWS = {"machine_type": "p5.48xlarge", "network": {"kind": "efa"}, "size": {"max": 4}}
ROLE = "arn:aws:iam::111122223333:role/a"
EKS = dict(provider="eks", cluster="a", node_role_arn=ROLE, subnet_ids=["subnet-1"], **AWS)
CLASS = dict(kind="ec2", role="a", subnetIds=["subnet-1"], securityGroupIds=["sg-1"], image="al2023@v1")
POOLS = {
    "eks": lambda: EksPool(security_group_ids=["sg-1"], **EKS),
    "eks-compact": lambda: EksPool(security_group_ids=["sg-1"], compact=True, **EKS),
    "gke": lambda: GkePool(provider="gke", cluster="a", location="us-central1", zones=["us-central1-a"],
        machine_type="a2-highgpu-8g", size={"max": 2}),
    "aks": lambda: AksPool(provider="aks", cluster="a", resource_group="a", machine_type="Standard_NC24ads_A100_v4",
        size={"max": 2}),
    "karpenter": lambda: KarpenterPool(provider="karpenter", zones=["a"], node_class=CLASS, **AWS),
    "existing": lambda: ExistingPool(provider="existing", nodes=["a", "b"], gpus_per_node=8),
    "simulated": lambda: SimulatedPool(provider="simulated", nodes=2, gpus_per_node=8),
}


class Plain(Mocks):
    def __init__(self, echoes):
        self.echoes = echoes

    def new_resource(self, args):
        return f"{args.name}-id", dict(args.inputs) if self.echoes else {}

    def call(self, args):
        return {}


@pulumi.runtime.test
def declare(pool):
    stack_context = StackContext(ClusterClient("mine"), "project/stack")
    nodes = GpuNodePool("gpu", {"spec": POOLS[pool]()})
    jobset = JobSet("jobset", {"spec": JobSetOperatorSpec(), "stack_context": stack_context})
    trainer = KubeflowTrainer("trainer", {"spec": KubeflowTrainerSpec(), "stack_context": stack_context})
    made = [deepspeed(name="ours", image="registry.example.com/train:1", placement=nodes.placement)]
    operators = [jobset, trainer]
    runtimes = TrainingRuntimes("runtimes", {"runtimes": made, "operators": operators, "stack_context": stack_context})
    TrainingGate("gate", {"operators": operators, "runtimes": runtimes, "stack_context": stack_context})


@pytest.mark.parametrize("preview", [False, True])
@pytest.mark.parametrize("echoes", [True, False])
@pytest.mark.parametrize("pool", POOLS)
def test_component_can_be_declared_under_plain_mocks(pool, echoes, preview):
    pulumi.runtime.set_mocks(Plain(echoes), preview=preview)
    declare(pool)
"""


def ran(folder: Path, program: str) -> str:
    """What pytest says of a program in a folder of its own, where the components are installed."""
    (folder / "conftest.py").write_text(INSTALLED)
    (folder / "test_program.py").write_text(program)
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return f"{ended.returncode}\n{ended.stdout}\n{ended.stderr}"


def test_every_component_has_a_case(tmp_path: Path) -> None:
    said = ran(tmp_path, PROGRAM)
    assert re.search(r"^28 passed", said, re.MULTILINE), said


def test_the_tests_on_the_page_about_testing_pass(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "testing.md").read_text()
    samples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(samples) == 2
    said = ran(tmp_path, "\n".join(samples))
    assert re.search(r"^3 passed", said, re.MULTILINE), said

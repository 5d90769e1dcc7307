"""The types of the wheel, as mypy and pyright see them in other people's programs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hatchling.build import build_wheel

PROJECT = Path(__file__).parent.parent.parent
EXAMPLES = sorted(PROJECT.glob("examples/*/__main__.py"))
POOLS = """
import pulumi
from training_platform import (
    AksPool,
    EksPool,
    ExistingPool,
    GkePool,
    GpuNodePool,
    JobSetOperatorSpec,
    KarpenterPool,
    KubeflowTrainerSpec,
    Placement,
    SimulatedPool,
    TrainingPlatform,
    VolumeClaim,
    deepspeed,
    torch,
)
from training_platform.gpu_node_pool import Ec2NodeClass, Efa, InfiniBand, Size, Spot, Taint

cluster = pulumi.Output.from_input("training")
gke = GkePool(
    provider="gke",
    cluster=cluster,
    location="us-central1",
    zones=("us-central1-a",),
    machine_type="a2-highgpu-8g",
    size=Size(max=2),
    extra_taints=(Taint(key="team", effect="NoSchedule"),),
)
eks = EksPool(
    provider="eks",
    cluster=cluster,
    node_role_arn="arn:aws:iam::111122223333:role/training-nodes",
    subnet_ids=("subnet-0a1b2c3d4e5f60718",),
    security_group_ids=("sg-0a1b2c3d4e5f60718",),
    machine_type="p5.48xlarge",
    network=Efa(kind="efa"),
    size=Size(max=4),
)
aks = AksPool(
    provider="aks",
    cluster="training",
    resource_group="training",
    machine_type="Standard_ND96isr_H100_v5",
    capacity=Spot(kind="spot"),
    network=InfiniBand(kind="infiniband", devices=8),
    size=Size(max=2),
)
karpenter = KarpenterPool(
    provider="karpenter",
    machine_type="p5.48xlarge",
    node_class=Ec2NodeClass(
        kind="ec2",
        role="nodes",
        subnet_ids=("subnet-0a1b2c3d4e5f60718",),
        security_group_ids=("sg-0a1b2c3d4e5f60718",),
        image="al2023@v20250801",
    ),
    zones=("us-east-1a",),
    network=Efa(kind="efa"),
    size=Size(max=2),
)
existing = ExistingPool(provider="existing", nodes=("gpu-node-1",), gpus_per_node=8)
simulated = SimulatedPool(provider="simulated", nodes=2, gpus_per_node=8)
placement: Placement = GpuNodePool("simulated", {"spec": simulated}).placement
platform = TrainingPlatform(
    "training",
    {
        "kubeconfig": pulumi.Output.secret("{}"),
        "gpu_node_pools": {"gke": gke, "eks": eks, "aks": aks, "karpenter": karpenter, "existing": existing},
        "jobset": JobSetOperatorSpec(replicas=2),
        "trainer": KubeflowTrainerSpec(ready_timeout_seconds=0),
        "runtimes": [
            deepspeed(placement=placement, volumes={"/data": VolumeClaim(name="data", storage="1Ti")}),
            torch(name="torch-eks", placement=eks.placement("eks"), pull_secrets=("registry",)),
        ],
    },
)
pulumi.export("runtimes", platform.runtimes)
"""
"""A program with a pool of each provider, the operators' specs and runtimes."""

WRONG = """
torch(nods=2)
deepspeed(nodes="two")
VolumeClaim(name="data", size="1Ti")
Placement(gpus_per_node="8")
Size(max=2, minimum=1)
Size(max="2")
ExistingPool(provider="existing", gpus_per_node=8)
SimulatedPool(provider="gke", nodes=1, gpus_per_node=8)
eks.model_copy().zones
GpuNodePool("gpu", {"spec": placement})
JobSetOperatorSpec(replicas="2")
KubeflowTrainerSpec(replica=2)
TrainingPlatform("training", {"contex": "gpu"})
TrainingPlatform("training", {"context": 7})
platform.runtime
"""
"""Statements that a checker must reject, each after `POOLS`."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the wheel, its packages as they are locked, and pyright."""
    folder = tmp_path_factory.mktemp("types")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PROJECT)
        wheel = folder / build_wheel(str(folder))
    uv, made = Path(sys.executable).parent / "uv", folder / "venv" / "bin" / "python"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder / "venv"], check=True)
    install: list[str | Path] = [uv, "pip", "install", "--quiet", "--python", made, "--only-binary", ":all:"]
    subprocess.run([*install, "--require-hashes", "-r", PROJECT / "requirements" / "types.txt"], check=True)
    subprocess.run([*install, "--no-deps", wheel], check=True)
    return made


@pytest.fixture(scope="module")
def folder(python: Path) -> Path:
    """A folder with the programs, and with one that has every mistake."""
    folder = python.parent.parent.parent / "programs"
    folder.mkdir()
    section = (PROJECT / "README.md").read_text().partition("## In a program of your own")[2]
    (folder / "readme.py").write_text(section.partition("```python\n")[2].partition("```")[0])
    (folder / "pools.py").write_text(POOLS)
    for example in EXAMPLES:
        (folder / f"{example.parent.name.replace('-', '_')}.py").write_text(example.read_text())
    (folder / "wrong").mkdir()
    (folder / "wrong" / "wrong.py").write_text(POOLS + WRONG)
    return folder


def mypy(python: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """What `mypy --strict` says of the programs of a folder, without plugins or other settings."""
    options: list[str | Path] = [
        "--strict",
        "--config-file",
        os.devnull,
        "--cache-dir",
        python.parent.parent / "mypy",
        "--no-pretty",
    ]
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "mypy",
        *options,
        "--python-executable",
        python,
        *sorted(folder.glob("*.py")),
    ]
    return subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True)


def pyright(python: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """What pyright says of them."""
    command: list[str | Path] = [python, "-m", "pyright", "--pythonpath", python, *sorted(folder.glob("*.py"))]
    # Node comes with the lock, and nothing is looked up.
    env = os.environ | {"PYRIGHT_PYTHON_GLOBAL_NODE": "off", "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    return subprocess.run(command, check=False, cwd=folder, env=env, capture_output=True, text=True)


CHECKERS = {"mypy": mypy, "pyright": pyright}


@pytest.mark.parametrize("checker", CHECKERS)
def test_programs_of_the_readme_the_examples_and_with_every_pool_have_no_type_errors(
    checker: str, python: Path, folder: Path
) -> None:
    done = CHECKERS[checker](python, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len([*folder.glob("*.py")]) == len(EXAMPLES) + 2


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_wrong_argument_is_a_type_error(checker: str, python: Path, folder: Path) -> None:
    done = CHECKERS[checker](python, folder / "wrong")
    lines = (POOLS + WRONG).splitlines()
    reported = {int(line) for line in re.findall(r"wrong\.py:(\d+):.*error", done.stdout)}
    assert [lines[line - 1] for line in sorted(reported)] == WRONG.split("\n")[1:-1], done.stdout + done.stderr


def test_the_pools_of_the_program_are_valid(python: Path) -> None:
    done = subprocess.run([python, "-c", POOLS.partition("placement:")[0]], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")

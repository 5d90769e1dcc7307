"""The wheel in a program of someone else: it imports as `training_platform`, has its data, and says what is missing."""

import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent.parent
PROGRAM = """
import sys

from training_platform.gpu_node_pool import GkePool, GpuNodePool, MissingSdk
from training_platform.runtimes import deepspeed
from training_platform.gpu_node_pool.pools import placement

pool = GkePool(
    provider="gke", cluster="c", location="us-central1", zones=["us-central1-a"], machine_type="a2-highgpu-8g",
    size={"max": 2},
)
print(deepspeed(placement=placement("a100", pool)).metadata.name)
sys.modules["pulumi_gcp"] = None
try:
    GpuNodePool("a100", {"spec": pool})
except MissingSdk as missing:
    print(missing)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages that has the wheel, built from the tree, and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, PROJECT], check=True, cwd=folder)
    subprocess.run([*pip, "install", "--no-deps", "--target", folder / "site", *folder.glob("*.whl")], check=True)
    return folder / "site"


def test_the_wheel_works_in_a_program_of_someone_else(site: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        check=False,
        cwd=site,
        env={"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "deepspeed-distributed",
        "GPU node pools of provider `gke` need pulumi_gcp: pip install 'training-platform[gke]'",
    ]

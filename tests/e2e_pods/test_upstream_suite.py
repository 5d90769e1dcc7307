"""Trainer's own end-to-end tests of the release, unchanged, on real pods.

The runtimes are the catalogue's, with upstream's image names. No registry is asked, so an image of ours has each name:
the tests run a shell in it, a Python script, mpirun, or a program that waits. Flux is left out: it is neither a Debian
package nor a wheel.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from components.runtimes.catalog.images import JAX, PYTORCH, trainer_image
from tests.e2e.conftest import Platform
from tools import go_build
from tools.local_cluster import operators
from tools.real_pods import container_runtime, images, node

from .runtimes import RUNTIMES, SHARE

IMAGES = {
    node.GPU: {
        f"docker.io/{PYTORCH}": images.FRAMEWORKS,
        trainer_image("deepspeed-runtime"): images.OPENMPI_4,
        JAX: images.FRAMEWORKS,
        trainer_image("xgboost-runtime"): images.FRAMEWORKS,
    },
    # The runtimes that the tests make themselves tolerate no taint.
    node.SYSTEM: {f"registry.k8s.io/pause:{version}": images.OPENMPI_4 for version in ("3.9", "3.10")},
}
"""What has which of upstream's names, on the node where it runs."""

FRAMEWORKS = ("torch", "deepspeed", "jax", "xgboost")
CATALOGUE: dict[str, Any] = {
    f"{framework}-distributed": {"framework": framework, "nodePool": "gpu", "gpusPerNode": 1, **SHARE}
    for framework in FRAMEWORKS
}
STATUS_SERVER = {"featureGates": {"TrainJobStatus": True}}
FLUX = "should create TrainJob with Flux runtime reference"

PASSED = {
    "should create TrainJob with PyTorch runtime reference",
    "should create TrainJob with DeepSpeed runtime reference",
    "should create TrainJob with JAX runtime reference",
    "should create TrainJob with XGBoost runtime reference",
    "should preserve user-provided manager fields",
    "should update Time only for the changed patch on update",
    "should not be reconciled by the built-in controller",
    "should fail the TrainJob with DeadlineExceeded when active timeout expires",
    "should inject runtime configuration which allows the runtime status endpoint to be called",
    "TrainingRuntime",
    "ClusterTrainingRuntime",
}


@pytest.fixture
def upstreams_platform(platform: Platform) -> Iterator[Platform]:
    """The platform as upstream's tests expect it: their runtimes, and the status server."""
    before = platform.sections("trainer")
    for on, named in IMAGES.items():
        for name, image in named.items():
            container_runtime.tag_image(on, image.name, name)
    platform.edit(trainer=before["trainer"] | STATUS_SERVER, runtimes=RUNTIMES | CATALOGUE)
    platform.succeed("up")
    yield platform
    platform.edit(**before, runtimes=RUNTIMES)
    platform.succeed("up")


def test_upstreams_own_suite_passes_on_real_pods(upstreams_platform: Platform, tmp_path: Path) -> None:
    go_build.build((operators.UPSTREAM_TESTS,))
    report = tmp_path / "report.json"
    done = subprocess.run(
        [
            operators.UPSTREAM_TESTS.path,
            f"--ginkgo.skip={FLUX}",
            f"--ginkgo.json-report={report}",
            "--ginkgo.no-color",
            "--ginkgo.timeout=10m",
        ],
        env=os.environ | {"KUBECONFIG": str(upstreams_platform.kubeconfig)},
        capture_output=True,
        text=True,
        check=False,
    )
    specs = [spec for suite in json.loads(report.read_text()) for spec in suite["SpecReports"] if spec["LeafNodeText"]]
    states = {spec["LeafNodeText"]: spec["State"] for spec in specs}
    assert {name for name, state in states.items() if state == "passed"} == PASSED, done.stdout
    assert {name for name, state in states.items() if state != "passed"} == {FLUX}
    assert states[FLUX] == "skipped"

"""Trainer's own end-to-end tests of the release, unchanged, against a cluster that `up` made.

Their pods are simulated here. What needs a program in the pod to run (the status server, which a pod calls) is left to
`tests/e2e_pods`.
"""

import json
import os
import subprocess
from pathlib import Path

from tools import go_build
from tools.local_cluster import operators

from .conftest import Platform

FRAMEWORKS = ("torch", "deepspeed", "jax", "xgboost", "flux")
NEEDS_PROGRAMS_THAT_RUN = "runtime status server instrumentation"

PASSED = {
    "should create TrainJob with PyTorch runtime reference",
    "should create TrainJob with DeepSpeed runtime reference",
    "should create TrainJob with JAX runtime reference",
    "should create TrainJob with XGBoost runtime reference",
    "should create TrainJob with Flux runtime reference",
    "should preserve user-provided manager fields",
    "should update Time only for the changed patch on update",
    "should not be reconciled by the built-in controller",
    "should fail the TrainJob with DeadlineExceeded when active timeout expires",
    "TrainingRuntime",
    "ClusterTrainingRuntime",
}


def test_upstreams_own_suite_passes_on_the_runtimes_of_a_stack(checkout: Platform, tmp_path: Path) -> None:
    go_build.build((operators.UPSTREAM_TESTS,))
    runtimes = {f"{framework}-distributed": {"framework": framework} for framework in FRAMEWORKS}
    checkout.edit(runtimes=runtimes)
    checkout.succeed("up")
    report = tmp_path / "report.json"
    done = subprocess.run(
        [
            operators.UPSTREAM_TESTS.path,
            f"--ginkgo.skip={NEEDS_PROGRAMS_THAT_RUN}",
            f"--ginkgo.json-report={report}",
            "--ginkgo.no-color",
            "--ginkgo.timeout=10m",
        ],
        env=os.environ | {"KUBECONFIG": str(checkout.kubeconfig)},
        capture_output=True,
        text=True,
        check=False,
    )
    specs = [spec for suite in json.loads(report.read_text()) for spec in suite["SpecReports"] if spec["LeafNodeText"]]
    states = {spec["LeafNodeText"]: spec["State"] for spec in specs}
    assert {name for name, state in states.items() if state == "passed"} == PASSED, done.stdout
    assert set(states.values()) == {"passed", "skipped"}

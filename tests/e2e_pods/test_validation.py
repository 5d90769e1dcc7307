"""The validation of runtimes on real pods: good ones pass, and each cause is named that can be made here."""

import copy
import json
import os
import subprocess
import sys
import time
from typing import Any

import pytest
from kubernetes import client

from tests.e2e.conftest import Platform

from .trainjob import NAMESPACE

GOOD = {"validated-mpi4py": 3, "validated-deepspeed": 3, "validated-torch": 2}
"""Runtimes that pass, with the number of their ranks."""

REPEATS = 15 if os.environ.get("SOAK") else 1

CAUSES: dict[str, tuple[str, dict[str, Any]]] = {
    "ranks-on-launcher": ("all ranks on the launcher", {}),
    "missing-image": ("image not pulled", {"timeoutSeconds": 15}),
    "too-large": ("no node that fits", {"timeoutSeconds": 10}),
    "fair-share": ("GPU not visible", {}),
    "gives-up": ("host without address", {"nodes": 5, "timeoutSeconds": 60}),
}
"""Runtimes that fail: the cause, and the settings with which it shows."""


def validate(platform: Platform, *runtimes: str, **settings: Any) -> list[dict[str, Any]]:
    """The reports of `python -m stacks validate`."""
    platform.edit(validation={"timeoutSeconds": 120, **settings})
    command = [sys.executable, "-m", "stacks", "validate", "local", "--output", "json"]
    for runtime in runtimes:
        command += ["--runtime", runtime]
    try:
        done = subprocess.run(command, cwd=platform.project, capture_output=True, text=True, check=False)
    finally:
        platform.edit(validation=None)
    assert not done.stderr, done.stderr
    reports: list[dict[str, Any]] = json.loads(done.stdout)
    assert done.returncode == (0 if all(each["passed"] for each in reports) else 1)
    assert left_over(platform) == []
    return reports


def left_over(platform: Platform) -> list[str]:
    """Pods in the namespace of the validation."""
    pods = client.CoreV1Api(platform.cluster().client).list_namespaced_pod(NAMESPACE).items
    return [pod.metadata.name for pod in pods if pod.metadata.name.startswith("validate-")]


@pytest.mark.parametrize("repeat", range(REPEATS))
def test_good_runtimes_pass(platform: Platform, repeat: int) -> None:  # noqa: ARG001
    start = time.monotonic()
    reports = validate(platform, *GOOD)
    assert [each["runtime"] for each in reports] == [*GOOD]
    for report in reports:
        assert report["passed"], json.dumps(report, indent=2)
        outcomes = [each["outcome"] for each in report["phases"].values()]
        assert outcomes == ["not checked", "passed", "passed", "passed"]
        ranks = GOOD[report["runtime"]]
        assert report["phases"]["training"]["detail"] == f"{ranks} ranks on {ranks} hosts; no GPUs; allreduce right"
    print(f"{time.monotonic() - start:.1f} s")


@pytest.mark.parametrize("repeat", range(10 if os.environ.get("SOAK") else 1))
@pytest.mark.parametrize("runtime", CAUSES)
def test_cause_is_named(platform: Platform, runtime: str, repeat: int) -> None:  # noqa: ARG001
    cause, settings = CAUSES[runtime]
    (report,) = validate(platform, runtime, **settings)
    assert {each["name"] for each in report["causes"]} == {cause}, json.dumps(report, indent=2)


def test_unreadable_key_is_named(platform: Platform) -> None:
    # The linter refuses such a runtime in a stack file, so someone has changed it in the cluster.
    kind = {"api_version": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime"}
    runtimes = platform.cluster().resources.get(**kind)
    good = runtimes.get(name="validated-mpi4py").to_dict()["spec"]
    bad = copy.deepcopy(good)
    for job in bad["template"]["spec"]["replicatedJobs"]:
        job["template"]["spec"]["template"]["spec"]["securityContext"]["fsGroup"] = None
    patch = {"name": "validated-mpi4py", "content_type": "application/merge-patch+json"}
    try:
        runtimes.patch(body={"spec": bad}, **patch)
        (report,) = validate(platform, "validated-mpi4py")
    finally:
        runtimes.patch(body={"spec": good}, **patch)
    assert {each["name"] for each in report["causes"]} == {"key not readable"}, json.dumps(report, indent=2)


def test_up_validates_once_and_keeps_the_report(platform: Platform) -> None:
    platform.edit(validation={"runtimes": ["validated-torch"], "strict": True})
    try:
        assert "validated-torch: passed" in platform.succeed("up")
        reports = client.CoreV1Api(platform.cluster().client).read_namespaced_config_map(
            "training-validation-validated-torch", NAMESPACE
        )
        assert json.loads(reports.data["report.json"])["passed"]
        assert "validated-torch: passed" not in platform.succeed("up")
        platform.edit(validation={"runtimes": ["validated-torch", "ranks-on-launcher"], "strict": True})
        failed = platform.run("up")
        assert failed.returncode == 1
        assert "all ranks on the launcher" in failed.stdout
    finally:
        platform.edit(validation=None)
        platform.succeed("up")

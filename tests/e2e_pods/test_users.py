"""As whom the training runs, and whether that user can use the ssh keys."""

from collections.abc import Iterator
from typing import Any

import pytest

from components.k8s.scheduling import Toleration
from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError, Placement
from components.runtimes.rules.view import SSH_VOLUME
from tests.e2e.conftest import Platform
from tools.real_pods import node

from .runtimes import mpi
from .trainjob import submit

RULE = "SIL-07"
KEY_MODE = 0o640
"""The mode that Trainer gives the private key (pkg/constants/constants.go of 2.3.0)."""

# What the stack's pool gives to the runtimes of the stack.
TAINT = Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule")
ON_REAL_NODE = Placement(tolerations=(TAINT,), gpus_per_node=node.GPU.gpus)


def mode(pod: Any) -> int:
    (keys,) = [volume for volume in pod.spec.volumes if volume.name == SSH_VOLUME]
    (private,) = [item for item in keys.secret.items if item.path == "id_rsa"]
    return int(private.mode)


def pods(manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in manifest["spec"]["template"]["spec"]["replicatedJobs"]:
        yield job["template"]["spec"]["template"]


def create(platform: Platform, name: str, *, fs_group: bool) -> dict[str, Any]:
    """A runtime that only an API server would take: the stack refuses one without fsGroup."""
    manifest = mpi(name, placement=ON_REAL_NODE).to_manifest()
    for pod in pods(manifest):
        if not fs_group:
            del pod["spec"]["securityContext"]
    platform.cluster().resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"]).create(body=manifest)
    return manifest


def test_the_group_of_the_pod_lets_user_1000_read_the_key(platform: Platform) -> None:
    create(platform, "group", fs_group=True)
    job = submit(platform, "group")
    assert job.completes(), job.timeline.moments(job.name)
    assert set(job.ranks().values()) == job.hosts(4)
    assert {mode(pod) for pod in (*job.pods("node"), job.launcher())} == {KEY_MODE}


def test_key_is_unreadable_without_the_group_and_the_violation_says_so(platform: Platform) -> None:
    manifest = create(platform, "no-group", fs_group=False)
    job = submit(platform, "no-group")
    assert "Unable to load host key: /home/mpiuser/.ssh/id_rsa" in job.failed_worker()
    assert job.fails(), job.timeline.moments(job.name)
    with pytest.raises(InvalidRuntimeError) as refused:
        ClusterTrainingRuntime.from_manifest(manifest)
    assert [(v.rule, v.path.rpartition(".")[2]) for v in refused.value.violations] == [(RULE, "fsGroup")] * 2


def test_ssh_rejects_roots_key_and_the_warning_says_so(platform: Platform) -> None:
    job = submit(platform, "root")
    assert "UNPROTECTED PRIVATE KEY FILE" in job.failed_worker()
    assert job.fails(), job.timeline.moments(job.name)
    runtime = ClusterTrainingRuntime.from_manifest(
        platform.cluster()
        .resources.get(api_version="trainer.kubeflow.org/v1alpha1", kind="ClusterTrainingRuntime")
        .get(name="root")
        .to_dict()
    )
    assert {v.rule for v in runtime.check()} == {RULE}

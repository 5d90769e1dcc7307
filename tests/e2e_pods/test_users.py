"""As whom the training runs, and whether that user can use the ssh keys."""

from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes import client

from components.runtimes import ClusterTrainingRuntime, InvalidRuntime, Placement
from components.runtimes.rules.ssh import SSH_VOLUME
from components.runtimes.scheduling import Toleration
from tests.e2e.conftest import Platform
from tools.pods import kubelet

from .runtimes import mpi
from .trainjob import NAMESPACE, awaited, submit

RULE = "SIL-07"
KEY_MODE = 0o640
"""The mode of the private key that Trainer 2.3.0 sets. 2.0.0, which runs here, sets none: anyone may read the key."""

LABEL = {"training-platform/key-mode": "trainer-2.3"}
ADMISSION = "admissionregistration.k8s.io/v1"
POLICY = {
    "apiVersion": ADMISSION,
    "kind": "MutatingAdmissionPolicy",
    "metadata": {"name": "key-mode"},
    "spec": {
        "matchConstraints": {
            "objectSelector": {"matchLabels": LABEL},
            "resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
            ],
        },
        "reinvocationPolicy": "Never",
        "mutations": [
            {
                "patchType": "ApplyConfiguration",
                "applyConfiguration": {
                    "expression": "Object{spec: Object.spec{volumes: [Object.spec.volumes{"
                    f'name: "{SSH_VOLUME}", secret: Object.spec.volumes.secret{{defaultMode: {KEY_MODE}}}}}]}}}}'
                },
            }
        ],
    },
}
BINDING = {
    "apiVersion": ADMISSION,
    "kind": "MutatingAdmissionPolicyBinding",
    "metadata": {"name": "key-mode"},
    "spec": {"policyName": "key-mode"},
}
# What the stack's pool gives to the runtimes of the stack.
TAINT = Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule")
ON_REAL_NODE = Placement(tolerations=(TAINT,), gpus_per_node=kubelet.GPUS)
PROBE = {
    "metadata": {"name": "probe", "labels": LABEL},
    "spec": {
        "containers": [{"name": "probe", "image": "none"}],
        "volumes": [{"name": SSH_VOLUME, "secret": {"secretName": "none"}}],
    },
}


@pytest.fixture(scope="module", autouse=True)
def key_mode(platform: Platform) -> None:
    """Pods with the label get the private key with the mode of Trainer 2.3.0."""
    api = platform.cluster()
    for body in (POLICY, BINDING):
        api.resources.get(api_version=ADMISSION, kind=body["kind"]).create(body=body)
    core = client.CoreV1Api(api.client)
    awaited(lambda: mode(core.create_namespaced_pod(NAMESPACE, PROBE, dry_run="All")) == KEY_MODE)


def mode(pod: Any) -> int | None:
    (keys,) = [volume for volume in pod.spec.volumes if volume.name == SSH_VOLUME]
    return keys.secret.default_mode if keys.secret else None


def pods(manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in manifest["spec"]["template"]["spec"]["replicatedJobs"]:
        yield job["template"]["spec"]["template"]


def create(platform: Platform, name: str, *, fs_group: bool, labels: dict[str, str]) -> dict[str, Any]:
    """A runtime that only an API server would take: the stack refuses one without fsGroup."""
    manifest = mpi(name, placement=ON_REAL_NODE).to_manifest()
    for pod in pods(manifest):
        pod["metadata"] = {"labels": labels}
        if not fs_group:
            del pod["spec"]["securityContext"]
    platform.cluster().resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"]).create(body=manifest)
    return manifest


def test_the_group_of_the_pod_lets_user_1000_read_the_key(platform: Platform) -> None:
    create(platform, "group", fs_group=True, labels=LABEL)
    job = submit(platform, "group")
    assert job.completes(), job.timeline.moments(job.name)
    assert set(job.ranks().values()) == job.hosts(4)
    assert {mode(pod) for pod in (*job.pods("node"), job.launcher())} == {KEY_MODE}


def test_without_the_group_nobody_reads_the_key_and_the_finding_says_so(platform: Platform) -> None:
    manifest = create(platform, "no-group", fs_group=False, labels=LABEL)
    job = submit(platform, "no-group")
    assert "Unable to load host key: /home/mpiuser/.ssh/id_rsa" in job.failed_worker()
    assert job.fails(), job.timeline.moments(job.name)
    with pytest.raises(InvalidRuntime) as refused:
        ClusterTrainingRuntime.from_manifest(manifest)
    assert [(v.rule, v.path.rpartition(".")[2]) for v in refused.value.violations] == [(RULE, "fsGroup")] * 2


def test_without_the_group_the_keys_of_trainer_2_0_are_open_to_anyone(platform: Platform) -> None:
    create(platform, "no-group-2-0", fs_group=False, labels={})
    job = submit(platform, "no-group-2-0")
    assert job.completes(), job.timeline.moments(job.name)
    assert set(job.ranks().values()) == job.hosts(4)


def test_ssh_refuses_roots_key_and_the_warning_says_so(platform: Platform) -> None:
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

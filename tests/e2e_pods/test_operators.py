"""The operators: pods from upstream's charts and images, whose webhooks the API server reaches as on any cluster."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client
from kubernetes.client import ApiException

from tests.e2e.conftest import Platform
from tools.local_cluster import operators
from tools.real_pods import node

MAX_RESTARTS = 3
"""Trainer 2.3.0 exits if its CRDs are not served yet when it starts. Seen: once or twice."""


@pytest.fixture
def core(platform: Platform) -> client.CoreV1Api:
    return client.CoreV1Api(platform.cluster().client)


@pytest.mark.parametrize("operator", operators.DEFAULT, ids=lambda operator: operator.release)
def test_an_operator_runs_as_a_pod_of_upstreams_image(core: client.CoreV1Api, operator: operators.Operator) -> None:
    selector = f"app.kubernetes.io/name={operator.release}"
    (pod,) = core.list_pod_for_all_namespaces(label_selector=selector).items
    (container,) = pod.status.container_statuses
    assert (pod.status.phase, pod.spec.node_name) == ("Running", node.SYSTEM.name)
    assert (container.name, container.image) == (operator.container, operator.image_reference)
    assert container.ready
    assert container.restart_count <= MAX_RESTARTS


@pytest.mark.usefixtures("platform")
def test_operators_run_in_their_containers_only() -> None:
    assert executables() >= {"/manager"}
    assert not executables() & {str(program.path) for program in operators.PROGRAMS}


def executables() -> set[str]:
    """What the processes of the box run, as each sees it in its own root."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # one that has ended, or the kernel's
            found.add(str((process / "exe").readlink()))
    return found


def test_kubelet_and_control_plane_are_of_one_version(platform: Platform, core: client.CoreV1Api) -> None:
    control_plane = client.VersionApi(platform.cluster().client).get_code().git_version
    nodes = {each.metadata.name: each.status.node_info.kubelet_version for each in core.list_node().items}
    assert nodes == dict.fromkeys((each.name for each in node.ALL), control_plane)


def refusal(platform: Platform, body: dict[str, Any]) -> str:
    """What the API server says when it refuses the object."""
    kind = platform.cluster().resources.get(api_version=body["apiVersion"], kind=body["kind"])
    with pytest.raises(ApiException) as refused:
        kind.create(body=body, namespace="default")
    return str(json.loads(refused.value.body)["message"])


def test_invalid_jobset_is_denied_by_jobsets_webhook(platform: Platform) -> None:
    job = {"template": {"spec": {"containers": [{"name": "main", "image": "none"}], "restartPolicy": "Never"}}}
    refused = refusal(
        platform,
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "wrong"},
            "spec": {
                "replicatedJobs": [{"name": "main", "template": {"spec": job}}],
                "successPolicy": {"operator": "All", "targetReplicatedJobs": ["nobody"]},
            },
        },
    )
    assert refused.startswith(
        'admission webhook "validate-jobset-x-k8s-io-v1alpha2-jobset.x-k8s.io" denied the request'
    )


def test_invalid_trainjob_is_denied_by_trainers_webhook(platform: Platform) -> None:
    refused = refusal(
        platform,
        {
            "apiVersion": "trainer.kubeflow.org/v1alpha1",
            "kind": "TrainJob",
            "metadata": {"name": "wrong"},
            "spec": {"runtimeRef": {"name": "nobody"}},
        },
    )
    assert refused.startswith('admission webhook "validator.trainjob.trainer.kubeflow.org" denied the request')

"""PodGroups of gang schedulers."""

from typing import Any

import pytest

from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.explain.pod_groups import pod_requests
from tests.unit.runtimes.explain.pairs import explained, job, of_kind, runtime


def gang(policy: dict[str, Any], cpu: str = "500m", **template: Any) -> BaseTrainingRuntime:
    helper = job("helper", ancestor=None, container={"resources": {"requests": {"memory": "1Gi"}}})
    node = job(container={"resources": {"requests": {"cpu": cpu}, "limits": {"nvidia.com/gpu": 8}}}, **template)
    return runtime(helper, node, policy={"numNodes": 4}, gang=policy)


@pytest.mark.parametrize("version", ["2.0.0", "2.2.0", "2.3.0"])
def test_coscheduling_counts_the_requests_of_all_pods(version: str) -> None:
    explanation = explained(gang({"coscheduling": {}}), version)
    assert of_kind(explanation, "PodGroup") == [
        {
            "apiVersion": "scheduling.x-k8s.io/v1alpha1",
            "kind": "PodGroup",
            "metadata": {"name": "tj", "namespace": "default"},
            "spec": {"minMember": 5, "minResources": {"memory": "1Gi", "cpu": "2"}, "scheduleTimeoutSeconds": 60},
        }
    ]
    labels = [pod["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] for pod in of_kind(explanation, "Pod")]
    assert labels == ["tj"] * 5


@pytest.mark.parametrize(("version", "cpu"), [("2.0.0", "2"), ("2.2.0", "8"), ("2.3.0", "8")])
def test_the_train_job_s_resources_count_from_2_2_on(version: str, cpu: str) -> None:
    given = {"resourcesPerNode": {"requests": {"cpu": 2}}}
    group = of_kind(explained(gang({"coscheduling": {}}), version, trainer=given), "PodGroup")[0]
    assert group["spec"]["minResources"]["cpu"] == cpu


@pytest.mark.parametrize("version", ["2.2.0", "2.3.0"])
def test_volcano_takes_queue_priority_and_topology(version: str) -> None:
    made = runtime(
        job(pod={"priorityClassName": "high"}),
        gang={"volcano": {"networkTopology": {"mode": "soft"}}},
        metadata={"annotations": {"scheduling.volcano.sh/queue-name": "q"}},
    )
    explanation = explained(made, version)
    assert of_kind(explanation, "PodGroup")[0]["apiVersion"] == "scheduling.volcano.sh/v1beta1"
    assert of_kind(explanation, "PodGroup")[0]["spec"] == {
        "minMember": 1,
        "minResources": {},
        "queue": "q",
        "priorityClassName": "high",
        "networkTopology": {"mode": "soft", "highestTierAllowed": 1},
    }
    pod = of_kind(explanation, "Pod")[0]
    assert pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"] == "tj"


def test_a_runtime_with_both_schedulers_gets_a_group_of_each() -> None:
    groups = of_kind(explained(gang({"coscheduling": {}, "volcano": {}}), "2.3.0"), "PodGroup")
    assert [(each["apiVersion"], sorted(each["spec"])) for each in groups] == [
        ("scheduling.x-k8s.io/v1alpha1", ["minMember", "minResources", "scheduleTimeoutSeconds"]),
        ("scheduling.volcano.sh/v1beta1", ["minMember", "minResources"]),
    ]


def test_2_0_drops_volcano_and_still_labels_the_pods() -> None:
    explanation = explained(gang({"volcano": {}}), "2.0.0")
    assert of_kind(explanation, "PodGroup") == []
    assert of_kind(explanation, "Pod")[0]["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] == "tj"


def test_an_init_container_counts_where_it_requests_more() -> None:
    def request(cpu: str, **fields: str) -> dict[str, Any]:
        return {"name": "a", "resources": {"requests": {"cpu": cpu}}, **fields}

    sidecar = request("1", restartPolicy="Always")
    pod = {"containers": [request("2")], "initContainers": [sidecar, request("3")], "overhead": {"cpu": "100m"}}
    assert {name: str(amount) for name, amount in pod_requests(pod).items()} == {"cpu": "4100m"}
    pod = {"containers": [request("2")], "initContainers": [request("1")]}
    assert {name: str(amount) for name, amount in pod_requests(pod).items()} == {"cpu": "2"}
    whole: dict[str, Any] = {"containers": [request("2")], "resources": {"requests": {"cpu": "5"}}}
    assert {name: str(amount) for name, amount in pod_requests(whole).items()} == {"cpu": "5"}

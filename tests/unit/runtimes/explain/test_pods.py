"""The pods of a Job."""

from typing import Any

import pytest

from tests.unit.runtimes.explain.pairs import explained, job, of_kind, runtime

INDEX = "batch.kubernetes.io/job-completion-index"
COMPLETION_INDEX = {
    "name": "JOB_COMPLETION_INDEX",
    "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}},
}


def test_pods_are_numbered() -> None:
    explanation = explained(runtime(policy={"numNodes": 2}))
    first, second = of_kind(explanation, "Pod")
    assert (first["metadata"]["generateName"], second["metadata"]["generateName"]) == ("tj-node-0-0-", "tj-node-0-1-")
    assert second["metadata"]["namespace"] == "default"
    assert second["metadata"]["labels"][INDEX] == second["metadata"]["annotations"][INDEX] == "1"
    assert second["metadata"]["finalizers"] == ["batch.kubernetes.io/job-tracking"]
    assert (second["spec"]["hostname"], second["spec"]["subdomain"]) == ("tj-node-0-1", "tj")
    assert explanation.jobs[0].hosts == ("tj-node-0-0.tj", "tj-node-0-1.tj")


def test_every_container_gets_its_index_unless_it_has_one() -> None:
    own = [{"name": "JOB_COMPLETION_INDEX", "value": "7"}]
    containers = [{"name": "node", "image": "a:1"}, {"name": "side", "image": "a:1", "env": own}]
    made = runtime(job(pod={"containers": containers, "initContainers": [{"name": "init", "image": "a:1"}]}))
    spec = of_kind(explained(made), "Pod")[0]["spec"]
    assert [each["env"] for each in (*spec["initContainers"], *spec["containers"])] == [
        [COMPLETION_INDEX],
        [COMPLETION_INDEX],
        own,
    ]


def test_pods_that_are_not_numbered_have_no_names() -> None:
    explanation = explained(runtime(job(spec={"completionMode": "NonIndexed"})))
    pod = of_kind(explanation, "Pod")[0]
    assert pod["metadata"]["generateName"] == "tj-node-0-"
    assert "hostname" not in pod["spec"]
    assert "env" not in pod["spec"]["containers"][0]
    assert explanation.jobs[0].hosts == ()
    assert explanation.environment == ()


def test_a_job_has_a_selector_and_its_pods_have_labels() -> None:
    made = of_kind(explained(runtime()), "Job")[0]
    uid = "<uid of the Job>"
    assert made["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    labels = made["spec"]["template"]["metadata"]["labels"]
    names = ("job-name", "controller-uid", "batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid")
    assert [labels[name] for name in names] == ["tj-node-0", uid, "tj-node-0", uid]
    assert made["spec"]["suspend"] is False


@pytest.mark.parametrize(("version", "priority"), [("2.0.0", None), ("2.2.0", "0"), ("2.3.0", "0")])
def test_pods_are_labelled_with_their_priority(version: str, priority: str | None) -> None:
    pod = of_kind(explained(runtime(), version), "Pod")[0]
    assert pod["metadata"]["labels"].get("jobset.sigs.k8s.io/priority") == priority


def test_a_priority_class_s_value_is_the_cluster_s() -> None:
    pod = of_kind(explained(runtime(job(pod={"priorityClassName": "high"}))), "Pod")[0]
    assert pod["metadata"]["labels"]["jobset.sigs.k8s.io/priority"] == "<priority of high>"


def test_failures_by_index_are_counted_from_0() -> None:
    pod = of_kind(explained(runtime(job(spec={"backoffLimitPerIndex": 1}))), "Pod")[0]
    assert pod["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"] == "0"


def test_a_long_name_is_cut_before_the_index() -> None:
    explanation = explained(runtime(job("x" * 49)))
    prefix: str = of_kind(explanation, "Pod")[0]["metadata"]["generateName"]
    assert (len(prefix), prefix[-6:]) == (57, "x-0-0-")


def test_the_first_pod_is_alone_in_its_topology() -> None:
    made = runtime(
        metadata={"annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": "rack"}}, policy={"numNodes": 2}
    )
    first, second = of_kind(explained(made), "Pod")
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    rules: dict[str, Any] = first["spec"]["affinity"]
    key = first["metadata"]["labels"]["jobset.sigs.k8s.io/job-key"]
    assert rules["podAffinity"][required] == [
        {
            "labelSelector": {
                "matchExpressions": [{"key": "jobset.sigs.k8s.io/job-key", "operator": "In", "values": [key]}]
            },
            "topologyKey": "rack",
            "namespaceSelector": {},
        }
    ]
    others = rules["podAntiAffinity"][required][0]["labelSelector"]["matchExpressions"]
    assert [each["operator"] for each in others] == ["Exists", "NotIn", "In"]
    assert "affinity" not in second["spec"]

"""What JobSet makes of a JobSet."""

from typing import Any

import pytest

from components.runtimes.explain import Explanation
from tests.unit.runtimes.explain.pairs import explained, job, of_kind, runtime

NAME, STEP = "jobset.sigs.k8s.io", "trainer.kubeflow.org/trainjob-ancestor-step"


def jobs(explanation: Explanation) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each for each in of_kind(explanation, "Job")}


@pytest.mark.parametrize("version", ["2.0.0", "2.2.0", "2.3.0"])
def test_a_job_s_labels_are_its_annotations_too(version: str) -> None:
    explanation = explained(runtime(job("helper", ancestor=None, replicas=2), job()), version)
    second = jobs(explanation)["tj-helper-1"]
    expected = {
        f"{NAME}/jobset-name": "tj",
        f"{NAME}/replicatedjob-name": "helper",
        f"{NAME}/restart-attempt": "0",
        f"{NAME}/replicatedjob-replicas": "2",
        f"{NAME}/global-replicas": "3",
        f"{NAME}/job-index": "1",
        # sha1 of default/tj-helper-1
        f"{NAME}/job-key": "203ffc4ed193f9e3e8d357a4c6dd6a63f4a7e785",
        f"{NAME}/job-global-index": "1",
    }
    if version != "2.0.0":
        expected |= {
            f"{NAME}/jobset-uid": "<uid of the JobSet>",
            f"{NAME}/group-name": "default",
            f"{NAME}/group-replicas": "3",
            f"{NAME}/job-group-index": "1",
        }
    assert second["metadata"]["labels"] == second["metadata"]["annotations"] == expected
    labels = jobs(explanation)["tj-node-0"]["metadata"]["labels"]
    assert (labels[STEP], labels[f"{NAME}/job-global-index"]) == ("trainer", "2")


def test_groups_are_numbered_for_themselves() -> None:
    made = runtime(job("a", ancestor=None, groupName="x"), job("b", ancestor=None, replicas=2), job(groupName="x"))
    labels = jobs(explained(made))["tj-node-0"]["metadata"]["labels"]
    assert (labels[f"{NAME}/group-replicas"], labels[f"{NAME}/job-group-index"]) == ("2", "1")


def test_defaults_are_the_webhook_s() -> None:
    rules = [{"name": "", "action": "FailJobSet"}, {"name": "mine", "action": "FailJobSet"}]
    explanation = explained(runtime(failurePolicy={"rules": rules}))
    assert explanation.jobset is not None
    spec = explanation.jobset["spec"]
    assert spec["successPolicy"] == {"operator": "All"}
    assert spec["startupPolicy"] == {"startupPolicyOrder": "AnyOrder"}
    assert spec["network"] == {"enableDNSHostnames": True, "publishNotReadyAddresses": True}
    assert [rule["name"] for rule in spec["failurePolicy"]["rules"]] == ["failurePolicyRule0", "mine"]
    made = jobs(explanation)["tj-node-0"]["spec"]
    assert (made["completionMode"], made["template"]["spec"]["restartPolicy"]) == ("Indexed", "OnFailure")
    assert "network" not in explanation.applied[0]["spec"]


def test_the_service_is_headless_and_selects_all_pods() -> None:
    explanation = explained(runtime(network={"subdomain": "net", "publishNotReadyAddresses": False}))
    assert of_kind(explanation, "Service") == [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "net", "namespace": "default"},
            "spec": {
                "clusterIP": "None",
                "selector": {f"{NAME}/jobset-name": "tj"},
                "publishNotReadyAddresses": False,
            },
        }
    ]
    assert jobs(explanation)["tj-node-0"]["spec"]["template"]["spec"]["subdomain"] == "net"


def test_without_dns_names_there_is_no_service() -> None:
    explanation = explained(runtime(network={"enableDNSHostnames": False}))
    assert of_kind(explanation, "Service") == []
    assert "subdomain" not in jobs(explanation)["tj-node-0"]["spec"]["template"]["spec"]
    assert explanation.jobs[0].hosts == ()


def test_claims_are_mounted_where_a_container_names_them() -> None:
    mounts = {"volumeMounts": [{"name": "data", "mountPath": "/d"}]}
    template = {"metadata": {"name": "data", "labels": {"a": "1"}}, "spec": {"accessModes": ["ReadWriteMany"]}}
    made = runtime(job("helper", ancestor=None), job(container=mounts), volumeClaimPolicies=[{"templates": [template]}])
    explanation = explained(made)
    assert of_kind(explanation, "PersistentVolumeClaim") == [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {
                "name": "data-tj",
                "namespace": "default",
                "labels": {"a": "1", f"{NAME}/jobset-name": "tj"},
            },
            "spec": {"accessModes": ["ReadWriteMany"]},
        }
    ]
    assert [(each.job, each.source, each.mounts, each.origin) for each in explanation.volumes] == [
        ("node", "persistentVolumeClaim data-tj", ("node:/d",), "JobSet")
    ]
    assert of_kind(explained(made, "2.0.0"), "PersistentVolumeClaim") == []


def test_the_coordinator_is_a_label() -> None:
    explanation = explained(runtime(coordinator={"replicatedJob": "node", "podIndex": 1}))
    assert jobs(explanation)["tj-node-0"]["metadata"]["labels"][f"{NAME}/coordinator"] == "tj-node-0-1.tj"


def test_exclusive_placement_by_node_selectors() -> None:
    placed = {f"alpha.{NAME}/exclusive-topology": "rack", f"alpha.{NAME}/node-selector": "true"}
    explanation = explained(runtime(metadata={"annotations": placed}))
    pod = jobs(explanation)["tj-node-0"]["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {f"alpha.{NAME}/namespaced-job": "default_tj-node-0"}
    assert pod["tolerations"] == [{"key": f"alpha.{NAME}/no-schedule", "operator": "Exists", "effect": "NoSchedule"}]


def test_exclusive_placement_without_node_selectors_is_for_pods() -> None:
    explanation = explained(runtime(metadata={"annotations": {f"alpha.{NAME}/exclusive-topology": "rack"}}))
    made = jobs(explanation)["tj-node-0"]
    assert made["metadata"]["annotations"][f"alpha.{NAME}/exclusive-topology"] == "rack"
    assert "nodeSelector" not in made["spec"]["template"]["spec"]


def test_names_that_are_too_long_are_refused() -> None:
    assert explained(runtime(job("x" * 50))).failure is None
    name = f"tj-{'x' * 51}-0-0-abcde"
    assert explained(runtime(job("x" * 51))).failure == (
        f"JobSet refuses the JobSet: names such as {name} have 64 characters; the maximum is 63."
    )

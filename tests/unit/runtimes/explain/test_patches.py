"""What a TrainJob changes in the runtime's template."""

from typing import Any

from components.runtimes.explain import Explanation
from tests.unit.runtimes.explain.pairs import container, explained, job, runtime


def patch(job_name: str = "node", manager: str = "a.com/b", metadata: Any = None, **pod: Any) -> dict[str, Any]:
    template = {"spec": {"template": {"spec": pod}}}
    changes: dict[str, Any] = {"spec": {"replicatedJobs": [{"name": job_name, "template": template}]}}
    if metadata:
        changes["metadata"] = metadata
    return {"manager": manager, "trainingRuntimeSpec": {"template": changes}}


def pod(explanation: Explanation) -> dict[str, Any]:
    manifest: dict[str, Any] = explanation.applied[0]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"][
        "spec"
    ]
    return manifest


def test_a_patch_changes_pods_of_one_job() -> None:
    made = runtime(job(pod={"nodeSelector": {"a": "1"}}), job("other", ancestor=None))
    explanation = explained(made, "2.2.0", runtimePatches=[patch(nodeSelector={"b": "2"}, tolerations=[{"key": "k"}])])
    assert pod(explanation)["nodeSelector"] == {"a": "1", "b": "2"}
    assert pod(explanation)["tolerations"] == [{"key": "k"}]
    other = explanation.applied[0]["spec"]["replicatedJobs"][1]["template"]["spec"]["template"]["spec"]
    assert "nodeSelector" not in other


def test_patches_are_applied_in_order_and_label_the_jobset() -> None:
    patches = [
        patch(metadata={"labels": {"a": "1", "b": "1"}}),
        patch(manager="c.com/d", metadata={"labels": {"b": "2"}, "annotations": {"n": "x"}}),
    ]
    metadata = explained(runtime(metadata={"labels": {"z": "0"}}), runtimePatches=patches).applied[0]["metadata"]
    assert metadata == {
        "name": "tj",
        "namespace": "default",
        "labels": {"z": "0", "a": "1", "b": "2"},
        "annotations": {"n": "x"},
    }


def test_a_patch_s_variables_and_volumes_are_its_manager_s() -> None:
    made = runtime(
        job("helper", ancestor=None, container={"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "1"}]})
    )
    change = patch(
        "helper",
        containers=[{"name": "helper", "env": [{"name": "B", "value": "2"}]}],
        volumes=[{"name": "data", "emptyDir": {}}],
    )
    explanation = explained(made, runtimePatches=[change])
    origins = {each.name: (each.value, each.origin) for each in explanation.environment}
    assert origins["A"] == ("1", "runtime")
    assert origins["B"] == ("2", "TrainJob runtimePatches (a.com/b)")
    assert [(each.name, each.origin) for each in explanation.volumes] == [("data", "TrainJob runtimePatches (a.com/b)")]


def test_overrides_of_2_0_change_the_pods_of_their_jobs_and_label_the_jobset() -> None:
    override = {"targetJobs": [{"name": "node"}], "serviceAccountName": "s", "containers": [{"name": "node"}]}
    explanation = explained(runtime(), "2.0.0", podSpecOverrides=[override], labels={"a": "1"}, annotations={"b": "2"})
    assert pod(explanation)["serviceAccountName"] == "s"
    assert "targetJobs" not in pod(explanation)
    assert explanation.applied[0]["metadata"]["labels"] == {"a": "1"}
    assert explanation.applied[0]["metadata"]["annotations"] == {"b": "2"}


def test_fields_of_another_release_change_nothing_and_are_named() -> None:
    override = {"targetJobs": [{"name": "node"}], "serviceAccountName": "s"}
    explanation = explained(runtime(), "2.3.0", podSpecOverrides=[override], labels={"a": "1"})
    assert "serviceAccountName" not in pod(explanation)
    assert explanation.notes == (
        "TrainJob: Trainer 2.3.0 does not know spec.labels.",
        "TrainJob: Trainer 2.3.0 does not know spec.podSpecOverrides.",
    )
    grace = patch(terminationGracePeriodSeconds=5)
    assert "terminationGracePeriodSeconds" not in pod(explained(runtime(), "2.2.0", runtimePatches=[grace]))
    assert pod(explained(runtime(), "2.3.0", runtimePatches=[grace]))["terminationGracePeriodSeconds"] == 5


def test_a_patch_of_a_container_keeps_its_other_fields() -> None:
    change = patch(containers=[{"name": "node", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}])
    assert container(explained(runtime(), runtimePatches=[change])) == {
        "name": "node",
        "image": "a:1",
        "volumeMounts": [{"name": "v", "mountPath": "/v"}],
    }


def test_a_patch_of_a_job_that_the_runtime_does_not_have_adds_the_job_first_since_2_3() -> None:
    """Seen on the controllers of 2.3.0, whose webhook admits the patch."""
    change = patch("helper", containers=[{"name": "main", "env": [{"name": "P", "value": "1"}]}])
    added, node = explained(runtime(), "2.3.0", runtimePatches=[change]).applied[0]["spec"]["replicatedJobs"]
    assert (added["name"], node["name"]) == ("helper", "node")
    assert (added["replicas"], added["groupName"]) == (1, "default")
    assert added["template"]["spec"]["template"]["spec"]["containers"] == [
        {"name": "main", "env": [{"name": "P", "value": "1"}]}
    ]
    jobs = explained(runtime(), "2.2.0", runtimePatches=[change]).applied[0]["spec"]["replicatedJobs"]
    assert [each["name"] for each in jobs] == ["node"]

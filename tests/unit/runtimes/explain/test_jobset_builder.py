"""The JobSet that Trainer applies."""

from typing import Any

import pytest

from tests.unit.runtimes.explain.pairs import VERSIONS, container, explained, job, runtime, variables


@pytest.mark.parametrize("version", VERSIONS)
def test_the_whole_jobset(version: str) -> None:
    made = runtime(metadata={"labels": {"a": "1"}, "annotations": {"b": "2"}}, policy={"numNodes": 2})
    group = {} if version == "2.0.0" else {"groupName": "default"}
    assert explained(made, version, trainer={"image": "b:2", "command": ["c"], "args": ["d"]}).applied[0] == {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "tj", "namespace": "default", "labels": {"a": "1"}, "annotations": {"b": "2"}},
        "spec": {
            "replicatedJobs": [
                {
                    "name": "node",
                    "replicas": 1,
                    **group,
                    "template": {
                        "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                        "spec": {
                            "parallelism": 2,
                            "completions": 2,
                            "template": {
                                "spec": {
                                    "containers": [{"name": "node", "image": "b:2", "command": ["c"], "args": ["d"]}]
                                }
                            },
                        },
                    },
                }
            ],
            "suspend": False,
        },
    }


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.0.0", {"limits": {"cpu": "4"}}),
        ("2.2.0", {"limits": {"cpu": "4"}}),
        ("2.3.0", {"limits": {"cpu": "4", "nvidia.com/gpu": "8"}, "requests": {"memory": "1Gi"}}),
    ],
)
def test_only_2_3_merges_resources(version: str, expected: dict[str, Any]) -> None:
    resources = {"limits": {"cpu": "2", "nvidia.com/gpu": 8}, "requests": {"memory": "1024Mi"}}
    made = runtime(job(container={"resources": resources}), policy={})
    assert container(explained(made, version, trainer={"resourcesPerNode": {"limits": {"cpu": "4000m"}}}))[
        "resources"
    ] == (expected)


def test_resources_of_claims_are_lost() -> None:
    given = {"resourcesPerNode": {"claims": [{"name": "gpu"}], "limits": {"cpu": 1}}}
    made = runtime(job(container={"resources": {"claims": [{"name": "gpu"}]}}), policy={})
    assert container(explained(made, trainer=given))["resources"] == {"limits": {"cpu": "1"}}
    only_claims = {"resourcesPerNode": {"claims": [{"name": "gpu"}]}}
    assert container(explained(made, "2.2.0", trainer=only_claims))["resources"] == {"claims": [{"name": "gpu"}]}


def test_2_3_needs_a_policy_to_set_resources() -> None:
    given = {"resourcesPerNode": {"limits": {"cpu": 1}}}
    assert "resources" not in container(explained(runtime(), trainer=given))
    assert container(explained(runtime(), "2.2.0", trainer=given))["resources"] == {"limits": {"cpu": "1"}}


@pytest.mark.parametrize("version", VERSIONS)
def test_initializers_get_what_they_load(version: str) -> None:
    made = runtime(
        job("dataset-initializer", ancestor="dataset-initializer", replicas=3),
        job("model-initializer", ancestor="model-initializer"),
        job(),
    )
    given = {
        "dataset": {"storageUri": "hf://a", "env": [{"name": "A", "value": "1"}], "secretRef": {"name": "s"}},
        "model": {"env": [{"name": "B", "value": "2"}]},
    }
    explanation = explained(made, version, initializer=given)
    name = "dataset-initializer"
    assert variables(explanation, name, name) == {"STORAGE_URI": "hf://a", "A": "1"}
    assert container(explanation, name, name)["envFrom"] == [{"secretRef": {"name": "s"}}]
    assert variables(explanation, "model-initializer", "model-initializer") == {"B": "2"}
    assert {each.name: each.origin for each in explanation.environment if each.name in {"STORAGE_URI", "B"}} == {
        "STORAGE_URI": "TrainJob initializer.dataset.storageUri",
        "B": "TrainJob initializer.model.env",
    }
    assert [each.name for each in explanation.jobs] == [f"tj-{name}-0", "tj-model-initializer-0", "tj-node-0"]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_last_of_two_ports_without_names_is_there_twice(version: str) -> None:
    made = runtime(job(container={"ports": [{"containerPort": 80}, {"containerPort": 81}]}))
    assert [port["containerPort"] for port in container(explained(made, version))["ports"]] == [81, 81]


def test_a_suspended_train_job_has_a_suspended_jobset() -> None:
    assert explained(runtime(), suspend=True).applied[0]["spec"]["suspend"] is True


def test_a_job_without_containers_that_a_patch_adds_is_a_failure() -> None:
    jobs = [{"name": "node"}, {"name": "worker"}]
    patches = [{"manager": "a.com/b", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}]

    assert explained(runtime(), runtimePatches=patches).failure == (
        "The replicated job worker has no containers: the JobSet is rejected."
    )
    patches[0]["trainingRuntimeSpec"] = {"template": {"spec": {"replicatedJobs": jobs[:1]}}}
    assert explained(runtime(), runtimePatches=patches).failure is None

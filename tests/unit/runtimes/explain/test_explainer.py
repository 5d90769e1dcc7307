"""Explanations as a whole."""

import pytest

from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.catalog import deepspeed, torch
from components.runtimes.explain import RELEASES, ExplainError, explain
from tests.unit.runtimes.explain.pairs import explained, job, of_kind, runtime, train_job
from tests.upstream import MATRIX


def test_the_releases_are_the_matrix_s_with_their_jobsets() -> None:
    known = dict(MATRIX)
    assert {trainer: release.jobset for trainer, release in RELEASES.items()} == {
        version: known[version] for version in RELEASES
    }


def test_without_a_train_job_one_is_explained_that_sets_nothing() -> None:
    explanation = explain(torch())
    assert (explanation.name, explanation.namespace) == ("train", "default")
    assert [each.pods for each in explanation.jobs] == [1]
    assert "PET_NNODES" in {each.name for each in explanation.environment}


def test_the_objects_are_in_the_order_of_their_creation() -> None:
    kinds = [each["kind"] for each in explain(deepspeed()).objects()]
    assert kinds == ["JobSet", "ConfigMap", "Secret", "ConfigMap", "Service", "Job", "Job", "Pod", "Pod"]


def test_explaining_changes_nothing() -> None:
    made, given = deepspeed(), train_job(trainer={"numNodes": 4, "command": ["a"]})
    before = made.to_manifest(), given.to_manifest()
    explanation = explain(made, given)
    first = explanation.objects()
    assert explanation.objects() == first
    assert explain(made, given).objects() == first
    assert (made.to_manifest(), given.to_manifest()) == before


def test_the_namespace_is_the_train_job_s() -> None:
    explanation = explain(runtime(), train_job(namespace="ml"))
    assert {each["metadata"]["namespace"] for each in explanation.objects()} == {"ml"}


def test_another_controller_s_train_job_becomes_nothing() -> None:
    explanation = explained(runtime(), managedBy="kueue.x-k8s.io/multikueue")
    assert explanation.failure == "Trainer leaves the TrainJob to kueue.x-k8s.io/multikueue."
    assert explanation.objects() == []


def test_a_release_that_is_not_known_is_refused() -> None:
    with pytest.raises(ExplainError) as refused:
        explain(runtime(), trainer="2.3.1")
    assert str(refused.value) == "Trainer 2.3.1 cannot be explained. Use 2.0.0, 2.2.0, 2.3.0."


@pytest.mark.parametrize(
    ("made", "nodes"),
    [
        (runtime(), 10_001),
        (runtime(policy={"numNodes": 10_001}), None),
        (runtime(job(replicas=101)), 100),
        (runtime(job(spec={"parallelism": 10_001})), None),
    ],
)
def test_more_pods_than_can_be_listed_are_rejected(made: BaseTrainingRuntime, nodes: int | None) -> None:
    with pytest.raises(ExplainError) as refused:
        explain(made, train_job(trainer={"numNodes": nodes} if nodes else {}))
    count = 10_100 if nodes == 100 else 10_001
    assert str(refused.value) == (
        f"The replicated job node may have {count} pods, more than 10000. Explain the same TrainJob with fewer nodes."
    )


def test_ten_thousand_pods_are_explained() -> None:
    assert explain(runtime(), train_job(trainer={"numNodes": 10_000})).jobs[0].pods == 10_000


def test_only_2_3_keeps_a_snapshot() -> None:
    names = [each["metadata"]["name"] for each in of_kind(explained(runtime()), "ConfigMap")]
    assert names == ["tj-runtime-snapshot"]
    assert of_kind(explained(runtime(), "2.2.0"), "ConfigMap") == []


def test_a_note_names_claims_that_are_lost() -> None:
    notes = explained(runtime(policy={}), trainer={"resourcesPerNode": {"limits": {"cpu": 1}}}).notes
    assert notes == ("Trainer drops resources.claims of the container node where the TrainJob sets resourcesPerNode.",)


def test_volumes_are_listed_with_their_mounts() -> None:
    mounts = [{"name": "data", "mountPath": "/d"}]
    volumes = [{"name": "data", "hostPath": {"path": "/mnt"}}, {"name": "none"}]
    explanation = explained(runtime(job(container={"volumeMounts": mounts}, pod={"volumes": volumes})))
    assert [(each.name, each.source, each.mounts, each.origin) for each in explanation.volumes] == [
        ("data", "hostPath /mnt", ("node:/d",), "runtime"),
        ("none", "emptyDir", (), "runtime"),
    ]


def test_variables_are_listed_with_their_sources() -> None:
    env = [
        {"name": "A", "value": "1"},
        {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "C", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "D", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
        {"name": "E", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
    ]
    explanation = explained(runtime(job(container={"env": env})))
    assert [(each.name, each.value) for each in explanation.environment] == [
        ("A", "1"),
        ("B", "<secret s: k>"),
        ("C", "<field metadata.name>"),
        ("D", "<resourceField limits.cpu>"),
        ("E", "<configMap c: k>"),
        ("JOB_COMPLETION_INDEX", "<index of the pod>"),
    ]

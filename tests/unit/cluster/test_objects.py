"""Objects of Trainer and JobSet: paths, and names in messages."""

from typing import Any

import pytest

from components.cluster.objects import ObjectRef, bullet_list, collection_path, pluralize


@pytest.mark.parametrize(
    ("kind", "namespace", "path"),
    [
        ("TrainJob", "a", "/apis/trainer.kubeflow.org/v1alpha1/namespaces/a/trainjobs"),
        ("TrainJob", None, "/apis/trainer.kubeflow.org/v1alpha1/trainjobs"),
        ("JobSet", None, "/apis/jobset.x-k8s.io/v1alpha2/jobsets"),
        ("CustomResourceDefinition", None, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
    ],
)
def test_objects_of_a_kind_have_a_path(kind: str, namespace: str | None, path: str) -> None:
    assert collection_path(kind, namespace) == path
    assert ObjectRef(kind, "mine", namespace).path == f"{path}/mine"


@pytest.mark.parametrize(
    ("manifest", "kind", "reference", "text"),
    [
        (
            {"kind": "TrainJob", "metadata": {"name": "a", "namespace": "b"}},
            None,
            ObjectRef("TrainJob", "a", "b"),
            "TrainJob b/a",
        ),
        (
            {"metadata": {"name": "a"}},
            "ClusterTrainingRuntime",
            ObjectRef("ClusterTrainingRuntime", "a"),
            "ClusterTrainingRuntime a",
        ),
    ],
)
def test_reference_is_that_of_a_manifest(manifest: Any, kind: str | None, reference: ObjectRef, text: str) -> None:
    assert ObjectRef.of(manifest, kind) == reference
    assert str(reference) == text


def test_list_has_ten_lines_and_the_number_of_the_others() -> None:
    ten = "".join(f"\n  a{number}" for number in range(10))
    assert bullet_list([f"a{number}" for number in range(10)]) == ten
    assert bullet_list([f"a{number}" for number in range(12)]) == f"{ten}\n  and 2 more"
    assert bullet_list(["a\x1b[31m\nb"]) == "\n  a\\x1b[31m\\nb"
    assert bullet_list([]) == ""


def test_count_has_a_plural() -> None:
    assert [pluralize(["a"] * number, "object") for number in (0, 1, 2)] == ["0 objects", "1 object", "2 objects"]

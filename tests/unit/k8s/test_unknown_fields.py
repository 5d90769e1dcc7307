"""Fields that the API does not have: what is said of each, and what was meant."""

from typing import Any

import pytest
from pydantic_core import PydanticCustomError

from components.k8s.unknown_fields import (
    POLICIES,
    find_removed_field,
    foreign_field,
    removed_field,
    removed_fields,
    unknown_field,
    with_meant_policy,
)
from components.runtimes.ml_policy import MLPolicy
from components.validation.paths import FieldPath


def refusal(error: PydanticCustomError | None) -> tuple[Any, ...]:
    said = error.context if error and error.context else {}
    return said["rule"], said["message"], said["fix"]


@pytest.mark.parametrize(
    ("name", "known", "elsewhere", "fix"),
    [
        ("imgae", ["image", "name"], None, "Did you mean image?"),
        ("num_nodes", ["numNodes"], None, "Did you mean numNodes?"),
        ("image", ["images"], "spec.image", "Did you mean images?"),
        ("imgs", ["image"], "spec.imgs", "Move it to spec.imgs."),
        ("imgs", ["image"], None, "Did you mean image?"),
        ("xyz", ["name", "image"], None, "Remove it. Known fields: image, name."),
        ("xyz", [], None, "Remove it. Known fields: none."),
    ],
)
def test_unknown_field_has_the_nearest_name_or_the_path_of_the_api(
    name: str, known: list[str], elsewhere: str | None, fix: str
) -> None:
    message = f"The API has no field {name} here: it rejects the field or drops it silently."
    assert refusal(unknown_field(name, known, elsewhere)) == ("CTR-36", message, fix)


@pytest.mark.parametrize(
    ("loc", "fix"),
    [
        (("spec", "mlPolicy", "deepspeed"), "Write spec.mlPolicy.mpi: DeepSpeed starts under MPI."),
        (
            ("spec", "mlPolicy", "ray"),
            "Remove it: Trainer 2.3 has no policy for Ray, and starts such a training as a plain one.",
        ),
        (("spec", "trainer"), "Remove it: it belongs to the TrainJobs, which say it for themselves."),
        (
            ("spec", "pytorchReplicaSpecs"),
            "Remove it, and write one job a role in spec.template.spec.replicatedJobs.",
        ),
    ],
)
def test_field_of_another_api_has_its_replacement(loc: FieldPath, fix: str) -> None:
    message = f"The API has no field {loc[-1]} here: it is rejected or dropped."
    assert refusal(foreign_field(loc, {}, "ClusterTrainingRuntime")) == ("CTR-36", message, fix)


@pytest.mark.parametrize("loc", [("spec", "mlPolicy"), ("mlPolicy", "deepspeed"), ("spec", "x")])
def test_other_fields_are_not_foreign(loc: FieldPath) -> None:
    assert foreign_field(loc, {}, "ClusterTrainingRuntime") is None


def test_run_policy_has_the_replacements_of_the_keys_that_are_given() -> None:
    loc = ("spec", "runPolicy")
    *_, fix = refusal(foreign_field(loc, {"backoffLimit": 3, "suspend": True, "other": 1}, "ClusterTrainingRuntime"))
    assert fix == (
        "Remove it: for backoffLimit there is spec.template.spec.failurePolicy.maxRestarts; "
        "for suspend there is the suspend of TrainJobs."
    )
    assert refusal(foreign_field(loc, 7, "ClusterTrainingRuntime"))[2].count("there is") == 6


MPI = ("spec", "mlPolicy", "deepspeed")


@pytest.mark.parametrize(
    ("policy", "unknown", "read"),
    [
        ({"numNodes": 2}, [MPI], {"numNodes": 2, "mpi": {}}),
        ({"numNodes": 2, "torch": {}}, [MPI], {"numNodes": 2, "torch": {}}),
        ({"numNodes": 2}, [("spec", "mlPolicy", "ray")], {"numNodes": 2}),
        ({"numNodes": 2}, [], {"numNodes": 2}),
        (None, [MPI], None),
    ],
)
def test_framework_that_starts_under_mpi_means_its_policy(policy: Any, unknown: list[FieldPath], read: Any) -> None:
    manifest = {"kind": "A", "spec": {"mlPolicy": policy, "template": 1}}
    assert with_meant_policy(manifest, unknown) == {"kind": "A", "spec": {"mlPolicy": read, "template": 1}}
    assert manifest["spec"] == {"mlPolicy": policy, "template": 1}


@pytest.mark.parametrize("manifest", [None, [], {}, {"spec": None}, {"spec": []}])
def test_manifest_of_another_shape_is_unchanged(manifest: Any) -> None:
    assert with_meant_policy(manifest, [MPI]) is manifest


def test_policies_are_those_of_the_model() -> None:
    assert {field.alias or name for name, field in MLPolicy.model_fields.items()} - {"numNodes"} == POLICIES


TORCH = ("spec", "mlPolicy", "torch")


def test_removed_fields_are_found_with_their_paths() -> None:
    manifest = {
        "metadata": {"creationTimestamp": None},
        "spec": {
            "mlPolicy": {
                "torch": {"numProcPerNode": 1, "elasticPolicy": {"a": {"metadata": {"creationTimestamp": 1}}}}
            },
            "jobs": [{}, {"metadata": {"creationTimestamp": None, "name": "a"}}],
            "numProcPerNode": 1,
        },
    }
    assert [loc for loc, _ in removed_fields(manifest)] == [
        ("metadata", "creationTimestamp"),
        (*TORCH, "numProcPerNode"),
        (*TORCH, "elasticPolicy"),
        ("spec", "jobs", 1, "metadata", "creationTimestamp"),
    ]


def test_removed_field_has_the_reason_and_a_fix() -> None:
    removed = find_removed_field((*TORCH, "elasticPolicy"))
    assert removed is not None
    assert refusal(removed_field("elasticPolicy", removed)) == (
        "CTR-36",
        "The API has no field elasticPolicy any more: Trainer 2.3 does not support elastic training.",
        "Remove it and set spec.mlPolicy.numNodes.",
    )
    assert find_removed_field((*TORCH, "other")) is None

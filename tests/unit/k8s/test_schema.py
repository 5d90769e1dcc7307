"""Fields of API models by their names in manifests."""

import pytest
from pydantic import BaseModel

from components.k8s.containers import Container
from components.k8s.env import EnvVar
from components.k8s.schema import fields_of, model_at, suggest_path, to_wire_path
from components.runtimes import ClusterTrainingRuntime
from components.runtimes.jobset import DependsOn, ReplicatedJob
from components.validation.paths import FieldPath

JOB = ("spec", "template", "spec", "replicatedJobs", 0)
POD = (*JOB, "template", "spec", "template", "spec")


def test_fields_have_their_names_in_manifests_and_the_models_inside() -> None:
    fields = fields_of(ReplicatedJob)
    assert (fields["dependsOn"], fields["name"]) == (DependsOn, None)
    assert "depends_on" not in fields


@pytest.mark.parametrize(
    ("written", "wire"),
    [
        (("spec", "ml_policy", "num_nodes"), ("spec", "mlPolicy", "numNodes")),
        (
            ("spec", "template", "spec", "replicated_jobs", 1, "depends_on", 0, "name"),
            ("spec", "template", "spec", "replicatedJobs", 1, "dependsOn", 0, "name"),
        ),
        (("spec", "no_such", "ml_policy"), ("spec", "no_such", "ml_policy")),
        (("metadata", "labels", "ml_policy"), ("metadata", "labels", "ml_policy")),
        ((), ()),
    ],
)
def test_python_names_become_names_in_manifests(written: FieldPath, wire: FieldPath) -> None:
    assert to_wire_path(ClusterTrainingRuntime, written) == wire


@pytest.mark.parametrize(
    ("loc", "model"),
    [
        ((), ClusterTrainingRuntime),
        (JOB, ReplicatedJob),
        ((*JOB, "dependsOn", 0), DependsOn),
        ((*POD, "containers", 3), Container),
        ((*POD, "containers", 3, "env", 0), EnvVar),
        ((*POD, "containers", 3, "image"), None),
        ((*POD, "nothing", "env"), None),
    ],
)
def test_model_at_a_path_is_found(loc: FieldPath, model: type[BaseModel] | None) -> None:
    assert model_at(ClusterTrainingRuntime, loc) is model


POD_PATH = "spec.template.spec.replicatedJobs[].template.spec.template.spec"


@pytest.mark.parametrize(
    ("loc", "path"),
    [
        (("spec", "numNodes"), "spec.mlPolicy.numNodes"),
        (("replicatedJobs",), "spec.template.spec.replicatedJobs"),
        ((*POD, "image"), f"{POD_PATH}.containers[].image"),
        ((*JOB, "nodeSelector"), f"{POD_PATH}.nodeSelector"),
        ((*POD, "noSuchField"), None),
        (("spec", "mlPolicy", "torch", "image"), None),
        ((*POD, "containers", 0), None),
    ],
)
def test_nearest_path_with_the_same_name_is_suggested(loc: FieldPath, path: str | None) -> None:
    assert suggest_path(ClusterTrainingRuntime, loc) == path

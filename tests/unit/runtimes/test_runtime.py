"""A manifest that is read and written again is the same."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from pydantic import BaseModel, ValidationError

from components.k8s.pods import PodSpec
from components.k8s.schema_errors import violations_of
from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError, TrainingRuntime
from components.runtimes.api import TrainingRuntimeSpec
from components.runtimes.jobset import JobSetSpec
from tests.upstream import TRAINER_NOW

from . import crd
from .recorded import corpus, published


@pytest.fixture(scope="module")
def schema() -> crd.Schema:
    return crd.read_schema()


def test_upstream_manifests_are_unchanged_by_a_round_trip() -> None:
    manifests = [yaml.safe_load(file.read_text()) for file in TRAINER_NOW.runtimes.values()]

    assert len(manifests) == 9
    assert [ClusterTrainingRuntime.from_manifest(manifest).to_manifest() for manifest in manifests] == manifests


def test_upstream_manifests_with_api_server_defaults_are_read(schema: crd.Schema) -> None:
    for file in TRAINER_NOW.runtimes.values():
        stored = crd.defaulted(schema, yaml.safe_load(file.read_text()))
        jobs = stored["spec"]["template"]["spec"]["replicatedJobs"]

        assert {(job["replicas"], job["groupName"]) for job in jobs} == {(1, "default")}
        assert ClusterTrainingRuntime.from_manifest(stored).to_manifest() == stored


def test_specs_that_a_cluster_stored_are_unchanged_by_a_round_trip() -> None:
    stored = [case["object"] for case in corpus() if case["stored"]]
    specs = [TrainingRuntimeSpec.model_validate(each["spec"], by_alias=True, by_name=False) for each in stored]

    assert len(stored) > 150
    assert [spec.model_dump(mode="json", exclude_none=True) for spec in specs] == [each["spec"] for each in stored]


def test_published_runtimes_are_unchanged_by_a_round_trip_or_rejected() -> None:
    read = 0
    for verdict, manifests in published():
        for manifest in manifests:
            model = TrainingRuntime if manifest["kind"] == "TrainingRuntime" else ClusterTrainingRuntime
            try:
                runtime = model.model_validate(manifest, by_alias=True, by_name=False)
            except ValidationError as error:
                rules = {violation.rule for violation in violations_of(error, model)}
                assert rules <= {"CTR-36", "CTR-37"}, verdict["file"]
            else:
                read += 1
                assert runtime.to_manifest() == manifest

    assert read == 10


WHAT_IS_EMPTY: dict[str, Any] = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "ClusterTrainingRuntime",
    "metadata": {"name": "empty", "labels": {}, "annotations": {}, "finalizers": []},
    "spec": {
        "mlPolicy": {"torch": {"envInjection": {"targets": []}}},
        "podGroupPolicy": {"coscheduling": {}, "volcano": {"networkTopology": {}}},
        "template": {
            "metadata": {},
            "spec": {
                "network": {},
                "failurePolicy": {"rules": []},
                "replicatedJobs": [
                    {
                        "name": "",
                        "dependsOn": [],
                        "template": {
                            "spec": {
                                "template": {
                                    "metadata": {"labels": {}},
                                    "spec": {
                                        "affinity": {},
                                        "nodeSelector": {},
                                        "tolerations": [{}],
                                        "securityContext": {},
                                        "volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", "fc": {}}],
                                        "containers": [
                                            {
                                                "name": "",
                                                "image": "",
                                                "env": [],
                                                "command": [],
                                                "resources": {"limits": {}},
                                            }
                                        ],
                                    },
                                }
                            }
                        },
                    },
                    {"name": "bare", "template": {}},
                ],
            },
        },
    },
}


def test_empty_values_are_kept_and_absent_ones_stay_absent() -> None:
    runtime = ClusterTrainingRuntime.model_validate(WHAT_IS_EMPTY, by_alias=True, by_name=False)

    assert runtime.to_manifest() == WHAT_IS_EMPTY
    assert runtime.spec.template is not None
    assert runtime.spec.template.spec is not None
    assert runtime.spec.template.spec.replicated_jobs is not None
    first, bare = runtime.spec.template.spec.replicated_jobs
    assert (first.depends_on, bare.depends_on) == ((), None)


def test_manifest_begins_with_api_version_and_kind() -> None:
    assert list(ClusterTrainingRuntime.model_validate(WHAT_IS_EMPTY).to_manifest()) == [
        "apiVersion",
        "kind",
        "metadata",
        "spec",
    ]


JOBSET = ("spec", "template", "spec")
POD = (*JOBSET, "replicatedJobs", crd.ITEM, "template", "spec", "template", "spec")
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)
QUANTITIES = st.one_of(
    st.integers(0, 2**40),
    st.from_regex(
        r"[+-]?([0-9]{1,4}(\.[0-9]{0,2})?|\.[0-9]{1,2})([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9])?", fullmatch=True
    ),
)
# Objects of which only one member may be set, or whose members exclude each other: each drawn by the first of these.
ONE_OF: Mapping[tuple[str, ...], tuple[str, ...]] = {("spec", "mlPolicy"): ("torch", "mpi", "jax", "xgboost", "flux")}
LEFT_OUT = {
    # They exclude dependsOn, may not be set, or have allowed values of which the CRD doesn't know.
    ("spec", "template", "spec", "startupPolicy"),
    (*crd.POLICY, "templates", crd.ITEM, "metadata", "namespace"),
}


def values(schema: crd.Schema, steps: tuple[str, ...]) -> SearchStrategy[Any]:
    """Anything that a schema allows."""
    kind = crd.kind_of(schema)
    bits = 32 if schema.get("format") == "int32" else 64
    simple: dict[str, SearchStrategy[Any]] = {
        "quantity": QUANTITIES,
        "int-or-string": st.one_of(st.integers(-(2**31), 2**31 - 1), TEXT),
        "integer": st.integers(schema.get("minimum", -(2 ** (bits - 1))), 2 ** (bits - 1) - 1),
        "boolean": st.booleans(),
        "string": st.sampled_from(schema["enum"]) if "enum" in schema else TEXT,
    }
    if steps[-1] == "jobName" or "containerNames" in steps:
        simple["string"] = TEXT.filter(lambda name: name not in ("", "node"))
    if steps[-2:] == ("flux", "numProcPerNode"):
        simple["integer"] = st.integers(1, 2**31 - 1)
    if schema.get("format") == "date-time":
        simple["string"] = st.just("2006-01-02T15:04:05Z")
    if "azureDisk" in steps and steps[-1] in ("kind", "cachingMode"):
        simple["string"] = st.just({"kind": "Managed", "cachingMode": "None"}[steps[-1]])
    if kind in simple:
        return simple[kind]
    if kind == "map":
        return st.dictionaries(TEXT, values(schema["additionalProperties"], (*steps, crd.VALUE)), max_size=2)
    if kind == "array":
        keys = schema.get("x-kubernetes-list-map-keys", ())
        listed = schema.get("x-kubernetes-list-type", "atomic")
        items = values(schema["items"], (*steps, crd.ITEM))
        smallest = schema.get("minItems", 0)
        if listed == "atomic":
            return st.lists(items, min_size=smallest, max_size=2)
        return st.lists(items, min_size=smallest, max_size=2, unique_by=lambda item: key_of(item, keys))
    return objects(schema, steps)


def key_of(item: Any, keys: tuple[str, ...]) -> Any:
    defaults = {"protocol": "TCP", "name": ""}
    return tuple(item.get(key, defaults.get(key)) for key in keys) if keys else item


@st.composite
def objects(draw: DrawFn, schema: crd.Schema, steps: tuple[str, ...]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    needed = {*schema.get("required", ()), *crd.FILLED.get(steps, ())}
    optional = [name for name in properties if name not in needed and (*steps, name) not in LEFT_OUT]
    chosen = draw(st.lists(st.sampled_from(optional), unique=True, max_size=3)) if optional else []
    alternatives = [name for name in chosen if name in ONE_OF.get(steps, ())]
    drawn = [*needed, *(name for name in chosen if name not in alternatives[1:])]
    return {name: draw(values(properties[name], (*steps, name))) for name in drawn}


@pytest.mark.parametrize(("model", "steps"), [(TrainingRuntimeSpec, ("spec",)), (JobSetSpec, JOBSET), (PodSpec, POD)])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_generated_manifests_are_unchanged_by_a_round_trip(
    schema: crd.Schema, model: type[BaseModel], steps: tuple[str, ...], data: st.DataObject
) -> None:
    manifest = data.draw(objects(crd.at(schema, steps), steps))

    try:
        read = model.model_validate(manifest, by_alias=True, by_name=False)
    except ValidationError as error:
        pytest.fail("\n".join(map(str, violations_of(error, model))))

    written = read.model_dump(mode="json", exclude_none=True)
    assert written == manifest
    assert json.loads(json.dumps(written)) == written
    assert model.model_validate(written, by_alias=True, by_name=False) == read


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), TEXT, st.binary(max_size=2), st.sampled_from(["node", "1Gi"])
)
KEYS = st.one_of(TEXT, st.integers(0, 2), st.none(), st.sampled_from(["name", "containers", "key", "labels"]))
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def fields(schema: crd.Schema) -> list[crd.Field]:
    return list(crd.fields(schema))


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), value=ANYTHING)
def test_any_value_anywhere_is_read_or_rejected_with_a_violation(
    schema: crd.Schema, fields: list[crd.Field], data: st.DataObject, value: Any
) -> None:
    field = data.draw(st.sampled_from(fields))
    manifest = crd.manifest(schema, field.steps, value)

    try:
        ClusterTrainingRuntime.from_manifest(manifest)
    except InvalidRuntimeError as error:
        assert error.violations != ()  # noqa: PT017 - either is right, anything else is not

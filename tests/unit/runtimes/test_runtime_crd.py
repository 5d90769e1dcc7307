"""Our models beside the CRD of Trainer 2.3.0, field by field."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from components.k8s.schema import fields_of
from components.k8s.schema_errors import violations_of
from components.runtimes.runtime import ClusterTrainingRuntime

from . import crd

# The rules of the fields whose absence, or whose value, breaks a rule of its own, by the end of their path.
MISSING = {
    "targets[0].jobName": "CTR-10",
    "targets[0].containerNames": "CTR-10",
    "replicatedJobs[0].name": "CTR-17",
    "replicatedJobs[0].template": "CTR-17",
    "replicatedJobs[0].template.spec.template": "CTR-18",
    "template.spec.template.spec.containers": "CTR-18",
    "ontainers[0].name": "CTR-19",
    "dependsOn[0].name": "CTR-21",
    "dependsOn[0].status": "CTR-21",
    "spec.template.spec.successPolicy.operator": "CTR-22",
    "startupPolicy.startupPolicyOrder": "CTR-23",
    "failurePolicy.rules[0].name": "CTR-24",
    "failurePolicy.rules[0].action": "CTR-24",
    "coordinator.replicatedJob": "CTR-27",
}
ENUMS = {
    "spec.mlPolicy.mpi.mpiImplementation": "CTR-04",
    "spec.podGroupPolicy.volcano.networkTopology.mode": "CTR-14",
    "spec.template.spec.replicatedJobs[0].dependsOn[0].status": "CTR-21",
    "spec.template.spec.successPolicy.operator": "CTR-22",
    "spec.template.spec.startupPolicy.startupPolicyOrder": "CTR-23",
    "spec.template.spec.failurePolicy.rules[0].action": "CTR-25",
    "spec.template.spec.failurePolicy.restartStrategy": "CTR-26",
    "spec.template.spec.volumeClaimPolicies[0].retentionPolicy.whenDeleted": "CTR-31",
}
LISTS = {
    "spec.mlPolicy.torch.envInjection.targets": "CTR-09",
    "spec.mlPolicy.torch.envInjection.targets[0].containerNames": "CTR-12",
    "spec.template.spec.replicatedJobs": "CTR-16",
    "spec.template.spec.replicatedJobs[0].dependsOn": "CTR-20",
}
TOO_MANY = {
    "spec.mlPolicy.torch.envInjection.targets": "CTR-08",
    "spec.mlPolicy.torch.envInjection.targets[0].containerNames": "CTR-12",
    "spec.template.spec.replicatedJobs[0].dependsOn": "CTR-20",
    "spec.template.spec.volumeClaimPolicies": "CTR-29",
    "spec.template.spec.volumeClaimPolicies[0].templates": "CTR-29",
}
WRONG: dict[str, Any] = {
    "string": 1,
    "integer": "1",
    "boolean": "true",
    "array": {},
    "map": [],
    "object": [],
    "quantity": [],
    "int-or-string": [],
}


@pytest.fixture(scope="module")
def schema() -> crd.Schema:
    return crd.read_schema()


@pytest.fixture(scope="module")
def fields(schema: crd.Schema) -> list[crd.Field]:
    return list(crd.fields(schema))


def found(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """Rule and path of everything that the schema has against a manifest."""
    try:
        ClusterTrainingRuntime.model_validate(manifest, by_alias=True, by_name=False)
    except ValidationError as error:
        return [(each.rule, each.path) for each in violations_of(error, ClusterTrainingRuntime)]
    return []


def rule_of(rules: dict[str, str], path: str, default: str) -> str:
    return next((rule for end, rule in rules.items() if path.endswith(end)), default)


def test_every_field_of_the_crd_is_accepted(schema: crd.Schema, fields: list[crd.Field]) -> None:
    refused = {
        field.path: wrong
        for field in fields
        if (wrong := found(crd.manifest(schema, field.steps, crd.smallest(field.schema, field.steps))))
    }

    disk = "spec.template.spec.replicatedJobs[0].template.spec.template.spec.volumes[0].azureDisk"
    claim = "spec.template.spec.volumeClaimPolicies[0].templates[0]"
    assert len(fields) > 1200
    assert refused == {
        # What the CRD leaves to the webhook, and to the API server when pods are made.
        "apiVersion": [("CTR-37", "apiVersion")],
        "kind": [("CTR-37", "kind")],
        f"{disk}.cachingMode": [("K8S-22", f"{disk}.cachingMode")],
        f"{disk}.kind": [("K8S-22", f"{disk}.kind")],
        # What the CRD knows only to refuse it.
        f"{claim}.metadata.namespace": [("CTR-30", f"{claim}.metadata.namespace")],
    }


def test_value_of_another_type_is_rejected_with_its_path(schema: crd.Schema, fields: list[crd.Field]) -> None:
    for field in fields:
        rule = "CTR-32" if field.kind == "quantity" else "CTR-34"
        if "enum" in field.schema:
            rule = ENUMS[field.path]
        if field.path in ("apiVersion", "kind"):
            rule = "CTR-37"
        assert found(crd.manifest(schema, field.steps, WRONG[field.kind])) == [(rule, field.path)]


def test_unknown_field_is_rejected_in_every_object(schema: crd.Schema, fields: list[crd.Field]) -> None:
    for field in fields:
        if field.kind == "object":
            value = crd.smallest(field.schema, field.steps) | {"zzz": 1}
            assert found(crd.manifest(schema, field.steps, value)) == [("CTR-36", f"{field.path}.zzz")]


def test_missing_or_null_required_field_is_rejected(schema: crd.Schema, fields: list[crd.Field]) -> None:
    for field in fields:
        if not field.required:
            continue
        value = crd.smallest(parent(fields, field).schema, field.steps[:-1])
        absent = {name: inner for name, inner in value.items() if name != field.steps[-1]}
        expected = [(rule_of(MISSING, field.path, "CTR-35"), field.path)]
        assert found(crd.manifest(schema, field.steps[:-1], absent)) == expected
        assert found(crd.manifest(schema, field.steps, None)) == expected


def test_null_is_the_same_as_absent(schema: crd.Schema, fields: list[crd.Field]) -> None:
    for field in fields:
        needed = field.required or field.steps[-1] in crd.FILLED.get(field.steps[:-1], {})
        if not needed and field.steps[-1] not in (crd.ITEM, crd.VALUE) and len(field.steps) > 1:
            assert found(crd.manifest(schema, field.steps, None)) == [], field.path


def test_null_in_a_list_or_mapping_is_of_the_wrong_type(schema: crd.Schema, fields: list[crd.Field]) -> None:
    for field in fields:
        if field.steps[-1] in (crd.ITEM, crd.VALUE):
            rule = "CTR-32" if field.kind == "quantity" else "CTR-34"
            assert found(crd.manifest(schema, field.steps, None)) == [(rule, field.path)]


def parent(fields: list[crd.Field], field: crd.Field) -> crd.Field:
    return next(each for each in fields if each.steps == field.steps[:-1])


def test_value_outside_of_an_enum_is_rejected(schema: crd.Schema, fields: list[crd.Field]) -> None:
    checked = {}
    for field in fields:
        if "enum" in field.schema:
            checked[field.path] = found(crd.manifest(schema, field.steps, "Other"))
            for allowed in field.schema["enum"]:
                assert found(crd.manifest(schema, field.steps, allowed)) == []

    assert checked == {path: [(rule, path)] for path, rule in ENUMS.items()}


def test_integers_out_of_range_are_rejected(schema: crd.Schema, fields: list[crd.Field]) -> None:
    for field in fields:
        if field.kind != "integer":
            continue
        largest = 2**31 - 1 if field.schema.get("format") == "int32" else 2**63 - 1
        assert found(crd.manifest(schema, field.steps, largest)) == []
        assert found(crd.manifest(schema, field.steps, float(2**30))) == []
        assert found(crd.manifest(schema, field.steps, largest + 1)) == [("CTR-07", field.path)]
        assert found(crd.manifest(schema, field.steps, -largest - 2)) == [("CTR-07", field.path)]
        assert found(crd.manifest(schema, field.steps, True)) == [("CTR-34", field.path)]


def test_duplicates_in_sets_and_keyed_lists_are_rejected(schema: crd.Schema, fields: list[crd.Field]) -> None:
    for field in fields:
        listed = field.schema.get("x-kubernetes-list-type")
        # Nobody reads the status of a claim that is only to be made.
        if listed not in ("map", "set") or "status" in field.steps:
            continue
        item = crd.smallest(field.schema["items"], (*field.steps, crd.ITEM))
        keys = field.schema.get("x-kubernetes-list-map-keys", ())
        whole = item | {key: crd.smallest(field.schema["items"]["properties"][key]) for key in keys} if keys else item
        rule = rule_of({path: rule for path, rule in LISTS.items() if path == field.path}, field.path, "CTR-33")
        assert found(crd.manifest(schema, field.steps, [whole, whole])) == [(rule, f"{field.path}[1]")]
        for other in different(whole, keys):
            assert found(crd.manifest(schema, field.steps, [whole, other])) == [], field.path


def different(item: Any, keys: tuple[str, ...]) -> Iterator[Any]:
    """The same item but for one key."""
    if not keys:
        yield item + (1 if isinstance(item, int) else "b")
    for key in keys:
        yield item | {key: item[key] + (1 if isinstance(item[key], int) else "b")}


def test_duplicates_in_atomic_lists_are_accepted(schema: crd.Schema, fields: list[crd.Field]) -> None:
    for field in fields:
        if field.kind == "array" and field.schema.get("x-kubernetes-list-type", "atomic") == "atomic":
            item = crd.smallest(field.schema["items"], (*field.steps, crd.ITEM))
            assert found(crd.manifest(schema, field.steps, [item, item])) == [], field.path


def test_lists_have_the_maximum_length_of_the_crd(schema: crd.Schema, fields: list[crd.Field]) -> None:
    checked = []
    for field in fields:
        if "maxItems" not in field.schema:
            continue
        most = field.schema["maxItems"]
        items = [numbered(crd.smallest(field.schema["items"], (*field.steps, crd.ITEM)), n) for n in range(most + 1)]
        assert found(crd.manifest(schema, field.steps, items[:most])) == []
        assert found(crd.manifest(schema, field.steps, items)) == [(TOO_MANY[field.path], field.path)]
        checked.append(field.path)

    assert checked == list(TOO_MANY)


def numbered(item: Any, number: int) -> Any:
    if isinstance(item, str):
        return f"{item}{number}"
    return {key: f"a{number}" if key in ("name", "jobName") else value for key, value in item.items()}


def test_strings_have_the_maximum_length_of_the_crd(schema: crd.Schema, fields: list[crd.Field]) -> None:
    checked = {}
    for field in fields:
        if "maxLength" in field.schema:
            most = field.schema["maxLength"]
            assert found(crd.manifest(schema, field.steps, "a" * most)) == []
            checked[field.path] = (most, *found(crd.manifest(schema, field.steps, "a" * (most + 1))))

    target = "spec.mlPolicy.torch.envInjection.targets[0]"
    assert checked == {
        "spec.mlPolicy.mpi.sshAuthMountPath": (4096, ("CTR-05", "spec.mlPolicy.mpi.sshAuthMountPath")),
        f"{target}.jobName": (253, ("CTR-11", f"{target}.jobName")),
        f"{target}.containerNames[0]": (63, ("CTR-12", f"{target}.containerNames[0]")),
    }


def test_every_field_of_the_models_is_in_the_crd(schema: crd.Schema) -> None:
    assert list(unknown_to(schema, ClusterTrainingRuntime, "")) == []


def unknown_to(schema: crd.Schema, model: type[BaseModel], path: str) -> Iterator[str]:
    """The fields of a model that a schema doesn't have, but for the runtime's own metadata."""
    properties = schema.get("items", schema).get("properties", {})
    yield from (f"{path}.{name}" for name in fields_of(model) if name not in properties)
    for name, inner in fields_of(model).items():
        if inner is not None and name in properties and f"{path}.{name}" != ".metadata":
            yield from unknown_to(properties[name], inner, f"{path}.{name}")

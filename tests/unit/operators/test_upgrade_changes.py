"""The table of what upgrades change, beside upstream's charts and CRDs."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import pytest

from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.upgrade_changes import CHANGES, Evidence, Kind
from components.operators.upgrades import changes, check_upgrade
from tests.upstream import RELEASES, Release

NEIGHBOURS = [
    pair
    for spec in (KubeflowTrainerSpec, JobSetOperatorSpec)
    for pair in pairwise(release for release in RELEASES if release.spec is spec)
]
each_step = pytest.mark.parametrize(("old", "new"), NEIGHBOURS, ids=str)


def fields(schema: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Every field of a schema by its path, with its type. The template of a runtime is JobSet's."""
    for name, below in (schema.get("properties") or {}).items():
        path = f"{above}.{name}".removeprefix(".")
        yield path, below.get("type")
        if path != "spec.template":
            yield from fields(below, path)
    if "items" in schema:
        yield from fields(schema["items"], above)


def schema_of(release: Release, crd: str) -> dict[str, Any]:
    (version,) = release.crds[crd]["spec"]["versions"]
    return dict(fields(version["schema"]["openAPIV3Schema"]))


def values_of(values: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for key, value in values.items():
        yield f"{above}{key}"
        if isinstance(value, Mapping):
            yield from values_of(value, f"{above}{key}.")


def named(old: Release, new: Release) -> str:
    """All subjects of the changes of a step."""
    return " ".join(change.subject for change in changes(old.spec.facts.title, old.version, new.version))


@each_step
def test_every_field_that_a_crd_loses_or_retypes_is_in_the_table(old: Release, new: Release) -> None:
    subjects = re.findall(r"`([a-zA-Z.]+)`", named(old, new))
    for crd in old.crds:
        before, after = schema_of(old, crd), schema_of(new, crd)
        lost = [path for path in before if path not in after]
        lost = [path for path in lost if not any(path.startswith(f"{other}.") for other in lost)]
        retyped = [path for path in before if path in after and before[path] != after[path]]
        for path in lost + retyped:
            assert any(path == subject or path.endswith(f".{subject}") for subject in subjects), f"{crd} {path}"


@each_step
def test_every_value_that_a_chart_loses_is_in_the_table(old: Release, new: Release) -> None:
    lost = set(values_of(old.values)) - set(values_of(new.values))
    assert all(f"`{key}`" in named(old, new) for key in lost), lost


def test_removed_and_renamed_fields_of_the_table_existed_and_are_gone() -> None:
    trainers = {
        release.version.rpartition(".")[0]: release for release in RELEASES if release.spec is KubeflowTrainerSpec
    }
    crds = ("trainjobs.trainer.kubeflow.org", "clustertrainingruntimes.trainer.kubeflow.org")
    checked = 0
    for change in CHANGES:
        if (
            change.kind not in (Kind.REMOVED, Kind.RENAMED)
            or change.since not in trainers
            or change.operator != "Trainer"
        ):
            continue
        lines = [*trainers]
        before, after = trainers[lines[lines.index(change.since) - 1]], trainers[change.since]
        for quoted in re.findall(r"`([a-zA-Z.]+)`", change.subject):
            paths = {quoted, f"spec.{quoted}"}
            there = [any(paths & schema_of(release, crd).keys() for crd in crds) for release in (before, after)]
            in_chart = [release.has_value(quoted) for release in (before, after)]
            assert there == [True, False] or in_chart[0], quoted
            checked += 1
    assert checked >= 8


def test_changes_are_those_between_two_versions() -> None:
    assert [change.since for change in changes("Trainer", "2.2.1", "2.3.0")] == ["2.3"] * 9
    assert {change.since for change in changes("Trainer", "2.0.0", "2.2.0")} == {"2.1", "2.2"}
    assert not [*changes("Trainer", "2.3.0", "2.3.1")]
    assert not [*changes("Trainer", "2.3.0", "2.2.0")]
    assert {change.operator for change in changes("JobSet", "0.8.2", "0.12.0")} == {"JobSet"}


def test_change_states_its_source_and_whether_it_was_run() -> None:
    said = [str(found) for found in check_upgrade("Trainer", "2.2.0", "2.3.0", {"mpi"})]
    assert [line for line in said if "SSH keys" in line] == [
        "trainer.version: Trainer 2.3, operation: suspended TrainJobs of MPI. They never resume: Trainer adds a "
        "file mode to the volume of the SSH keys, and the JobSet that it created before is immutable. The "
        "controller repeats the error, while the TrainJob's status shows it as resumed. (kubeflow/trainer#3649 "
        "(v2.3.0), pkg/runtime/framework/plugins/mpi/mpi.go@v2.3.0) Fix: Wait for these TrainJobs to finish, or "
        "delete them and submit them again after the upgrade. [UPG-02]"
    ]
    assert any("; read, not run)" in line for line in said)


def test_every_change_has_a_source_and_a_fix() -> None:
    for change in CHANGES:
        assert re.search(r"#\d+|@v\d|release notes", change.source), change.subject
        assert change.fix.endswith("."), change.subject
        assert change.message.endswith("."), change.subject
        assert change.since != "2.4" or change.evidence is Evidence.READ

"""What an upgrade changes: the table against upstream's charts, and whom it names in a cluster."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import pytest

from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.upgrade_changes import CHANGES, Evidence, Kind
from components.operators.upgrades import changes, check_stored_jobs, check_upgrade, check_version_change, frameworks_of
from components.runtimes import catalog
from components.validation.violation import Severity
from tests.upstream import RELEASES, Release

from ..fake_cluster import Cluster, thing

TRAINJOBS = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/{}/trainjobs/{}"
RUNTIMES = "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes/{}"
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


def test_skipped_release_line_is_an_error_and_changes_are_warnings() -> None:
    error, *warnings = check_upgrade("Trainer", "2.2.0", "2.4.0")
    assert str(error) == (
        "trainer.version: Trainer cannot be upgraded from 2.2.0 to 2.4.0 directly: 2.3 must not be skipped. Fix: "
        "Upgrade to Trainer 2.3 first, wait for suspended TrainJobs to finish, then upgrade to 2.4.0. [UPG-01]"
    )
    assert error.severity is Severity.ERROR
    assert {(warning.rule, warning.severity) for warning in warnings} == {("UPG-02", Severity.WARNING)}
    assert not [found for found in check_upgrade("Trainer", "2.3.0", "2.4.0") if found.severity is Severity.ERROR]
    assert not [*check_upgrade("Trainer", "2.3.0", "2.2.0")]


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


def test_changes_of_frameworks_that_no_runtime_has_are_left_out() -> None:
    torch = {str(found) for found in check_upgrade("Trainer", "2.2.0", "2.3.0", {"torch"})}
    assert not any("MPI" in line for line in torch)
    assert len({*check_upgrade("Trainer", "2.2.0", "2.3.0")}) > len(torch) > 0


def test_frameworks_are_the_policies_of_runtimes_and_whether_they_initialize() -> None:
    made = [catalog.deepspeed(), catalog.torch(), catalog.torchtune()]
    assert frameworks_of(runtime.to_manifest() for runtime in made) == {"mpi", "torch", "initializers"}


def test_every_change_has_a_source_and_a_fix() -> None:
    for change in CHANGES:
        assert re.search(r"#\d+|@v\d|release notes", change.source), change.subject
        assert change.fix.endswith("."), change.subject
        assert change.message.endswith("."), change.subject
        assert change.since != "2.4" or change.evidence is Evidence.READ


def job(name: str, runtime: str, suspend: bool = True, **spec: Any) -> dict[str, Any]:
    return thing(name, "team-a", spec={"runtimeRef": {"name": runtime}, "suspend": suspend, **spec})


BAD = catalog.torch_with_cache(name="bad", like_upstream=True)
"""A runtime whose initializer mounts no volume."""


def cluster(*jobs: dict[str, Any]) -> Cluster:
    runtimes = [catalog.deepspeed(), catalog.torch(gpus_per_node=8), catalog.torch(name="cpus"), catalog.flux(), BAD]
    manifests = [runtime.to_manifest() for runtime in (*runtimes, catalog.torch_with_cache(name="good"))]
    return Cluster(
        {RUNTIMES.format(each["metadata"]["name"]): each for each in manifests}
        | {TRAINJOBS.format("team-a", each["metadata"]["name"]): each for each in jobs}
    )


def test_suspended_mpi_jobs_are_listed_before_23() -> None:
    done = {**job("done", "deepspeed-distributed"), "status": {"conditions": [{"type": "Complete", "status": "True"}]}}
    there = cluster(
        job("waits", "deepspeed-distributed"),
        job("runs", "deepspeed-distributed", suspend=False),
        job("torch", "torch-distributed"),
        job("gone", "nowhere"),
        thing("empty", "team-a"),
        done,
    )
    (found,) = check_stored_jobs("Trainer", "2.2.0", "2.3.0", there)
    assert (found.rule, found.severity) == ("UPG-03", Severity.WARNING)
    assert found.message.startswith("Trainer 2.3 would break 1 TrainJob (suspended TrainJobs of MPI). They never")
    assert "team-a/waits" in found.message
    assert not [*check_stored_jobs("Trainer", "2.3.0", "2.3.1", there)]


def test_suspended_flux_jobs_are_listed_before_23() -> None:
    there = cluster(job("waits", "flux-distributed"), job("torch", "torch-distributed"))
    (found,) = check_stored_jobs("Trainer", "2.2.0", "2.3.0", there)
    assert "(suspended TrainJobs of Flux). They never resume" in found.message
    assert "team-a/waits" in found.message
    assert "team-a/torch" not in found.message


@pytest.mark.parametrize(
    ("old", "new", "broken", "sound"),
    [
        ("2.0.0", "2.1.0", {"podSpecOverrides": [{}]}, {"labels": {"a": "b"}}),
        ("2.1.0", "2.2.0", {"labels": {"a": "b"}}, {"podGroup": "x"}),
        ("2.1.0", "2.2.0", {"trainer": {"numProcPerNode": "auto"}}, {"trainer": {"numProcPerNode": 2}}),
    ],
)
def test_jobs_with_fields_that_the_new_crd_drops_or_rejects_are_listed(
    old: str, new: str, broken: dict[str, Any], sound: dict[str, Any]
) -> None:
    there = cluster(job("a", "torch-distributed", **broken), job("b", "torch-distributed", **sound))
    (found,) = check_stored_jobs("Trainer", old, new, there)
    assert "team-a/a" in found.message
    assert "team-a/b" not in found.message


def test_torch_jobs_that_get_another_number_of_processes_are_listed_before_22() -> None:
    there = cluster(
        job("a", "cpus"),
        job("b", "cpus", trainer={"numNodes": 2}),
        job("c", "cpus", trainer={"numProcPerNode": 2}),
        job("d", "cpus", trainer={"resourcesPerNode": {"requests": {"cpu": 2}}}),
        job("e", "torch-distributed"),
        job("f", "deepspeed-distributed"),
    )
    (found,) = check_stored_jobs("Trainer", "2.0.0", "2.2.0", there)
    assert found.message.startswith("Trainer 2.2 would break 2 TrainJobs (suspended TrainJobs of PyTorch without GPUs)")
    assert re.findall(r"team-a/(\w)\b", found.message) == ["a", "b"]
    # The runtime's own number is dropped by the CRD of 2.2.
    for path in (RUNTIMES.format("cpus"), RUNTIMES.format("torch-distributed")):
        there.objects[path]["spec"]["mlPolicy"]["torch"] = {"numProcPerNode": 4}
    (found,) = check_stored_jobs("Trainer", "2.0.0", "2.2.0", there)
    assert re.findall(r"team-a/(\w)\b", found.message) == ["a", "b", "d", "e"]


def test_finished_job_that_the_new_controller_cannot_read_is_listed() -> None:
    done = {
        **job("done", "torch-distributed", trainer={"numProcPerNode": "gpu"}),
        "status": {"conditions": [{"type": "Failed", "status": "True"}]},
    }
    (found,) = check_stored_jobs("Trainer", "2.0.0", "2.2.0", cluster(done))
    assert "team-a/done" in found.message


def test_jobs_whose_resume_the_new_webhook_rejects_are_listed() -> None:
    data: dict[str, Any] = {"initializer": {"dataset": {"storageUri": "cache://x/y"}}}
    env: dict[str, Any] = {"trainer": {"env": [{"name": "OMPI_MCA_plm_rsh_args", "value": "-v"}]}}
    there = cluster(job("a", "bad", **data), job("b", "good", **data), job("c", "torch-distributed", **env))
    (found,) = check_stored_jobs("Trainer", "2.2.0", "2.3.0", there)
    assert "team-a/a" in found.message
    assert not any(f"team-a/{name}" in found.message for name in "bc")
    (mpi, variables) = check_stored_jobs("Trainer", "2.2.0", "2.3.0", cluster(job("d", "deepspeed-distributed", **env)))
    assert "suspended TrainJobs of MPI" in mpi.message
    assert "MPI variables" in variables.message


def test_a_cluster_that_does_not_answer_is_a_warning() -> None:
    there = cluster()
    there.down = True
    (found,) = check_stored_jobs("Trainer", "2.2.0", "2.3.0", there)
    assert (found.rule, found.severity) == ("UPG-04", Severity.WARNING)
    assert (
        "Cannot list the TrainJobs that this upgrade may break: the API server does not answer: refused."
    ) in found.message


def test_version_change_is_reported_with_the_affected_jobs() -> None:
    spec, there = KubeflowTrainerSpec(version="2.3.0"), cluster(job("waits", "deepspeed-distributed"))
    runtimes = [catalog.deepspeed().to_manifest()]
    rules = [found.rule for found in check_version_change(spec, "2.2.0", there, runtimes)]
    assert rules[-1] == "UPG-03"
    assert set(rules[:-1]) == {"UPG-02"}
    assert not [*check_version_change(spec, "2.3.0", there, runtimes)]
    assert not [*check_version_change(spec, None, there, runtimes)]
    assert {found.rule for found in check_version_change(JobSetOperatorSpec(), "0.11.1", None)} == {"UPG-02"}

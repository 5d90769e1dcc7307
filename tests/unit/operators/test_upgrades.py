"""What an upgrade changes: the table against upstream's charts, and whom it names in a cluster."""

import re
from typing import Any

import pytest

from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.upgrades import check_stored_jobs, check_upgrade, check_version_change, frameworks_of
from components.runtimes import catalog
from components.validation.violation import Severity

from ..fake_cluster import Cluster, thing

TRAINJOBS = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/{}/trainjobs/{}"
RUNTIMES = "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes/{}"


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


def test_changes_of_frameworks_that_no_runtime_has_are_left_out() -> None:
    torch = {str(found) for found in check_upgrade("Trainer", "2.2.0", "2.3.0", {"torch"})}
    assert not any("MPI" in line for line in torch)
    assert len({*check_upgrade("Trainer", "2.2.0", "2.3.0")}) > len(torch) > 0


def test_frameworks_are_the_policies_of_runtimes_and_whether_they_initialize() -> None:
    made = [catalog.deepspeed(), catalog.torch(), catalog.torchtune()]
    assert frameworks_of(runtime.to_manifest() for runtime in made) == {"mpi", "torch", "initializers"}


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

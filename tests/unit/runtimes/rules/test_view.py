"""The parts of a runtime with their paths, as rules see them."""

from typing import Any

import pytest

from components.runtimes.rules.view import (
    RuntimeView,
    also_in_depends_on,
    claim_templates,
    injected_volumes,
    sdk_container,
    source_names,
)

from .samples import (
    FLUX,
    JAX,
    JOBSET,
    MPI,
    PLAIN,
    TORCH,
    XGBOOST,
    Manifest,
    a_container,
    a_job,
    changed,
    job,
    loose,
    pod,
)

POD = "spec.template.spec.replicatedJobs[0].template.spec.template.spec"


def view(manifest: Manifest, **changes: Any) -> RuntimeView:
    return RuntimeView.of(loose(changed(manifest, changes)))


@pytest.mark.parametrize(
    ("manifest", "policy"),
    [(TORCH, "torch"), (MPI, "mpi"), (JAX, "jax"), (XGBOOST, "xgboost"), (FLUX, "flux"), (PLAIN, None)],
)
def test_policy_is_the_one_that_is_set(manifest: Manifest, policy: str | None) -> None:
    assert view(manifest).policy == policy


def test_containers_have_paths_and_init_containers_come_last() -> None:
    inits = [a_container("first"), a_container("beside", restartPolicy="Always")]
    found = view(TORCH, **{f"{pod(0)}.initContainers": inits}).containers
    assert [(at.path, at.model.name, at.init, at.sidecar) for at in found] == [
        (f"{POD}.containers[0]", "node", False, False),
        (f"{POD}.initContainers[0]", "first", True, False),
        (f"{POD}.initContainers[1]", "beside", True, True),
    ]


def test_init_containers_are_not_found_by_name() -> None:
    found = view(TORCH, **{f"{pod(0)}.initContainers": [a_container("first")]})
    (only,) = found.pods
    assert only.container("first") is None
    assert found.jobs[0].container("node") == found.containers[0]


def test_container_that_always_restarts_is_a_sidecar_only_among_init_containers() -> None:
    (node,) = view(TORCH, **{f"{POD}.containers[0].restartPolicy": "Always"}).containers
    assert not node.sidecar


def test_probes_have_their_names_in_manifests() -> None:
    probe = {"tcpSocket": {"port": 1}}
    (node,) = view(
        TORCH, **{f"{POD}.containers[0].startupProbe": probe, f"{POD}.containers[0].readinessProbe": probe}
    ).containers
    assert [name for name, _ in node.probes()] == ["readinessProbe", "startupProbe"]


@pytest.mark.parametrize(
    ("manifest", "changes", "pods"),
    [
        (TORCH, {}, 1),
        (TORCH, {"spec.mlPolicy.numNodes": 4}, 4),
        (TORCH, {"spec.mlPolicy.numNodes": None, f"{job(0)}.template.spec.parallelism": 3}, 1),
        (TORCH, {"spec.mlPolicy": None, f"{job(0)}.template.spec.parallelism": 3}, 3),
        (TORCH, {f"{job(0)}.template.metadata": None, f"{job(0)}.template.spec.parallelism": 3}, 3),
        (TORCH, {f"{job(0)}.template.metadata": None, f"{job(0)}.template.spec.parallelism": 0}, 1),
    ],
)
def test_number_of_pods_is_that_of_the_policy_for_the_trainer_and_of_the_job_for_others(
    manifest: Manifest, changes: dict[str, Any], pods: int
) -> None:
    assert view(manifest, **changes).jobs[0].pods == pods


@pytest.mark.parametrize(
    ("changes", "replicas", "indexed"),
    [
        ({}, 1, True),
        ({f"{job(0)}.replicas": 0}, 0, True),
        ({f"{job(0)}.replicas": 2, f"{job(0)}.template.spec.completionMode": "Indexed"}, 2, True),
        ({f"{job(0)}.template.spec.completionMode": "NonIndexed"}, 1, False),
    ],
)
def test_jobs_have_the_defaults_of_the_api(changes: dict[str, Any], replicas: int, indexed: bool) -> None:
    (found,) = view(TORCH, **changes).jobs
    assert (found.replicas, found.indexed, found.spec_path) == (replicas, indexed, f"{job(0)}.template.spec")


def test_runtime_without_a_jobset_has_no_parts() -> None:
    found = view(TORCH, **{"spec.template": None})
    assert (found.jobset, found.jobs, found.pods, found.containers, found.trainer) == (None, (), (), (), None)
    assert (found.policy, found.mpi, [*claim_templates(found)]) == ("torch", None, [])


def test_trainer_is_the_first_job_with_its_label() -> None:
    found = view(TORCH, **{f"{JOBSET}.replicatedJobs[1]": a_job("other", a_container(), step="trainer")})
    assert found.trainer is found.job("node")
    assert found.job("absent") is None


def test_sdk_reads_the_container_of_the_first_labelled_job() -> None:
    found = view(TORCH)
    assert sdk_container(found) == found.containers[0]
    assert sdk_container(view(TORCH, **{"metadata.labels": None})) is None
    assert sdk_container(view(TORCH, **{f"{job(0)}.template.metadata": None})) is None


def test_renamed_job_is_renamed_where_others_depend_on_it() -> None:
    found = view(MPI)
    node, launcher = found.jobs
    assert also_in_depends_on(found, node) == ", also in dependsOn"
    assert also_in_depends_on(found, launcher) == ""


def test_claim_templates_have_their_paths_and_names() -> None:
    policies = [{"templates": []}, {"templates": [{"metadata": {"name": "a"}}, {"metadata": {}}]}]
    found = claim_templates(view(TORCH, **{f"{JOBSET}.volumeClaimPolicies": policies}))
    path = f"{JOBSET}.volumeClaimPolicies[1].templates"
    assert [(path, name) for path, name, _ in found] == [(f"{path}[0]", "a"), (f"{path}[1]", "")]


def test_volumes_have_the_names_of_their_sources() -> None:
    volumes = [{"name": "a", "emptyDir": {}}, {"name": "b"}, {"name": "c", "hostPath": {"path": "/"}, "emptyDir": {}}]
    spec = view(TORCH, **{f"{pod(0)}.volumes": volumes}).pods[0].spec
    assert [sorted(source_names(volume)) for volume in spec.volumes or ()] == [
        ["empty_dir"],
        [],
        ["empty_dir", "host_path"],
    ]


def test_trainer_adds_volumes_to_the_jobs_of_mpi_and_flux() -> None:
    mpi, flux = view(MPI), view(FLUX)
    assert [injected_volumes(mpi, each) for each in mpi.jobs] == [
        {"mpi-ssh-auth"},
        {"mpi-ssh-auth", "mpi-hostfile"},
    ]
    assert injected_volumes(flux, flux.jobs[0]) == {"flux-install", "spack-install", "flux-curve", "shared-memory"}
    torch = view(TORCH)
    assert injected_volumes(torch, torch.jobs[0]) == set()

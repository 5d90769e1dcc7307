"""Older versions of the operators, and the way to the next, on upstream's charts and controllers: `make soak`."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes.client import ApiException

from components.cluster.objects import collection_path
from tools import go_build
from tools.local_cluster import operators

from .conftest import Platform, copy_project
from .submitter import Submitter
from .test_lifecycle import counts

pytestmark = pytest.mark.skipif("SOAK" not in os.environ, reason="builds four controllers and takes half an hour")

STEPS = (("2.0.0", "0.8.2"), ("2.2.0", "0.11.1"), ("2.3.0", "0.12.0"))
"""Trainer with its JobSet, oldest first."""

RESUME_TIMEOUT = 30.0


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    go_build.build(tuple(operator.program for operator in operators.OLDER))


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Platform]:
    """A checkout whose stack is not up yet."""
    platform = copy_project(tmp_path)
    runtimes = platform.sections("runtimes")["runtimes"] | {"torch-distributed": {"framework": "torch"}}
    platform.edit(runtimes=runtimes)
    yield platform
    platform.run("down")


def set_versions(platform: Platform, trainer: str, jobset: str) -> None:
    """Write the versions of both operators into the stack file."""
    charts = ".local/charts"
    platform.edit(
        jobset={"version": jobset, "chart": f"{charts}/jobset-{jobset}"},
        trainer={
            "version": trainer,
            "chart": f"{charts}/kubeflow-trainer-{trainer}",
            "interruptTrainJobs": True,
        },
    )


def suspended(name: str, runtime: str, **trainer: Any) -> dict[str, Any]:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"runtimeRef": {"name": runtime}, "suspend": True, "trainer": {"numNodes": 2, **trainer}},
    }


def resource(platform: Platform, kind: str) -> Any:
    version = {"TrainJob": "trainer.kubeflow.org/v1alpha1", "JobSet": "jobset.x-k8s.io/v1alpha2"}[kind]
    return platform.cluster().resources.get(api_version=version, kind=kind)


def wait_for_jobset(platform: Platform, name: str, *, suspended: bool) -> bool:
    """Whether the JobSet of a TrainJob is there and suspended, or runs, before the time is up."""
    deadline = time.monotonic() + RESUME_TIMEOUT
    while time.monotonic() < deadline:
        try:
            found = resource(platform, "JobSet").get(name=name, namespace="default").to_dict()
        except ApiException:
            found = None
        if found is not None and bool(found["spec"].get("suspend")) is suspended:
            return True
        time.sleep(0.5)
    return False


def resumes(platform: Platform, name: str) -> bool:
    """Resume a TrainJob, and say whether its JobSet runs."""
    resource(platform, "TrainJob").patch(
        body={"spec": {"suspend": False}},
        name=name,
        namespace="default",
        content_type="application/merge-patch+json",
    )
    return wait_for_jobset(platform, name, suspended=False)


@pytest.mark.parametrize(("trainer", "jobset"), STEPS[:-1])
def test_stack_of_an_older_version_can_be_deployed_and_destroyed(old: Platform, trainer: str, jobset: str) -> None:
    set_versions(old, trainer, jobset)
    assert set(counts(old.succeed("up"))) == {"created"}
    assert set(counts(old.succeed("preview"))) == {"unchanged"}
    assert "Complete" in old.succeed("train")
    old.succeed("down")


def test_upgrade_keeps_and_breaks_what_it_reports(old: Platform) -> None:
    assert collection_path("TrainJob") == "/apis/trainer.kubeflow.org/v1alpha1/trainjobs"
    set_versions(old, *STEPS[1])
    old.succeed("up")
    jobs = resource(old, "TrainJob")
    for name, runtime in (("mpi", "deepspeed-distributed"), ("torch", "torch-distributed")):
        jobs.create(body=suspended(name, runtime), namespace="default")
        assert wait_for_jobset(old, name, suspended=True), name
    set_versions(old, *STEPS[2])
    with Submitter(old.kubeconfig) as user:
        done = counts(old.succeed("up"))
    print(done, user.admitted, len(user.refusals))
    assert "deleted" not in done or done["deleted"] <= 2
    assert all("failed calling webhook" in refusal for refusal in user.refusals), user.refusals[:3]
    assert {namespace: len(seen) for namespace, seen in user.certificates.items()} == dict.fromkeys(
        user.certificates, 1
    )
    assert set(counts(old.succeed("preview"))) == {"unchanged"}
    # What the table of upgrades says of 2.3.
    assert resumes(old, "torch")
    assert not resumes(old, "mpi")

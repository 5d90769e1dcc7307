"""Older versions of the operators, and the way to the next, on upstream's charts and controllers: `make soak`."""

import os
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from kubernetes.client import ApiException

from tools import go_build
from tools.local_cluster import operators
from tools.processes import with_variable

from .conftest import Platform, copy_project
from .kill_engine import kill_during
from .operator_versions import STEPS, set_versions
from .stack_objects import counts
from .submitter import SECRETS, Submitter
from .waiting import eventually
from .workload import STATE_TIMEOUT, Workload

pytestmark = pytest.mark.skipif("SOAK" not in os.environ, reason="builds four controllers and takes half an hour")

KILLS = (3, 12, 12)
"""Steps of the engine, as it prints them, after which it is killed in one upgrade: each time in the `up` that goes on
where the one before was killed."""

MIXED_JOBSETS = "spec.replicatedJobs[0].groupName: Invalid value"
"""What JobSet 0.11 says of a JobSet to which 0.8 has added the defaults, while pods of both serve the webhooks."""

WAITING = {
    "deepspeed": "deepspeed-distributed",
    "mlx": "mlx-distributed",
    "torch": "torch-distributed",
    "torch-gpus": "torch-gpus",
}
"""The runtimes of the TrainJobs that wait while the operators are upgraded."""

NEVER_RESUMES = {"2.2.0": {"torch"}, "2.3.0": {"deepspeed", "mlx"}}
"""Those that the version of Trainer before has made and this one cannot resume."""

NOTICED_TIMEOUT = 5.0
"""Seconds until no webhook of a killed pod is called any more. The local cluster asks twice a second."""

NEVER_TIMEOUT = 30.0
"""Seconds until a TrainJob counts as one that does not resume; those that do need one or two."""


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    go_build.build(tuple(operator.program for operator in operators.OLDER))


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Platform]:
    """A checkout whose stack is not up yet."""
    platform = copy_project(tmp_path)
    more = {
        "torch-distributed": {"framework": "torch"},
        "torch-gpus": {"framework": "torch", "nodePool": "gpu"},
    }
    platform.edit(runtimes=platform.sections("runtimes")["runtimes"] | more)
    yield platform
    platform.run("down")


def begin(platform: Platform, replicas: int) -> Workload:
    """The oldest version, with TrainJobs and JobSets that run and that wait."""
    set_versions(platform, *STEPS[0], replicas)
    platform.succeed("up")
    workload = Workload(platform)
    for framework in ("deepspeed", "mlx", "torch"):
        workload.submit(f"running-{framework}", f"{framework}-distributed", suspend=False)
    workload.submit_jobset("running-alone", suspend=False)
    workload.submit_jobset("waiting-alone", suspend=True)
    workload.wait_for_pods(RUNNING_PODS)
    submit_waiting(workload, 0)
    return workload


RUNNING_PODS = 2 + 2 + 2 + 1
"""Pods of the TrainJobs of two nodes, and of the JobSet of one. In MPI the launcher is one of the nodes."""


def submit_waiting(workload: Workload, step: int) -> None:
    """Suspended TrainJobs, made by the version from which this step leads on."""
    for name, runtime in WAITING.items():
        workload.submit(f"waiting-{name}-{step}", runtime, suspend=True)


def check_kept(workload: Workload, before: dict[tuple[str, str], str], user: Submitter) -> None:
    """Everything that was there or was admitted is there still, and is the same object; what ran runs."""
    after = workload.present()
    lost = {key: (uid, after.get(key)) for key, uid in (before | user.kept).items() if after.get(key) != uid}
    assert not lost
    assert not workload.failed()
    assert all(count > 0 for count in user.admitted.values())
    certificates = {namespace: len(seen) for namespace, seen in user.certificates.items()}
    assert certificates == dict.fromkeys(user.certificates, 1)


def check_refusals(user: Submitter, versions: tuple[str, str], replicas: int) -> None:
    """Only what the page on upgrades says was rejected."""
    unexpected = [refusal for refusal in user.refusals if not (versions == STEPS[1] and MIXED_JOBSETS in refusal)]
    if replicas == 1:
        # The only one may restart.
        unexpected = [refusal for refusal in unexpected if "failed calling webhook" not in refusal]
    assert not unexpected, unexpected[:3]


def check_waiting(workload: Workload, step: int) -> None:
    """What the table of upgrades says of TrainJobs that wait: which resume with the version that is there now."""
    never = NEVER_RESUMES[STEPS[step + 1][0]]
    resumed = {}
    for name in WAITING:
        timeout = NEVER_TIMEOUT if name in never else STATE_TIMEOUT
        resumed[name] = workload.resumes(f"waiting-{name}-{step}", timeout)
        if not resumed[name]:
            print(name, "does not resume:", workload.complaints(f"waiting-{name}-{step}"), flush=True)
    assert {name for name, follows in resumed.items() if not follows} == never


def told(user: Submitter, seconds: float) -> str:
    """A line of figures for docs/upgrading.md."""
    reasons = Counter(re.sub(r"\d+", "N", refusal)[:400] for refusal in user.refusals)
    return f"{seconds:.0f} s, admitted {user.admitted}, refused {len(user.refusals)}: {reasons.most_common(8)}"


@pytest.mark.parametrize(("trainer", "jobset"), STEPS[:-1])
def test_stack_of_an_older_version_can_be_deployed_and_destroyed(old: Platform, trainer: str, jobset: str) -> None:
    set_versions(old, trainer, jobset)
    assert set(counts(old.succeed("up"))) == {"created"}
    assert set(counts(old.succeed("preview"))) == {"unchanged"}
    assert "Complete" in old.succeed("train")
    old.succeed("down")


@pytest.mark.parametrize("replicas", [1, 2])
def test_a_stack_goes_from_version_to_version_and_nothing_is_lost(old: Platform, replicas: int) -> None:
    workload = begin(old, replicas)
    for step, versions in enumerate(STEPS[1:]):
        before = workload.present()
        set_versions(old, *versions, replicas)
        started = time.monotonic()
        with Submitter(old.kubeconfig, keep=True) as user:
            done = counts(old.succeed("up"))
        print(versions, replicas, done, told(user, time.monotonic() - started), flush=True)
        check_refusals(user, versions, replicas)
        check_kept(workload, before, user)
        second = counts(old.succeed("preview"))
        print("second preview:", second, flush=True)
        assert set(second) == {"unchanged"}
        check_waiting(workload, step)
        if step + 2 < len(STEPS):
            submit_waiting(workload, step + 1)


def test_an_upgrade_that_is_killed_goes_through_the_next_time(old: Platform) -> None:
    workload = begin(old, replicas=2)
    for step, versions in enumerate(STEPS[1:]):
        before = workload.present()
        set_versions(old, *versions, replicas=2)
        with Submitter(old.kubeconfig, keep=True) as user:
            for kill in KILLS:
                print("killed at:", kill_during(old, "up", kill), flush=True)
            started = time.monotonic()
            done = counts(old.succeed("up"))
        print(versions, done, told(user, time.monotonic() - started), flush=True)
        check_kept(workload, before, user)
        assert set(counts(old.succeed("preview"))) == {"unchanged"}
        check_waiting(workload, step)
        if step + 2 < len(STEPS):
            submit_waiting(workload, step + 1)


def test_two_replicas_are_two_processes_and_each_can_take_over(old: Platform) -> None:
    set_versions(old, *STEPS[-1], replicas=2)
    old.succeed("up")
    workload = Workload(old)
    programs = [operator.program.name for operator in operators.DEFAULT]
    for round_, program in enumerate(programs * 2):
        running = controllers(old)
        assert Counter(running.values()) == dict.fromkeys(programs, 2)
        assert sorted(lease_holders(old)) == ["jobset-system", "kubeflow-system"]
        # The first and then the other one: whichever led, the one that is left does.
        killed = sorted(pid for pid, name in running.items() if name == program)[round_ // 2]
        os.kill(killed, signal.SIGKILL)
        # Until its readiness is noticed, the killed pod is still an endpoint of its Service.
        assert eventually(partial(is_admitted, workload, f"after-{round_}"), NOTICED_TIMEOUT)
        assert eventually(partial(is_replaced, old, killed))


def is_admitted(workload: Workload, name: str) -> bool:
    """Submit a TrainJob, and say whether it was admitted: not while a webhook of a killed pod is called."""
    try:
        workload.submit(name, "torch-distributed", suspend=False)
    except ApiException as error:
        if b"failed calling webhook" not in error.body:
            raise
        return False
    return True


def is_replaced(platform: Platform, killed: int) -> bool:
    """Whether another process has taken the place of one that was killed, and all replicas are ready."""
    running = controllers(platform)
    return killed not in running and len(running) == 4 and ready_replicas(platform) == [2, 2]


def controllers(platform: Platform) -> dict[int, str]:
    """The processes of the operators: the program of each."""
    found = with_variable("TMPDIR", f"{platform.project / '.local' / 'operators'}/")
    return {process.pid: Path(os.readlink(f"/proc/{process.pid}/exe")).name for process in found}


def lease_holders(platform: Platform) -> dict[str, str]:
    """Who leads, by the operator's namespace."""
    leases = platform.cluster().resources.get(api_version="coordination.k8s.io/v1", kind="Lease").get().items
    return {
        each.metadata.namespace: each.spec.holderIdentity
        for each in leases
        if each.metadata.namespace in SECRETS and each.spec.holderIdentity
    }


def ready_replicas(platform: Platform) -> list[int]:
    """How many pods of each operator are ready."""
    deployments = platform.cluster().resources.get(api_version="apps/v1", kind="Deployment")
    return [each.status.readyReplicas for name in SECRETS for each in deployments.get(namespace=name).items]

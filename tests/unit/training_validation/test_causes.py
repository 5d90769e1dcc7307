"""Failures of a validation that are known by name."""

from dataclasses import replace
from typing import Any

import pytest

from components.training_validation.causes import CAUSES, diagnose
from components.training_validation.diagnosis import Diagnosis
from components.training_validation.observations import (
    Expectation,
    NodeObservation,
    Observations,
    PodObservation,
    RankObservation,
)
from components.training_validation.phases import Phase

GPU, NIC = "nvidia.com/gpu", "vpc.amazonaws.com/efa"
EXPECTED = Expectation(hosts=3, ranks=6, gpus_per_rank=1, gpus={GPU: 2}, nics={NIC: 1}, memory=64)
HOSTS = ("job-launcher-0-0", "job-node-0-0", "job-node-0-1")
PODS = tuple(PodObservation(f"{host}-x7k2p", host, host.split("-")[1], log=("starting", "done")) for host in HOSTS)
RANKS = tuple(RankObservation(rank, 6, f"{HOSTS[rank // 2]}.job", 1, 21.0) for rank in range(6))
NODES = tuple(NodeObservation(name, {GPU: 2, NIC: 1, "memory": 64}) for name in ("gpu-0", "gpu-1", "gpu-2"))
GOOD = Observations(EXPECTED, NODES, (), PODS, RANKS, "Complete")

KEY = "/home/mpiuser/.ssh/id_rsa"


def with_pod(**fields: Any) -> Observations:
    """The good training, but for the pod of the launcher."""
    return replace(GOOD, pods=(replace(PODS[0], **fields), *PODS[1:]), ranks=())


def with_ranks(*ranks: RankObservation) -> Observations:
    return replace(GOOD, ranks=ranks)


def with_node(**allocatable: int) -> Observations:
    return replace(GOOD, nodes=(*NODES[:2], NodeObservation("gpu-2", {"memory": 64, **allocatable})))


def causes_of(seen: Observations) -> list[Diagnosis]:
    return [each for cause in CAUSES for each in cause(seen)]


BAD = {
    "GPUs missing": [with_node(**{GPU: 1, NIC: 1}), with_node(**{NIC: 1})],
    "NIC missing": [with_node(**{GPU: 2}), with_node(**{GPU: 2, NIC: 0})],
    "memory missing": [with_node(**{GPU: 2, NIC: 1, "memory": 63})],
    "quota exceeded": [
        replace(GOOD, refusals=('pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1',))
    ],
    "webhook refused": [
        replace(GOOD, refusals=('admission webhook "p.example.com" denied the request: no label',)),
        replace(GOOD, refusals=('Internal error occurred: failed calling webhook "p.example.com": EOF',)),
    ],
    "image not pulled": [
        with_pod(waiting=((reason, "not found"),))
        for reason in ("ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName")
    ],
    "no node that fits": [with_pod(unschedulable="0/3 nodes are available: 3 Insufficient nvidia.com/gpu.")],
    "host without address": [
        with_pod(log=("gave up after 3 s, no address for: job-node-0-1.job",)),
        with_pod(log=("ssh: Could not resolve hostname job-node-0-1.job: Name or service not known",)),
    ],
    "key not readable": [
        with_pod(log=(f'Load key "{KEY}": bad permissions',)),
        with_pod(log=(f'Load key "{KEY}": Permission denied',)),
        with_pod(log=(f"no such identity: {KEY}: Permission denied",)),
        with_pod(log=(f"Unable to load host key: {KEY}", "sshd: no hostkeys available -- exiting.")),
    ],
    "all ranks on the launcher": [
        with_ranks(*(replace(each, host=f"{HOSTS[0]}.job") for each in RANKS)),
        with_ranks(*(replace(each, host=f"{HOSTS[0]}.job", size=2, total=3.0) for each in RANKS[:2])),
    ],
    "wrong process count": [
        with_pod(log=("There are not enough slots available in the system to satisfy the 8",)),
        with_ranks(*RANKS[:5]),
        with_ranks(*(replace(each, size=1, total=1.0) for each in RANKS)),
    ],
    "GPU not visible": [with_ranks(*RANKS[:5], replace(RANKS[5], gpus=0))],
    "wrong result": [with_ranks(*RANKS[:5], replace(RANKS[5], total=20.0))],
}

CASES = [(name, seen) for name, cases in BAD.items() for seen in cases]


@pytest.mark.parametrize(("name", "seen"), CASES)
def test_cause_is_the_only_one_that_is_named(name: str, seen: Observations) -> None:
    found = causes_of(seen)
    assert {each.cause for each in found} == {name}
    assert {each.cause for each in diagnose(seen, found[0].phase)} == {name}


def test_every_cause_has_a_case() -> None:
    assert len(BAD) == len(CAUSES)


NOTHING_WRONG = {
    "a good training": GOOD,
    "nothing observed yet": Observations(EXPECTED),
    "ranks that have yet to report": replace(with_ranks(*RANKS[:3]), ending=None),
    "a container that is created": with_pod(waiting=(("ContainerCreating", ""), ("PodInitializing", ""))),
    "hosts that the launcher waits for": with_pod(log=("waiting, no address yet for: job-node-0-1.job",)),
    "a key that the server rejects": with_pod(log=("mpiuser@job-node-0-0: Permission denied (publickey).",)),
    "another refusal": replace(GOOD, refusals=('namespaces "a" not found',)),
    "a pool that promises nothing": Observations(Expectation(1, 1), (NodeObservation("n", {}),)),
    "more than promised": with_node(**{GPU: 8, NIC: 4}),
    "ranks of an image without a library for an allreduce": with_ranks(*(replace(each, total=None) for each in RANKS)),
    "as many ranks as torchrun starts": replace(GOOD, expected=replace(EXPECTED, ranks=None)),
    "a training of one host, on its launcher": Observations(
        Expectation(1, 1), (), (), PODS[:1], (RankObservation(0, 1, HOSTS[0], 0),), "Complete"
    ),
}


@pytest.mark.parametrize("seen", NOTHING_WRONG.values(), ids=NOTHING_WRONG)
def test_no_cause_is_named_for(seen: Observations) -> None:
    assert causes_of(seen) == []


def test_ranks_on_a_worker_only_are_not_on_the_launcher() -> None:
    seen = with_ranks(*(replace(each, host=f"{HOSTS[1]}.job") for each in RANKS))
    assert causes_of(seen) == []


def test_only_the_phase_that_failed_is_diagnosed() -> None:
    pod = replace(PODS[0], unschedulable="0/3 nodes are available", log=(f'Load key "{KEY}": bad permissions',))
    seen = replace(GOOD, pods=(pod,), ranks=())
    assert [each.cause for each in diagnose(seen, Phase.START)] == ["no node that fits"]
    assert [each.cause for each in diagnose(seen, Phase.TRAINING)] == ["key not readable"]


def test_failure_without_a_known_cause_has_the_last_lines_of_the_launcher() -> None:
    pods = (replace(PODS[1], log=("sshd",)), replace(PODS[0], log=("Traceback", "ImportError: libcuda")))
    (found,) = diagnose(replace(GOOD, pods=pods), Phase.TRAINING)
    assert (found.cause, found.subject) == ("not known", f"pod {PODS[0].name}")
    assert found.evidence == ("Traceback", "ImportError: libcuda")


def test_refusal_without_a_known_cause_is_shown() -> None:
    (found,) = diagnose(replace(GOOD, refusals=('namespaces "a" not found',)), Phase.ADMISSION)
    assert (found.cause, found.evidence) == ("not known", ('namespaces "a" not found',))


def test_failure_of_which_nothing_is_known_has_no_diagnosis() -> None:
    assert diagnose(Observations(EXPECTED), Phase.START) == ()


def test_page_has_the_phase_the_pod_its_last_lines_the_meaning_and_the_fix() -> None:
    log = (*(f"line {number}" for number in range(9)), f'Load key "{KEY}": bad permissions', "the end")
    (found,) = diagnose(with_pod(log=log), Phase.TRAINING)
    assert str(found) == (
        "training: key not readable (pod job-launcher-0-0-x7k2p)\n"
        "    | line 5\n    | line 6\n    | line 7\n    | line 8\n"
        f'    | Load key "{KEY}": bad permissions\n'
        "  The key belongs to root and is readable by a group, so ssh needs a user that is in it and is not root.\n"
        "  Fix: Set `fsGroup` in the pods' `securityContext` to a group of the user that runs mpirun and sshd."
    )


def test_counts_of_ranks_are_shown() -> None:
    (found,) = diagnose(with_ranks(*(replace(each, size=1, total=1.0) for each in RANKS[:5])), Phase.TRAINING)
    assert found.evidence == ("5 ranks reported, 6 expected", "ranks see 1 ranks")


def test_cause_that_many_pods_have_is_shown_for_the_first_ones() -> None:
    pods = [replace(PODS[1], name=f"pod-{index}", waiting=(("ErrImagePull", "no"),)) for index in range(1000)]
    found = diagnose(replace(GOOD, pods=tuple(pods)), Phase.START)
    assert [each.subject for each in found] == [
        *(f"pod pod-{index}" for index in range(4)),
        "pod pod-4 and 995 more",
    ]


def test_logs_cannot_command_the_terminal() -> None:
    (found,) = diagnose(with_pod(log=(f'\x1b[2JLoad key "{KEY}": bad permissions',)), Phase.TRAINING)
    assert found.evidence == (f'\\x1b[2JLoad key "{KEY}": bad permissions',)

"""Whether operators may be removed: what users have in the cluster that would stop, or be lost with the CRDs."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .api_paths import JOBSET, TRAINER, collection_path
from .cluster_access import ClusterAccess, NoAnswer
from .operator_spec import OperatorSpec
from .veto import Veto
from .violation import Violation

UNFINISHED, LOST, UNSEEN = "OPR-05", "OPR-06", "OPR-07"

SHOWN = 10
"""Objects that a message names; the others it counts."""

PATIENCE = 120.0
"""Seconds for objects that are given up to go while their controllers still run."""


@dataclass(frozen=True)
class Work:
    """Something of a user in the cluster."""

    kind: str
    """`TrainJob`."""

    plural: str
    """As paths of the API have its kind: `trainjobs`."""

    api: str
    """Path of its group and version."""

    name: str
    """Its name."""

    namespace: str | None
    """Its namespace. None: it has none."""

    def __str__(self) -> str:
        """As a message names it."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"

    @property
    def path(self) -> str:
        """Where the API has it."""
        return f"{collection_path(self.api, self.plural, self.namespace)}/{self.name}"


def require_leave(
    operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]], access: ClusterAccess
) -> None:
    """Returns when the operators may be removed; what was given up with their CRDs is gone then, in the order in which
    nothing holds anything. Raises Veto."""
    require_idle(operators, access)
    if not any(each.destroy_crds for each in operators.values()):
        return
    section = _section(operators)
    with _seen(section):
        lost = list(losses(operators, runtimes, access))
    confirmed = sum(each.objects_lost or 0 for each in operators.values() if each.destroy_crds)
    if confirmed != len(lost):
        message = f"`destroyCrds` would delete {_counted(lost, 'object')} for good, not {confirmed}:{_listed(lost)}\n "
        fix = f"Write `{section}: {{destroyCrds: true, objectsLost: {len(lost)}}}`, or take `destroyCrds` out."
        raise Veto([Violation(LOST, f"{section}.objectsLost", message, fix)])
    _give_up(access, lost)


def require_idle(operators: Mapping[str, OperatorSpec], access: ClusterAccess) -> None:
    """Returns when no TrainJob is unfinished, or the operators may interrupt it. Raises Veto."""
    if any(each.interrupt_train_jobs for each in operators.values()):
        return
    section = _section(operators)
    with _seen(section):
        jobs = _train_jobs(access)
    unfinished = [_work(job, "TrainJob", "trainjobs", TRAINER) for job in jobs if not is_finished(job)]
    if unfinished:
        message = f"{_counted(unfinished, 'unfinished TrainJob')} would stop:{_listed(unfinished)}\n "
        fix = f"Wait for them, delete them, or write `{section}: {{interruptTrainJobs: true}}` to go on."
        raise Veto([Violation(UNFINISHED, section, message, fix if operators else "Wait for them, or delete them.")])


@contextmanager
def _seen(section: str) -> Iterator[None]:
    try:
        yield
    except NoAnswer as error:
        fix = "Mend that: nothing is removed without a look at what runs."
        raise Veto([Violation(UNSEEN, section, f"What is in the cluster cannot be told: {error}.", fix)]) from error


def _section(operators: Mapping[str, OperatorSpec]) -> str:
    """The section that messages are about: the last of those that the stack has left."""
    return [*operators, "trainer"][max(len(operators) - 1, 0)]


def is_finished(job: Mapping[str, Any]) -> bool:
    """Whether a TrainJob has ended, well or not."""
    conditions = job.get("status", {}).get("conditions") or ()
    return any(each["type"] in ("Complete", "Failed") and each["status"] == "True" for each in conditions)


def losses(
    operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]], access: ClusterAccess
) -> Iterator[Work]:
    """The objects of users that go with the CRDs that go: not the stack's own runtimes, nor what a TrainJob made."""
    own = {(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in runtimes}
    if "trainer" in operators and operators["trainer"].destroy_crds:
        for job in _train_jobs(access):
            yield _work(job, "TrainJob", "trainjobs", TRAINER)
        for kind, plural in (
            ("TrainingRuntime", "trainingruntimes"),
            ("ClusterTrainingRuntime", "clustertrainingruntimes"),
        ):
            for thing in access.items(f"{TRAINER}/{plural}"):
                work = _work(thing, kind, plural, TRAINER)
                if (kind, work.namespace, work.name) not in own:
                    yield work
    if "jobset" in operators and operators["jobset"].destroy_crds:
        for thing in access.items(f"{JOBSET}/jobsets"):
            owners = thing["metadata"].get("ownerReferences") or ()
            if not any(owner["kind"] == "TrainJob" for owner in owners):
                yield _work(thing, "JobSet", "jobsets", JOBSET)


def _train_jobs(access: ClusterAccess) -> list[Mapping[str, Any]]:
    return access.items(f"{TRAINER}/trainjobs")


def _work(thing: Mapping[str, Any], kind: str, plural: str, api: str) -> Work:
    return Work(kind, plural, api, thing["metadata"]["name"], thing["metadata"].get("namespace"))


def _give_up(access: ClusterAccess, lost: Sequence[Work]) -> None:
    """Delete TrainJobs, then what they used, while the controllers run that take their finalizers off."""
    deadline = time.monotonic() + PATIENCE
    for kind in dict.fromkeys(work.kind for work in lost):
        left = [work for work in lost if work.kind == kind]
        for work in left:
            answer = access.call("DELETE", work.path)
            if not answer.ok and answer.status != 404:
                message = f"{work} cannot be deleted: {answer.message}"
                raise Veto([Violation(LOST, "", message, "Mend that, and destroy again.")])
        while left := [work for work in left if access.get(work.path) is not None]:
            if time.monotonic() > deadline:
                message = f"{_counted(left, 'object')} did not go within {PATIENCE:.0f} s:{_listed(left)}\n "
                raise Veto([Violation(LOST, "", message, "Look at their finalizers, and destroy again.")])
            time.sleep(0.2)


def _counted(work: Sequence[Work], noun: str) -> str:
    return f"{len(work)} {noun}" + ("" if len(work) == 1 else "s")


def _listed(work: Sequence[Work]) -> str:
    more = f"\n  and {len(work) - SHOWN} more" if len(work) > SHOWN else ""
    return "".join(f"\n  {each}" for each in work[:SHOWN]) + more

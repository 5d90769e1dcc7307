"""Where a value of the JobSet comes from in the TrainJob."""

import re
from collections.abc import Iterator

from ..rules.view import TRAINER, LocatedContainer, LocatedJob
from ..topology import INITIALIZERS, NODE
from .pair import Pair
from .patched import patched_jobs

_JOB = re.compile(r"spec\.template\.spec\.replicatedJobs\[(\d+)\]")
_CONTAINER = re.compile(r"\.(containers|initContainers)\[(\d+)\]\.?(.*)")
_ENV = re.compile(r"env\[(\d+)\](.*)")


def train_job_path(pair: Pair, path: str) -> str:
    """The path in the TrainJob of what is at `path` in the JobSet: in `trainer`, `initializer` or a patch. Otherwise
    the path of the runtime's name."""
    return next(_paths(pair, path), "spec.runtimeRef.name")


def _paths(pair: Pair, path: str) -> Iterator[str]:
    found = _JOB.match(path)
    if pair.result is None or found is None:
        return
    job = pair.result.jobs[int(found[1])]
    if path.endswith((".parallelism", ".completions")) and pair.trainer and pair.trainer.num_nodes is not None:
        yield "spec.trainer.numNodes"
    in_container = _CONTAINER.search(path)
    if in_container and job.pod:
        init, index, field = in_container[1] == "initContainers", int(in_container[2]), in_container[3]
        at = [each for each in job.pod.containers if each.init == init][index]
        if not init:
            yield from _section_path(pair, job, at, field)
        yield from _patch_path(pair, job, at)
    yield from (patch.path for patch in patched_jobs(pair) if patch.name == job.name)


def _section_path(pair: Pair, job: LocatedJob, at: LocatedContainer, field: str) -> Iterator[str]:
    """The path in `trainer` or `initializer`."""
    variable = _ENV.match(field)
    name = (at.model.env or ())[int(variable[1])].name if variable else None
    section, given = "", None
    of_mpi = bool(pair.view and pair.view.mpi and pair.view.mpi.run_launcher_as_node and job.name == NODE)
    if at.model.name == NODE and (job.ancestor == TRAINER or of_mpi):
        section, given = "spec.trainer", pair.trainer
    elif job.ancestor in INITIALIZERS and at.model.name == job.ancestor and pair.train_job.spec.initializer:
        kind = job.ancestor.removesuffix("-initializer")
        section, given = f"spec.initializer.{kind}", getattr(pair.train_job.spec.initializer, kind)
    if given is None:
        return
    for index, each in enumerate(given.env or ()):
        if each.name == name:
            yield f"{section}.env[{index}]{variable[2] if variable else ''}"
    resources = getattr(given, "resources_per_node", None)
    if field.startswith("resources") and resources is not None:
        yield _existing(f"{section}.resourcesPerNode", field.removeprefix("resources"), resources)
    first = re.split(r"[.\[]", field)[0]
    if job.ancestor == TRAINER and first in ("image", "command", "args") and getattr(given, first, None) is not None:
        yield f"{section}.{field}"


def _existing(path: str, rest: str, resources: object) -> str:
    """The path of an amount, if the TrainJob sets it, and otherwise the path of the resources."""
    found = re.match(r"\.(limits|requests)\[(.*)\]", rest)
    return f"{path}{rest}" if found and found[2] in (getattr(resources, found[1]) or {}) else path


def _patch_path(pair: Pair, job: LocatedJob, at: LocatedContainer) -> Iterator[str]:
    for patch in patched_jobs(pair):
        if patch.name == job.name:
            yield from (path for path, container in patch.containers() if container.name == at.model.name)

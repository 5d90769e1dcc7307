"""Fields that cannot be changed in an existing TrainJob."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...validation.violation import Violation
from ..explain import LATEST, RELEASES, ExplainError, Release
from ..explain.stored import with_train_job_defaults
from ..train_job import TrainJob

TRAIN_JOB_UPDATE_RULES: Mapping[str, str] = {
    "TJC-07": "The API server rejects a change of a field that is set before and after the update.",
    "TJC-21": "Trainer rejects a change of the patches of a TrainJob that is not suspended.",
}
"""What updates are rejected for, by the id of the rule.

Source: pkg/apis/trainer/v1alpha1/trainjob_types.go:104-150,299,393-460,
pkg/runtime/framework/plugins/jobset/jobset.go:213-249@trainer@v2.3.0; the same files of v2.2.0 and v2.0.0.
"""

_IMMUTABLE_IN_PODS = (
    "serviceAccountName",
    "volumes",
    "initContainers",
    "containers",
    "imagePullSecrets",
    "securityContext",
    "terminationGracePeriodSeconds",
)
"""Fields of a patch of a pod spec that cannot change, in Trainer 2.2 and later."""


class _PodPatch(NamedTuple):
    path: str
    spec: Mapping[str, Any]


def train_job_update_violations(old: TrainJob, new: TrainJob, *, trainer: str = LATEST) -> tuple[Violation, ...]:
    """What the API server and Trainer reject in an update of a TrainJob.

    TJC-07: an immutable field that is set before and after, with different values. Adding or removing such a field is
    allowed. TJC-21: patches that change while the TrainJob is not suspended; with Trainer 2.3, suspending it in the
    same update is enough. `trainer`: the version of Trainer.

    Trainer also rejects a change of patches while pods are active, which is not checked.

    Raises ExplainError if the version of Trainer is not one of RELEASES.
    """
    release = RELEASES.get(trainer)
    if release is None:
        raise ExplainError(f"Trainer {trainer} is not known. Use {', '.join(RELEASES)}.")
    before, after = (with_train_job_defaults(each.to_manifest())["spec"] for each in (old, new))
    return (*_fields(release, before, after), *_pods(before, after), *_patches(release, before, after))


def _fields(release: Release, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Violation]:
    for path in release.immutable:
        name = path.removeprefix("spec.")
        if name in before and name in after and before[name] != after[name]:
            yield _immutable(path)


def _pods(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Violation]:
    earlier = _pod_patches(before)
    for key, patch in _pod_patches(after).items():
        present = earlier[key].spec if key in earlier else {}
        for field in _IMMUTABLE_IN_PODS:
            if field in present and field in patch.spec and present[field] != patch.spec[field]:
                yield _immutable(f"{patch.path}.{field}")


def _pod_patches(spec: Mapping[str, Any]) -> dict[tuple[str, str], _PodPatch]:
    """The patches of pod specs, by manager and replicated job."""
    found = {}
    for index, patch in enumerate(spec.get("runtimePatches") or ()):
        jobset = ((patch.get("trainingRuntimeSpec") or {}).get("template") or {}).get("spec") or {}
        jobs: Sequence[Mapping[str, Any]] = jobset.get("replicatedJobs") or ()
        for number, job in enumerate(jobs):
            template = ((job.get("template") or {}).get("spec") or {}).get("template") or {}
            path = f"spec.runtimePatches[{index}].trainingRuntimeSpec.template.spec.replicatedJobs[{number}]"
            pod = template.get("spec") or {}
            found[patch["manager"], job["name"]] = _PodPatch(f"{path}.template.spec.template.spec", pod)
    return found


def _patches(release: Release, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Violation]:
    field = release.patches
    suspended = bool(after.get("suspend")) or (release.trainer == "2.3.0" and bool(before.get("suspend")))
    if release.trainer != "2.3.0":
        suspended = bool(after.get("suspend"))
    if not suspended and _without_time(before.get(field)) != _without_time(after.get(field)):
        yield Violation(
            "TJC-21",
            f"spec.{field}",
            f"{field} of a TrainJob that is not suspended is immutable: Trainer rejects the update.",
            "Set suspend to true in the same update, and to false when no pod is active.",
        )


def _without_time(patches: Any) -> Any:
    """The patches without their times, which Trainer's webhook sets."""
    return [{key: value for key, value in each.items() if key != "time"} for each in patches or ()]


def _immutable(path: str) -> Violation:
    name = path.rpartition(".")[2]
    return Violation(
        "TJC-07",
        path,
        f"{name} of an existing TrainJob is immutable: the API server rejects the update.",
        "Delete the TrainJob and create it again, or create another one.",
    )

"""Fields that the API does not have, or has removed."""

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic_core import PydanticCustomError

from ..validation.errors import rule_error
from ..validation.paths import FieldPath


class RemovedField(NamedTuple):
    """A removed field that is still found in manifests."""

    why: str
    """Follows "The API has no field x" in the message."""

    fix: str
    """What to do about it."""


REMOVED_FIELDS: Mapping[FieldPath, RemovedField] = {
    ("spec", "mlPolicy", "torch", "numProcPerNode"): RemovedField(
        "any more: Trainer 2.2 removed it. torchrun starts one process per GPU.",
        "Remove it. To change the number of processes, set the GPUs of container node (resources.limits), or "
        "trainer.numProcPerNode of the TrainJob.",
    ),
    ("spec", "mlPolicy", "torch", "elasticPolicy"): RemovedField(
        "any more: Trainer 2.3 does not support elastic training.",
        "Remove it and set spec.mlPolicy.numNodes.",
    ),
}
"""Removed fields by their path in a runtime. Source: the CRDs of Trainer v2.0.0 and v2.3.0."""

RUN_POLICY = ("spec", "runPolicy")

_MPI = "Write spec.mlPolicy.mpi: {} starts under MPI."
_NO_POLICY = "Remove it: Trainer 2.3 has no policy for {}, and starts such a training as a plain one."
_OF_TRAIN_JOB = "Remove it: it belongs to the TrainJobs, which say it for themselves."
_ROLES = "Remove it, and write one job a role in spec.template.spec.replicatedJobs."

FOREIGN_FIELDS: Mapping[FieldPath, str] = {
    **{
        ("spec", "mlPolicy", name): _MPI.format(framework)
        for name, framework in (("deepspeed", "DeepSpeed"), ("mlx", "MLX"), ("horovod", "Horovod"))
    },
    **{
        ("spec", "mlPolicy", name): _NO_POLICY.format(framework)
        for name, framework in (
            ("tensorflow", "TensorFlow"),
            ("tf", "TensorFlow"),
            ("paddle", "PaddlePaddle"),
            ("paddlepaddle", "PaddlePaddle"),
            ("ray", "Ray"),
        )
    },
    **{
        ("spec", name): _OF_TRAIN_JOB
        for name in (
            "activeDeadlineSeconds",
            "initializer",
            "managedBy",
            "podTemplateOverrides",
            "runtimePatches",
            "runtimeRef",
            "suspend",
            "trainer",
        )
    },
    **{
        ("spec", f"{framework}ReplicaSpecs"): _ROLES
        for framework in ("jax", "mpi", "mx", "paddle", "pytorch", "tf", "xgb")
    },
    ("spec", "cleanPodPolicy"): "Remove it: pods of a finished training stay until its TrainJob is deleted.",
    ("spec", "elasticPolicy"): "Remove it and set spec.mlPolicy.numNodes: nothing scales by itself in Trainer 2.3.",
    ("spec", "launcherCreationPolicy"): "Remove it, and let the job launcher wait: dependsOn [{name: node, status: "
    "Ready}].",
    ("spec", "nprocPerNode"): "Remove it: processes follow the GPUs of the container node; for MPI write "
    "spec.mlPolicy.mpi.numProcPerNode.",
    ("spec", "runLauncherAsWorker"): "Write spec.mlPolicy.mpi.runLauncherAsNode.",
    ("spec", "slotsPerWorker"): "Write spec.mlPolicy.mpi.numProcPerNode.",
}
"""What to write for fields of other APIs that people write into a runtime: those of TrainJobs, of Training Operator v1
(pkg/apis/kubeflow.org/v1@training-operator@v1.9.3) and of frameworks that have no policy of their name."""

_OF_RUNTIME = "Remove it: it belongs to the runtime."

FOREIGN_TRAIN_JOB_FIELDS: Mapping[FieldPath, str] = {
    ("spec", "podTemplateOverrides"): "Write the changes in spec.runtimePatches, which replaced it in Trainer 2.2.",
    **{("spec", name): _OF_RUNTIME for name in ("mlPolicy", "podGroupPolicy", "template")},
    **{
        ("spec", f"{framework}ReplicaSpecs"): "Remove it: the runtime has the jobs, and spec.trainer what they run."
        for framework in ("jax", "mpi", "mx", "paddle", "pytorch", "tf", "xgb")
    },
    ("spec", "nprocPerNode"): "Write spec.trainer.numProcPerNode.",
    ("spec", "slotsPerWorker"): "Write spec.trainer.numProcPerNode.",
    RUN_POLICY: "Remove it. spec.activeDeadlineSeconds and spec.suspend are fields of TrainJobs.",
}
"""What to write for fields of other APIs and versions that people write into a TrainJob: those of runtimes, of Trainer
2.1 and of Training Operator v1."""

_GANG = "Remove it. For gang scheduling use Kueue, or coscheduling or volcano in spec.podGroupPolicy of a runtime."

PLANNED_FIELDS: Mapping[FieldPath, str] = {
    ("spec", "scheduling"): _GANG,
    ("spec", "podGroupPolicy", "workload"): _GANG,
}
"""What to write for fields of runtimes and TrainJobs that upstream plans for Trainer 2.4: gang scheduling with
Kubernetes' own Workload API (kubeflow/trainer KEP-3015, docs/proposals/3015-workload-aware-scheduling)."""

POLICIES = {"torch", "mpi", "jax", "xgboost", "flux"}
"""The policies that the API has."""
_RUN_POLICY = {
    "backoffLimit": "spec.template.spec.failurePolicy.maxRestarts",
    "activeDeadlineSeconds": "the activeDeadlineSeconds of TrainJobs",
    "ttlSecondsAfterFinished": "nothing (delete finished TrainJobs)",
    "cleanPodPolicy": "nothing (pods stay until their TrainJob is deleted)",
    "suspend": "the suspend of TrainJobs",
    "schedulingPolicy": "spec.podGroupPolicy",
}
"""What says in Trainer what the keys of Training Operator's runPolicy say."""

_TIMESTAMP = ("metadata", "creationTimestamp")
_TIMESTAMP_FIELD = RemovedField("here. Programs written in Go add it to all metadata.", "Remove it.")


def unknown_field(name: str, known: Collection[str], elsewhere: str | None = None) -> PydanticCustomError:
    """The error for an unknown field. It suggests the most similar of the `known` names, or the path `elsewhere` at
    which the API has that field."""
    folded = {key.lower(): key for key in known}
    nearest = get_close_matches(name.replace("_", "").lower(), folded, n=1, cutoff=0.6 if elsewhere is None else 0.8)
    if nearest:
        fix = f"Did you mean {folded[nearest[0]]}?"
    elif elsewhere is not None:
        fix = f"Move it to {elsewhere}."
    else:
        fix = f"Remove it. Known fields: {', '.join(sorted(known)) or 'none'}."
    return rule_error("CTR-36", f"The API has no field {name} here: it rejects the field or drops it silently.", fix)


def foreign_field(loc: FieldPath, value: object, kind: str) -> PydanticCustomError | None:
    """The error for a field of another API or of a later version in a manifest of this kind, with what to write."""
    if planned := PLANNED_FIELDS.get(loc):
        message = f"{loc[-1]} is planned for Trainer 2.4 (KEP-3015); up to 2.3 it is rejected or dropped."
        return rule_error("CTR-36", message, planned)
    if kind == "TrainJob":
        message = f"TrainJobs have no field {loc[-1]} here: it is rejected or dropped."
        instead = FOREIGN_TRAIN_JOB_FIELDS.get(loc)
        return rule_error("CTR-36", message, instead) if instead else None
    fix = FOREIGN_FIELDS.get(loc)
    if loc == RUN_POLICY:
        given = [key for key in _RUN_POLICY if isinstance(value, Mapping) and key in value]
        said = "; ".join(f"for {key} there is {_RUN_POLICY[key]}" for key in given or _RUN_POLICY)
        fix = f"Remove it: {said}."
    message = f"The API has no field {loc[-1]} here: it is rejected or dropped."
    return rule_error("CTR-36", message, fix) if fix else None


def with_meant_policy(manifest: Any, unknown: Collection[FieldPath]) -> Any:
    """A manifest without its unknown fields, with the policy that is meant by a framework's name among them.

    So what that policy needs is told at once with the name, not when it has been corrected.
    """
    meant = any(FOREIGN_FIELDS.get(loc, "").startswith("Write spec.mlPolicy.mpi:") for loc in unknown)
    spec = manifest.get("spec") if isinstance(manifest, Mapping) else None
    policy = spec.get("mlPolicy") if isinstance(spec, Mapping) else None
    if not meant or spec is None or not isinstance(policy, Mapping) or policy.keys() & POLICIES:
        return manifest
    return {**manifest, "spec": {**spec, "mlPolicy": {**policy, "mpi": {}}}}


def find_removed_field(loc: FieldPath) -> RemovedField | None:
    """The removed field at `loc`, or None."""
    return REMOVED_FIELDS.get(loc) or (_TIMESTAMP_FIELD if loc[-2:] == _TIMESTAMP else None)


def removed_field(name: str, removed: RemovedField) -> PydanticCustomError:
    """The error for a removed field."""
    return rule_error("CTR-36", f"The API has no field {name} {removed.why}", removed.fix)


def removed_fields(manifest: object, loc: FieldPath = ()) -> Iterator[tuple[FieldPath, RemovedField]]:
    """The removed fields in a manifest, with their paths."""
    if removed := find_removed_field(loc):
        yield loc, removed
    elif isinstance(manifest, Mapping):
        for key, value in manifest.items():
            yield from removed_fields(value, (*loc, key))
    elif isinstance(manifest, list | tuple):
        for index, value in enumerate(manifest):
            yield from removed_fields(value, (*loc, index))

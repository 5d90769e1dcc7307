"""Changes between release lines of Trainer and JobSet that affect those who operate or use them.

The list has what an upgrade may break, drop or change; it has no new features. Each entry has its source, and whether
it was run here on upstream's charts and controllers or only read in upstream's sources.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Manifest = Mapping[str, Any]
"""An object, as the API server returns it."""

Breaks = Callable[[Manifest, Manifest | None], bool]
"""Whether a change breaks a stored TrainJob. The second argument is its runtime, or None if that does not exist."""


class Kind(StrEnum):
    """What happens to the subject of a change."""

    REMOVED = "removed"
    RENAMED = "renamed"
    REJECTED = "newly rejected"
    DEFAULTED = "changed default"
    OPERATION = "operation"


class Evidence(StrEnum):
    """How a change is known."""

    RUN = "run"
    """Seen here, on upstream's charts and controllers of both versions."""

    READ = "read, not run"
    """Read in upstream's sources or release notes."""


@dataclass(frozen=True)
class Change:
    """One change, which a release line introduces."""

    operator: str
    """Trainer or JobSet."""

    since: str
    """The first release line with the change, major and minor."""

    kind: Kind
    """What happens to `subject`."""

    subject: str
    """The field, key or behavior."""

    message: str
    """What changes, in one or two sentences."""

    fix: str
    """What to do before the upgrade."""

    source: str
    """File or pull request, at a version."""

    evidence: Evidence = Evidence.READ
    """How it is known."""

    frameworks: frozenset[str] = frozenset()
    """The runtimes that are affected, by their `mlPolicy`, or `initializers`. Empty: all, or the operator itself."""

    breaks: Breaks | None = None
    """Selects the suspended TrainJobs that it breaks. None: none, or none that can be recognized."""

    includes_finished: bool = False
    """Whether it also breaks finished TrainJobs."""


def _spec(job: Manifest) -> Manifest:
    spec: Manifest = job.get("spec") or {}
    return spec


def _trainer(job: Manifest) -> Manifest:
    trainer: Manifest = _spec(job).get("trainer") or {}
    return trainer


def policy_of(runtime: Manifest | None) -> str:
    """The framework in a runtime's `mlPolicy`: `torch`, `mpi`, ... Empty if there is none, or no runtime."""
    policy = ((runtime or {}).get("spec") or {}).get("mlPolicy") or {}
    return next((name for name in policy if name != "numNodes"), "")


def is_mpi(_: Manifest, runtime: Manifest | None) -> bool:
    """Whether a TrainJob's runtime uses MPI."""
    return policy_of(runtime) == "mpi"


def is_flux(_: Manifest, runtime: Manifest | None) -> bool:
    """Whether a TrainJob's runtime uses Flux."""
    return policy_of(runtime) == "flux"


def has_field(*fields: str) -> Breaks:
    """Select TrainJobs whose spec has one of these fields."""
    return lambda job, _: any(_spec(job).get(field) for field in fields)


def has_text_as_processes(job: Manifest, _: Manifest | None) -> bool:
    """Whether a TrainJob's `numProcPerNode` is a word."""
    return isinstance(_trainer(job).get("numProcPerNode"), str)


def has_other_processes(job: Manifest, runtime: Manifest | None) -> bool:
    """Whether Trainer 2.2 gives a TrainJob of PyTorch another number of processes per node than 2.0 and 2.1: by the
    CPUs instead of `auto`, or without what the runtime says."""
    if policy_of(runtime) != "torch" or isinstance(_trainer(job).get("numProcPerNode"), int):
        return False
    spec = (runtime or {})["spec"]
    said = (spec["mlPolicy"]["torch"] or {}).get("numProcPerNode")
    return said not in (None, "auto") or not (_trainer(job).get("resourcesPerNode") or _has_gpus(spec))


def _has_gpus(spec: Manifest) -> bool:
    """Whether a container of a runtime asks for GPUs, as Trainer counts them: resources with `gpu` in their names."""
    jobs = (spec.get("template") or {}).get("spec", {}).get("replicatedJobs") or ()
    containers = (each for job in jobs for each in job["template"]["spec"]["template"]["spec"]["containers"])
    resources = (each.get("resources") or {} for each in containers)
    return any("gpu" in name.lower() for each in resources for names in each.values() for name in names or ())


def sets_mpi_variables(job: Manifest, runtime: Manifest | None) -> bool:
    """Whether a TrainJob of MPI sets a variable that Trainer sets."""
    names = {variable.get("name") for variable in _trainer(job).get("env") or ()}
    return is_mpi(job, runtime) and bool(names & MPI_VARIABLES)


MPI_VARIABLES = {
    "OMPI_MCA_orte_default_hostfile",
    "OMPI_MCA_plm_rsh_args",
    "OMPI_MCA_orte_keep_fqdn_hostnames",
    "OMPI_MCA_orte_set_default_slots",
}


def lacks_initializer_volume(job: Manifest, runtime: Manifest | None) -> bool:
    """Whether a TrainJob uses an initializer whose container in the runtime mounts no volume `initializer`."""
    asked = {f"{name}-initializer" for name, given in (_spec(job).get("initializer") or {}).items() if given}
    jobs = ((((runtime or {}).get("spec") or {}).get("template") or {}).get("spec") or {}).get("replicatedJobs") or ()
    for replicated in jobs:
        if replicated.get("name") in asked:
            containers = replicated["template"]["spec"]["template"]["spec"].get("containers") or ()
            mounts = (m for c in containers if c["name"] == replicated["name"] for m in c.get("volumeMounts") or ())
            if not any(mount["name"] == "initializer" for mount in mounts):
                return True
    return False


FLUX = frozenset({"flux"})
TORCH, MPI, INITIALIZERS = frozenset({"torch"}), frozenset({"mpi"}), frozenset({"initializers"})

RESUBMIT = "Wait for these TrainJobs to finish, or delete them and submit them again after the upgrade."

CHANGES = (
    Change(
        "Trainer", "2.1", Kind.RENAMED, "`spec.podSpecOverrides` of TrainJobs",
        "It is now `spec.podTemplateOverrides`. The CRD drops the old field from stored TrainJobs. A suspended one "
        "never resumes: its JobSet would be applied without the overrides, and is immutable.",
        RESUBMIT, "kubeflow/trainer#2785 (v2.1.0)", Evidence.RUN, breaks=has_field("podSpecOverrides"),
    ),
    Change(
        "Trainer", "2.1", Kind.REJECTED, "runtimes whose labeled jobs lack the container `node`, or the initializer's",
        "A runtime is rejected if a job with the label trainjob-ancestor-step lacks the container that belongs to "
        "the label.",
        "Name the containers `node`, `dataset-initializer` and `model-initializer`.",
        "kubeflow/trainer#2722 (v2.1.0), pkg/webhooks/trainingruntime_webhook.go@v2.1.0",
    ),
    Change(
        "Trainer", "2.1", Kind.RENAMED, "flags of the controller",
        "The controller reads a configuration file, which the chart creates from `manager.config`, instead of flags.",
        "Move your flags from `values` to `manager.config`.",
        "kubeflow/trainer#2879 (v2.1.0)",
    ),
    Change(
        "Trainer", "2.2", Kind.RENAMED, "`spec.podTemplateOverrides` of TrainJobs",
        "It is now part of `spec.runtimePatches`. The CRD drops the old field from stored TrainJobs. A suspended one "
        "never resumes, as with `podSpecOverrides` before.",
        RESUBMIT, "kubeflow/trainer#3309 (v2.2.0)", breaks=has_field("podTemplateOverrides", "podSpecOverrides"),
    ),
    Change(
        "Trainer", "2.2", Kind.RENAMED, "`spec.labels` and `spec.annotations` of TrainJobs",
        "They are now part of `spec.runtimePatches`. The CRD drops the old fields from stored TrainJobs. A suspended "
        "one resumes, and its JobSet is applied without them.",
        RESUBMIT, "kubeflow/trainer#3309 (v2.2.0), pkg/apis/trainer/v1alpha1/trainjob_types.go@v2.2.0",
        breaks=has_field("labels", "annotations"),
    ),
    Change(
        "Trainer", "2.2", Kind.REJECTED, "`spec.trainer.numProcPerNode` as a word",
        "Only a number is accepted; `auto`, `cpu` and `gpu` were removed. A single stored TrainJob with a word, even "
        "a finished one, keeps the new controller from listing TrainJobs: it never becomes ready, and reconciles none.",
        "Delete these TrainJobs before the upgrade, and submit them again without the field. If the upgrade is already "
        "done, delete them to let the controller start.",
        "kubeflow/trainer#3239 (v2.2.0), pkg/apis/trainer/v1alpha1/trainjob_types.go@v2.2.0", Evidence.RUN,
        frameworks=TORCH, breaks=has_text_as_processes, includes_finished=True,
    ),
    Change(
        "Trainer", "2.2", Kind.REMOVED, "`mlPolicy.torch.numProcPerNode` and `mlPolicy.torch.elasticPolicy`",
        "The CRD drops them from runtimes. The number of processes per node is that of the GPUs, else of the CPUs, "
        "else 1.",
        "Remove them from your runtimes, and set `trainer.numProcPerNode` in TrainJobs that need another number.",
        "kubeflow/trainer#3239, #3235 (v2.2.0)", frameworks=TORCH,
    ),
    Change(
        "Trainer", "2.2", Kind.DEFAULTED, "processes per node of PyTorch without GPUs",
        "`PET_NPROC_PER_NODE` is the number of CPUs, at least 1. It was `auto`.",
        "Set `trainer.numProcPerNode` if you need another number.",
        "pkg/runtime/framework/plugins/torch/torch.go@v2.2.0", frameworks=TORCH,
    ),
    Change(
        "Trainer", "2.2", Kind.OPERATION, "suspended TrainJobs of PyTorch without GPUs",
        "They never resume: Trainer sets another `PET_NPROC_PER_NODE`, and the JobSet that it created before is "
        "immutable. TrainJobs with a number in `trainer.numProcPerNode` resume, and so do those with "
        "`trainer.resourcesPerNode` if the runtime has no `mlPolicy.torch.numProcPerNode`.",
        RESUBMIT, "pkg/runtime/framework/plugins/torch/torch.go@v2.0.0 and @v2.2.0", Evidence.RUN, frameworks=TORCH,
        breaks=has_other_processes,
    ),
    Change(
        "Trainer", "2.2", Kind.DEFAULTED, "processes per node of MPI with GPUs",
        "`numProcPerNode: 1` means the number of GPUs if a node has more than one.",
        "Set `numProcPerNode` if you need another number.",
        "pkg/runtime/framework/plugins/mpi/mpi.go@v2.2.0", frameworks=MPI,
    ),
    Change(
        "Trainer", "2.2", Kind.REJECTED, "updates of `runtimeRef`, `initializer` and `trainer` of a TrainJob",
        "These fields are immutable. A suspended TrainJob can no longer be edited before it resumes.",
        "Delete the TrainJob and submit it again to change them.",
        "kubeflow/trainer#3157 (v2.2.0)",
    ),
    Change(
        "Trainer", "2.2", Kind.REJECTED, "long TrainJobs",
        "Limits are 128 entries in `command`, `args` and `env`, 64 KiB in an entry of the first two, 500 characters "
        "in `image` and 2,048 in a storageUri.",
        "Put long scripts into the image or a ConfigMap.",
        "pkg/apis/trainer/v1alpha1/trainjob_types.go@v2.2.0",
    ),
    Change(
        "Trainer", "2.2", Kind.RENAMED, "`manager.annotations` and `manager.labels` of the chart",
        "Pod annotations are now `manager.podAnnotations`. `manager.labels` is no longer part of the selector, which "
        "is set by `manager.selectorLabels`. A Deployment with such labels is replaced.",
        "Rename them in `values`.", "charts/kubeflow-trainer/values.yaml@v2.2.0",
    ),
    Change(
        "Trainer", "2.2", Kind.DEFAULTED, "security context of the controller",
        "The controller runs as non-root, without capabilities and with the runtime's seccomp profile.",
        "Set `manager.securityContext` in `values` if your cluster needs another.",
        "charts/kubeflow-trainer/values.yaml@v2.2.0",
    ),
    Change(
        "Trainer", "2.3", Kind.OPERATION, "suspended TrainJobs of MPI",
        "They never resume: Trainer adds a file mode to the volume of the SSH keys, and the JobSet that it created "
        "before is immutable. The controller repeats the error, while the TrainJob's status shows it as resumed.",
        RESUBMIT,
        "kubeflow/trainer#3649 (v2.3.0), pkg/runtime/framework/plugins/mpi/mpi.go@v2.3.0", Evidence.RUN,
        frameworks=MPI, breaks=is_mpi,
    ),
    Change(
        "Trainer", "2.3", Kind.OPERATION, "suspended TrainJobs of Flux",
        "They never resume: Trainer adds a volume for shared memory, and the JobSet that it created before is "
        "immutable.",
        RESUBMIT,
        "pkg/runtime/framework/plugins/flux/flux.go@v2.3.0", Evidence.RUN, frameworks=FLUX, breaks=is_flux,
    ),
    Change(
        "Trainer", "2.3", Kind.REJECTED, "MPI variables in `spec.trainer.env`",
        "A TrainJob that sets one of Trainer's own OMPI_MCA_* variables is rejected, also when it is updated: a "
        "suspended one cannot be resumed.",
        RESUBMIT, "kubeflow/trainer#3491 (v2.3.0)", Evidence.RUN, frameworks=MPI, breaks=sets_mpi_variables,
    ),
    Change(
        "Trainer", "2.3", Kind.REJECTED, "initializers without the volume mount `initializer`",
        "A TrainJob with a dataset or model is rejected if the runtime's initializer mounts no volume `initializer`, "
        "also when it is updated: a suspended one cannot be resumed.",
        "Add the mount to the runtime. The catalog's runtimes have it.",
        "kubeflow/trainer#3714 (v2.3.0)", frameworks=INITIALIZERS, breaks=lacks_initializer_volume,
    ),
    Change(
        "Trainer", "2.3", Kind.REJECTED, "a storageUri without a scheme",
        "It must be empty or have the form `scheme://...`.",
        "Add the scheme, for example `hf://` or `s3://`.",
        "pkg/apis/trainer/v1alpha1/trainjob_types.go@v2.3.0", frameworks=INITIALIZERS,
    ),
    Change(
        "Trainer", "2.3", Kind.DEFAULTED, "resources of a TrainJob",
        "`resourcesPerNode` is merged with the resources of the runtime's container. It replaced them before. "
        "Resources that a TrainJob does not set are taken from the runtime.",
        "Set every resource in TrainJobs that must differ from the runtime.",
        "kubeflow/trainer#3602 (v2.3.0)",
    ),
    Change(
        "Trainer", "2.3", Kind.OPERATION, "runtimes of TrainJobs",
        "Each TrainJob stores a copy of its runtime when it is next reconciled, so a later change of the runtime does "
        "not affect suspended TrainJobs. There is no finalizer any more, so a runtime can be deleted while TrainJobs "
        "name it.",
        "Change runtimes before you submit TrainJobs.",
        "kubeflow/trainer#3580, #3716 (v2.3.0)",
    ),
    Change(
        "Trainer", "2.3", Kind.OPERATION, "CRDs in the chart",
        "They moved from `crds/` into the templates. `helm upgrade` fails on that; this project updates them in place.",
        "Do nothing here. If Helm installs Trainer, follow upstream's guide.",
        "kubeflow/trainer#3655 (v2.3.0)", Evidence.RUN,
    ),
    Change(
        "Trainer", "2.3", Kind.DEFAULTED, "rate limit of the controller",
        "The controller applies `manager.config.clientConnection`: 50 calls per second, in bursts of 100.",
        "Set `qps` and `burst` if you run thousands of TrainJobs.",
        "kubeflow/trainer#3432 (v2.3.0), charts/kubeflow-trainer/values.yaml@v2.3.0",
    ),
    Change(
        "Trainer", "2.4", Kind.OPERATION, "suspended TrainJobs of MPI",
        "Those created before 2.4 never resume: Trainer adds PRTE_MCA_* variables, and the JobSet is immutable.",
        RESUBMIT, "release notes of kubeflow/trainer v2.4.0", frameworks=MPI, breaks=is_mpi,
    ),
    Change(
        "Trainer", "2.4", Kind.REJECTED, "names of replicated jobs longer than 20 characters",
        "A runtime with such a name is rejected.",
        "Shorten the names.", "release notes of kubeflow/trainer v2.4.0",
    ),
    Change(
        "Trainer", "2.4", Kind.DEFAULTED, "image of the launcher",
        "The `image` of a TrainJob also applies to the launcher.",
        "Use one image for launcher and nodes.", "release notes of kubeflow/trainer v2.4.0", frameworks=MPI,
    ),
    Change(
        "Trainer", "2.4", Kind.RENAMED, "fields of certificate management",
        "Keys below `manager.config.certManagement` were renamed.",
        "Rename them in `values`.", "release notes of kubeflow/trainer v2.4.0",
    ),
    Change(
        "Trainer", "2.4", Kind.OPERATION, "CRDs on uninstall",
        "Helm keeps the CRDs. Here a destroy keeps them in every version.",
        "Do nothing.", "release notes of kubeflow/trainer v2.4.0",
    ),
    Change(
        "JobSet", "0.9", Kind.DEFAULTED, "port of the metrics",
        "Metrics are served on port 8443 with TLS. They were on port 8080.",
        "Update scrape configurations and NetworkPolicies.",
        "kubernetes-sigs/jobset#844, #863 (v0.9.0)",
    ),
    Change(
        "JobSet", "0.9", Kind.DEFAULTED, "file system of the controller",
        "It is read-only.",
        "Mount a volume at paths that must be writable.", "kubernetes-sigs/jobset#845 (v0.9.0)",
    ),
    Change(
        "JobSet", "0.10", Kind.OPERATION, "JobSets that are created during the rollout",
        "Some are rejected with `groupName: Invalid value`: the CRD sets the new field `groupName`, the mutating "
        "webhook of an old pod removes it, and the validating webhook of a new pod requires it. TrainJobs are not "
        "affected: Trainer creates their JobSets again.",
        "Submit the rejected JobSets again.",
        "charts/jobset/crds/jobset.x-k8s.io_jobsets.yaml@v0.10.1, pkg/webhooks/jobset_webhook.go@v0.11.1",
        Evidence.RUN,
    ),
    Change(
        "JobSet", "0.11", Kind.REJECTED, "JobSets whose coordinator is too long for a label",
        "With `coordinator`, the names of JobSet, job and subdomain together must form a valid label value of at most "
        "63 characters.",
        "Shorten the names.", "kubernetes-sigs/jobset#1079 (v0.11.0)",
    ),
    Change(
        "JobSet", "0.11", Kind.OPERATION, "permissions of the controller",
        "It reads Secrets only in its own namespace, and no longer creates pods.",
        "Do nothing, unless you bind its roles to others.", "kubernetes-sigs/jobset#1063, #1074 (v0.11.0)",
    ),
    Change(
        "JobSet", "0.12", Kind.REMOVED, "`workloadRef` in pod specs",
        "The CRD drops it: Kubernetes 1.36 has no such field.",
        "Remove it from JobSets and runtimes.",
        "charts/jobset/crds/jobset.x-k8s.io_jobsets.yaml@v0.12.0",
    ),
    Change(
        "JobSet", "0.12", Kind.OPERATION, "status of rejected JobSets",
        "The webhook rejects with status 422 Invalid. It was 403 Forbidden.",
        "Update clients that recognize rejections by the status.",
        "pkg/webhooks/jobset_webhook.go@v0.12.0",
    ),
)  # fmt: skip
"""All changes, oldest first for each operator."""

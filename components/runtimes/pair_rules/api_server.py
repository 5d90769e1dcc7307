"""What the API server rejects by the CRD of TrainJobs."""

from collections.abc import Iterator

from ...k8s.grammars import DNS_LABEL_1035
from ...validation.violation import Severity, Violation
from ..explain.stored import without_fields
from ..rules.rule import violation
from ..train_job import MANAGED_BY_TRAINER
from .pair import Pair
from .patched import patched_jobs
from .rule import pair_rule

MULTI_KUEUE = "kueue.x-k8s.io/multikueue"
"""The value of `managedBy` with which MultiKueue acts on a TrainJob."""

MANAGERS = (MANAGED_BY_TRAINER, MULTI_KUEUE)

MAX_NAME = 253
MAX_URI = 2048
MAX_IMAGE = 500
MAX_ARGUMENT = {"2.2.0": 65536, "2.3.0": 1048576}
"""Maximum length of an item of `trainer.command` and `trainer.args`, by the version of Trainer."""


@pair_rule("TJC-01", "TJC-02")
def name_is_a_dns_label(pair: Pair) -> Iterator[Violation]:
    """The name of a TrainJob is not a DNS label.

    Its JobSet, Jobs and Service are named after it. Trainer 2.0 checks this in its webhook, and later versions in the
    CRD.
    Source: pkg/apis/trainer/v1alpha1/trainjob_types.go:36-37@trainer@v2.3.0, v2.2.0;
    pkg/webhooks/trainjob_webhook.go:57-60@trainer@v2.0.0.
    """
    name = pair.train_job.metadata.name
    if name is not None and not DNS_LABEL_1035.matches(name):
        yield violation(
            "metadata.name",
            f"{name!r} is not a valid name of a TrainJob: it must be {DNS_LABEL_1035}.",
            "Rename the TrainJob.",
        )


@pair_rule("TJC-03")
def runtime_has_a_name(pair: Pair) -> Iterator[Violation]:
    """The name in `runtimeRef` is empty or longer than 253 characters.

    Source: pkg/apis/trainer/v1alpha1/trainjob_types.go:160-164@trainer@v2.3.0.
    """
    name = pair.train_job.spec.runtime_ref.name
    if not 1 <= len(name) <= MAX_NAME:
        yield violation(
            "spec.runtimeRef.name",
            "The name of the runtime is empty." if not name else f"The name of the runtime has {len(name)} characters.",
            "Write the name of a runtime.",
        )


@pair_rule("TJC-08")
def deadline_is_positive(pair: Pair) -> Iterator[Violation]:
    """`activeDeadlineSeconds` is less than 1.

    Source: pkg/apis/trainer/v1alpha1/trainjob_types.go:137@trainer@v2.3.0.
    """
    seconds = pair.train_job.spec.active_deadline_seconds
    if seconds is not None and seconds < 1:
        yield violation(
            "spec.activeDeadlineSeconds",
            f"activeDeadlineSeconds is {seconds}; the minimum is 1.",
            "Set it to 1 or more, or remove it for no deadline.",
        )


@pair_rule("TJC-09")
def manager_is_known(pair: Pair) -> Iterator[Violation]:
    """`managedBy` is neither Trainer's controller nor MultiKueue.

    Source: pkg/apis/trainer/v1alpha1/trainjob_types.go:148-149@trainer@v2.3.0.
    """
    manager = pair.train_job.spec.managed_by
    if manager is not None and manager not in MANAGERS:
        yield violation(
            "spec.managedBy",
            f"{manager!r} cannot manage a TrainJob: the API server accepts {' and '.join(MANAGERS)}.",
            "Remove managedBy; the default is Trainer's controller.",
        )


@pair_rule("TJC-10")
def storage_uris_are_uris(pair: Pair) -> Iterator[Violation]:
    """The `storageUri` of an initializer has no scheme, or is longer than 2048 characters.

    It may be empty. Trainer 2.2 has only the maximum length, and Trainer 2.0 has neither: there the initializer fails.
    Source: pkg/apis/trainer/v1alpha1/trainjob_types.go:199-200,225-226@trainer@v2.3.0.
    """
    initializer = pair.train_job.spec.initializer
    for name in ("dataset", "model"):
        source = getattr(initializer, name, None)
        uri = source.storage_uri if source else None
        if not uri or pair.release.trainer == "2.0.0":
            continue
        path = f"spec.initializer.{name}.storageUri"
        if len(uri) > MAX_URI:
            yield violation(path, f"The URI has {len(uri)} characters; the maximum is {MAX_URI}.", "Shorten it.")
        elif pair.release.trainer == "2.3.0" and not _is_uri(uri):
            fix = "Write a URI such as hf://owner/name or s3://bucket/path."
            yield violation(path, f"{uri!r} is not a URI with a scheme: the API server rejects it.", fix)


def _is_uri(text: str) -> bool:
    scheme, separator, rest = text.partition("://")
    letters = scheme.replace("+", "a").replace(".", "a").replace("-", "a")
    # `.` of the CRD's expression matches no line break.
    return bool(separator and rest and letters.isascii() and letters.isalnum() and scheme[0].isalpha()) and (
        "\n" not in rest
    )


@pair_rule("TJC-11")
def trainer_is_not_too_long(pair: Pair) -> Iterator[Violation]:
    """`trainer.image` is longer than 500 characters, or an item of `trainer.command` or `trainer.args` is too long.

    The maximum of an item is 1,048,576 characters, and 65,536 in Trainer 2.2. Trainer 2.0 has no maximum.
    Source: pkg/apis/trainer/v1alpha1/trainjob_types.go:246,252-253,259-260@trainer@v2.3.0, 243,249-258@trainer@v2.2.0.
    """
    trainer, limit = pair.trainer, MAX_ARGUMENT.get(pair.release.trainer)
    if trainer is None or limit is None:
        return
    if trainer.image is not None and len(trainer.image) > MAX_IMAGE:
        message = f"The image has {len(trainer.image)} characters; the maximum is {MAX_IMAGE}."
        yield violation("spec.trainer.image", message, "Use an image with a shorter name.")
    for field, texts in (("command", trainer.command), ("args", trainer.args)):
        for index, text in enumerate(texts or ()):
            if len(text) > limit:
                yield violation(
                    f"spec.trainer.{field}[{index}]",
                    f"The item has {len(text)} characters; the maximum is {limit}.",
                    "Move the script to a ConfigMap or to the image.",
                )


@pair_rule("TJC-12")
def patches_are_in_bounds(pair: Pair) -> Iterator[Violation]:
    """A name in `runtimePatches` is empty or longer than 253 characters, or a grace period is negative.

    These are the names of managers, replicated jobs, containers and ServiceAccounts.
    Source: pkg/apis/trainer/v1alpha1/trainjob_types.go:297-300,337-351,391-494@trainer@v2.3.0.
    """
    if pair.release.patches != "runtimePatches":
        return
    names = [
        (f"spec.runtimePatches[{index}].manager", patch.manager)
        for index, patch in enumerate(pair.train_job.spec.runtime_patches or ())
    ]
    for job in patched_jobs(pair):
        names += [(job.name_path, job.name), *((f"{path}.name", patch.name) for path, patch in job.containers())]
    for path, name in names:
        if not 1 <= len(name) <= MAX_NAME:
            found = "is empty" if not name else f"has {len(name)} characters; the maximum is {MAX_NAME}"
            yield violation(path, f"The name {found}.", "Write a name.")
    for job in patched_jobs(pair):
        account = job.pod.service_account_name if job.pod else None
        if account is not None and len(account) > MAX_NAME:
            message = f"The name has {len(account)} characters; the maximum is {MAX_NAME}."
            yield violation(f"{job.pod_path}.serviceAccountName", message, "Write the name of a ServiceAccount.")
        seconds = getattr(job.pod, "termination_grace_period_seconds", None)
        if seconds is not None and seconds < 0:
            yield violation(
                f"{job.pod_path}.terminationGracePeriodSeconds",
                f"terminationGracePeriodSeconds is {seconds}; the minimum is 0.",
                "Set it to 0 or more.",
            )


@pair_rule("TJC-38")
def processes_are_a_number(pair: Pair) -> Iterator[Violation]:
    """`trainer.numProcPerNode` is a string.

    Trainer 2.2 and later accept an integer only. Trainer 2.0 accepts auto, cpu and gpu too, but not with MPI.
    Source: manifests/base/crds/trainer.kubeflow.org_trainjobs.yaml:5795-5801@trainer@v2.3.0;
    pkg/runtime/framework/plugins/{mpi/mpi.go:91-95,torch/torch.go:65-72}@trainer@v2.0.0.
    """
    processes = pair.trainer.num_proc_per_node if pair.trainer else None
    if not isinstance(processes, str):
        return
    policy = pair.view.policy if pair.view else None
    if pair.release.trainer != "2.0.0" or policy == "mpi" or processes not in ("auto", "cpu", "gpu"):
        yield violation(
            "spec.trainer.numProcPerNode",
            f"{processes!r} is not an integer: Trainer {pair.release.trainer} rejects it"
            + (" with MPI." if policy == "mpi" and pair.release.trainer == "2.0.0" else "."),
            "Write the number of processes, or remove it: torchrun starts one process per GPU, and MPI the runtime's "
            "number.",
        )


@pair_rule("TJC-40", severity=Severity.WARNING)
def runtime_fields_are_known(pair: Pair) -> Iterator[Violation]:
    """The runtime of a TrainJob has a field that this version of Trainer does not have.

    The API server rejects the runtime, or drops the field silently. The other rules check the TrainJob without the
    field.
    Source: manifests/base/crds/trainer.kubeflow.org_clustertrainingruntimes.yaml@trainer@v2.0.0, v2.2.0, v2.3.0.
    """
    for path in pair.unknown_fields:
        # The group's default name changes nothing.
        if not path.endswith(".groupName"):
            yield violation(
                "spec.runtimeRef.name",
                f"Trainer {pair.release.trainer} has no field {path.replace('.[]', '[]')} of the runtime: it is "
                "dropped, or the runtime is rejected.",
                "Use another runtime, or a later version of Trainer.",
            )


@pair_rule("TJC-39")
def fields_are_known(pair: Pair) -> Iterator[Violation]:
    """A TrainJob has a field that this version of Trainer does not have.

    The API server rejects the field, or drops it silently. `runtimePatches` is a field of Trainer 2.2 and later,
    `podSpecOverrides`, `labels` and `annotations` are fields of Trainer 2.0.
    Source: manifests/base/crds/trainer.kubeflow.org_trainjobs.yaml@trainer@v2.0.0, v2.2.0, v2.3.0.
    """
    _, lost = without_fields(pair.train_job.to_manifest(), pair.release.unknown_train_job_fields)
    for path in lost:
        yield violation(
            path.partition(".[]")[0],
            f"Trainer {pair.release.trainer} has no field {path.rpartition('.')[2]} here: it is rejected or dropped.",
            _instead(path, pair.release.patches),
        )


def _instead(path: str, patches: str) -> str:
    if path in ("spec.labels", "spec.annotations"):
        kind = path.removeprefix("spec.")
        return f"Move it to trainingRuntimeSpec.template.metadata.{kind} of an item of spec.runtimePatches."
    if path in ("spec.podSpecOverrides", "spec.runtimePatches"):
        return f"Write the changes in spec.{patches}."
    return "Remove it."

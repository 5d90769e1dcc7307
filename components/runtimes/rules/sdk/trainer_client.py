"""What the Python SDK requires of a runtime. The cluster does not require it, so all rules except SDK-04 are
warnings."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...api import FRAMEWORK
from ...topology import ANCESTOR_STEP, LAUNCHER, NODE
from ..rule import rule, violation
from ..trainer.controller import unindexed_nodes
from ..trainer.labels import a_job_is_the_trainer, ancestor_label_is_heeded
from ..trainer.mpi import launcher_container_is_node
from ..trainer.webhook import labelled_job_has_its_container
from ..view import Policy, RuntimeView, also_in_depends_on, sdk_container

MIG = "nvidia.com/mig-"
DEVICES = ("nvidia.com/gpu", "google.com/tpu", MIG, "huawei.com/Ascend910", "cpu")
"""Resource names in the order in which the SDK looks for them: kubeflow/trainer/backends/kubernetes/utils.py
get_container_devices@kubeflow-sdk@0.5.0.
"""

POLICIES_OF: dict[str, tuple[Policy, ...]] = {
    "torch": ("torch",),
    "deepspeed": ("mpi", "torch"),
    "mlx": ("mpi",),
    "jax": ("jax",),
    "xgboost": ("xgboost",),
}
"""Policies of each framework, the usual one first. Other frameworks can have any."""


@rule("SDK-01", severity=Severity.WARNING)
def framework_is_labelled(view: RuntimeView) -> Iterator[Violation]:
    """A runtime has no framework label.

    The SDK leaves it out of list_runtimes, and raises an error in get_runtime and train. TrainJobs that are created
    without the SDK work.
    Source: kubeflow/trainer/backends/kubernetes/backend.py list_runtimes@kubeflow-sdk@0.5.0.
    """
    if view.framework is None:
        yield violation(
            f"metadata.labels[{FRAMEWORK}]",
            f"The runtime has no label {FRAMEWORK}: the SDK does not list it.",
            f"Label it, e.g. {FRAMEWORK}={view.policy or 'torch'}.",
        )


@rule("SDK-02", severity=Severity.WARNING)
def labelled_runtime_has_a_policy(view: RuntimeView) -> Iterator[Violation]:
    """A runtime with the framework label has no mlPolicy.

    list_runtimes raises an error for all users, so no runtime is listed. It also does for a runtime without a template
    (SIL-32). TrainJobs that are created without the SDK work (executed).
    Source: kubeflow/trainer/backends/kubernetes/backend.py __get_runtime_from_cr@kubeflow-sdk@0.5.0.
    """
    if view.framework is not None and view.runtime.spec.ml_policy is None and view.jobs:
        yield violation(
            "spec.mlPolicy",
            "The runtime has no mlPolicy: the SDK's list_runtimes fails for all users.",
            f"Set mlPolicy, e.g. {_policy_of(view.framework)}.",
        )


def _policy_of(framework: str) -> str:
    """The mlPolicy of a framework, as YAML."""
    policies = POLICIES_OF.get(framework, (framework,) if framework in ("mpi", "flux") else ())
    return f"{{numNodes: 1, {policies[0]}: {{}}}}" if policies else "{numNodes: 1}"


@rule("SDK-03", severity=Severity.WARNING)
def labelled_runtime_has_a_trainer(view: RuntimeView) -> Iterator[Violation]:
    """A runtime with the framework label has no container `node` in a job with an ancestor label.

    list_runtimes raises an error for all users, and the `trainer` section of TrainJobs is ignored. Without the SDK, a
    runtime with its own commands works; one without commands violates SIL-03, SIL-15, SIL-17 or WHR-02.
    Source: kubeflow/trainer/backends/kubernetes/utils.py get_runtime_trainer_container@kubeflow-sdk@0.5.0.
    """
    if view.framework is None or not view.jobs or sdk_container(view):
        return
    told = (
        a_job_is_the_trainer,
        ancestor_label_is_heeded,
        labelled_job_has_its_container,
        launcher_container_is_node,
    )
    if any(True for check in told for _ in check(view)):
        return
    name = LAUNCHER if view.policy == "mpi" else NODE
    job = view.job(name) or view.jobs[-1]
    needed = "" if job.container(NODE) else f", and name its container {NODE!r}"
    yield violation(
        f"{job.path}.template.metadata.labels",
        f"No job with the label {ANCESTOR_STEP} has a container {NODE!r}: the SDK's list_runtimes fails for all "
        "users, and a TrainJob's trainer settings are ignored.",
        f"Label the job {job.name!r} {ANCESTOR_STEP}=trainer{needed}, or remove the label {FRAMEWORK} so that the SDK "
        "ignores the runtime.",
    )


@rule("SDK-04")
def labelled_runtime_has_an_image(view: RuntimeView) -> Iterator[Violation]:
    """The trainer's container of a runtime with the framework label has no image.

    list_runtimes raises an error for all users. A TrainJob that sets no image gets no Jobs, as with other containers
    (K8S-01).
    Source: kubeflow/trainer/backends/kubernetes/utils.py get_runtime_trainer@kubeflow-sdk@0.5.0.
    """
    at = sdk_container(view)
    if at and not at.model.image:
        yield violation(
            f"{at.path}.image",
            "The trainer's container has no image: a TrainJob without one would not run, and the SDK's "
            "list_runtimes fails for all users.",
            "Set an image; a TrainJob can name another.",
        )


@rule("SDK-05", severity=Severity.WARNING)
def devices_are_known(view: RuntimeView) -> Iterator[Violation]:
    """The limits of the trainer's container have no resource that the SDK takes for a device.

    list_runtimes raises an error for all users, also with AMD's GPUs alone.
    Source: kubeflow/trainer/backends/kubernetes/utils.py get_container_devices@kubeflow-sdk@0.5.0.
    """
    at = sdk_container(view)
    limits = at.model.resources.limits if at and at.model.resources else None
    if at and limits is not None and not any(_is_device(name) for name in limits):
        yield violation(
            f"{at.path}.resources.limits",
            f"The SDK finds no device in the limits ({', '.join(limits) or 'there are none'}): its list_runtimes "
            "fails for all users.",
            "Add a limit for cpu, or remove limits." if not limits else "Add a limit for cpu.",
        )


def _is_device(name: str) -> bool:
    return name in DEVICES or name.startswith(MIG)


@rule("SDK-06", severity=Severity.WARNING)
def single_mig_profile(view: RuntimeView) -> Iterator[Violation]:
    """The limits of the trainer's container have two kinds of MIG devices.

    list_runtimes raises an error for all users. TrainJobs that are created without the SDK work (executed).
    Source: kubeflow/trainer/backends/kubernetes/utils.py get_container_devices@kubeflow-sdk@0.5.0.
    """
    at = sdk_container(view)
    limits = (at.model.resources.limits if at and at.model.resources else None) or {}
    kinds = [name for name in limits if name.startswith(MIG)]
    if at and len(kinds) > 1 and not limits.keys() & {"nvidia.com/gpu", "google.com/tpu"}:
        yield violation(
            f"{at.path}.resources.limits",
            f"The SDK supports one kind of MIG device, but the limits have {' and '.join(kinds)}: its "
            "list_runtimes fails for all users.",
            "Keep one kind.",
        )


@rule("SDK-09", severity=Severity.WARNING)
def policy_fits_the_framework(view: RuntimeView) -> Iterator[Violation]:
    """The framework label of a runtime does not match its policy.

    The SDK shows the framework of the label, but starts the training by the policy: with torchrun, mpirun or python.
    Without its policy, a framework gets none of its environment variables.
    Source: kubeflow/trainer/backends/kubernetes/utils.py get_runtime_trainer@kubeflow-sdk@0.5.0.
    """
    policies = POLICIES_OF.get(view.framework or "")
    if policies and view.runtime.spec.ml_policy and view.policy not in policies:
        yield violation(
            f"metadata.labels[{FRAMEWORK}]",
            f"The runtime is labeled {view.framework!r}, and its mlPolicy sets {view.policy or 'no framework'}: "
            f"trainings would start without the settings of {view.framework}.",
            f"Set spec.mlPolicy.{policies[0]}, or change the label.",
        )


@rule("SDK-10", severity=Severity.WARNING)
def sdk_finds_the_pods(view: RuntimeView) -> Iterator[Violation]:
    """The trainer's job of a runtime without a policy is called neither `node` nor `launcher`.

    The SDK does not find its pods: it shows no steps and no logs, and the status never becomes Running. With a policy,
    SIL-04, SIL-10 or TJC-23 reports it.
    Source: kubeflow/trainer/constants/constants.py POD_LABEL_SELECTOR@kubeflow-sdk@0.5.0.
    """
    trainer = view.trainer
    if trainer and view.policy is None and trainer.name not in {NODE, LAUNCHER}:
        yield violation(
            f"{trainer.path}.name",
            f"The trainer's job is called {trainer.name!r}: the SDK finds only pods of jobs called {NODE!r} or "
            f"{LAUNCHER!r}.",
            f"Name the job {NODE!r}{also_in_depends_on(view, trainer)}.",
        )


@rule("SDK-12", severity=Severity.WARNING)
def sdk_reads_the_index(view: RuntimeView) -> Iterator[Violation]:
    """The pods of a job `node` or `launcher` have no index.

    The SDK's get_job raises an error. SIL-27 reports trainings that need the index themselves.
    Source: kubeflow/trainer/backends/kubernetes/backend.py __get_trainjob_from_cr@kubeflow-sdk@0.5.0.
    """
    told = unindexed_nodes(view)
    for job in view.jobs:
        if job.name in {NODE, LAUNCHER} and job not in told and job.spec and job.spec.completion_mode == "NonIndexed":
            yield violation(
                f"{job.spec_path}.completionMode",
                f"The pods of {job.name!r} are NonIndexed: the SDK's get_job raises.",
                "Remove completionMode; the default is Indexed.",
            )


@rule("SDK-15", severity=Severity.WARNING)
def choices_are_not_empty(view: RuntimeView) -> Iterator[Violation]:
    """A field with a fixed set of values is an empty string.

    The cluster treats it as unset (executed). The SDK's get_runtime raises an error.
    Source: kubeflow_trainer_api 2.3.0, e.g. io_k8s_api_core_v1_toleration.
    """
    for path in _empty_choices(view):
        yield violation(path, "The string is empty: the SDK accepts only the known choices.", "Remove the field.")


def _empty_choices(view: RuntimeView) -> Iterator[str]:
    choices: list[tuple[str, str | None]] = []
    for pod in view.pods:
        choices += (
            (f"{pod.path}.dnsPolicy", pod.spec.dns_policy),
            (f"{pod.path}.restartPolicy", pod.spec.restart_policy),
        )
        for index, toleration in enumerate(pod.spec.tolerations or ()):
            path = f"{pod.path}.tolerations[{index}]"
            choices += ((f"{path}.operator", toleration.operator), (f"{path}.effect", toleration.effect))
    for at in view.containers:
        choices += (
            (f"{at.path}.imagePullPolicy", at.model.image_pull_policy),
            (f"{at.path}.terminationMessagePolicy", at.model.termination_message_policy),
        )
        choices += ((f"{at.path}.ports[{i}].protocol", port.protocol) for i, port in enumerate(at.model.ports or ()))
        choices += ((f"{at.path}.{n}.httpGet.scheme", p.http_get.scheme) for n, p in at.probes() if p.http_get)
    yield from (path for path, value in choices if value == "")

"""References to environment variables, `$(NAME)`, in commands, arguments and the values of other variables."""

import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches

from ....validation.violation import Severity, Violation
from ...topology import LAUNCHER, NODE
from ..endless_commands import is_script
from ..rule import rule, violation
from ..view import LocatedContainer, LocatedJob, RuntimeView
from .frameworks import RESERVED, injection_targets

REFERENCE = re.compile(r"\$(?:\$|\(([A-Za-z_][A-Za-z0-9_.-]*)\))")
"""`$(NAME)`, or the `$$` that is a dollar sign: third_party/forked/golang/expansion/expand.go@kubernetes@v1.37.2."""

SERVICE = re.compile(r".*_SERVICE_(HOST|PORT(_.+)?)|.*_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?")
"""Variables that the kubelet sets for the Services of the namespace."""

SHELL_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
"""Names that are variables even in a script, where `$(name)` is usually a command."""

INDEX = "JOB_COMPLETION_INDEX"
"""The variable that the Job controller appends to the containers of pods with an index."""

FORMER = {
    "PET_RDZV_ENDPOINT": "$(PET_MASTER_ADDR):$(PET_MASTER_PORT)",
    "RANK": "$(PET_NODE_RANK)",
}
"""Variables of Training Operator v1, and their equivalents in Trainer."""

TRAIN_JOB_NAMES = {"JOB_NAME", "JOBSET_NAME", "TRAINJOB_NAME", "TRAIN_JOB_NAME"}
FROM_LABEL = "valueFrom: {fieldRef: {fieldPath: \"metadata.labels['jobset.sigs.k8s.io/jobset-name']\"}}"


@rule("SIL-38", severity=Severity.WARNING)
def referenced_variables_are_set(view: RuntimeView) -> Iterator[Violation]:
    """A command, an argument or a variable refers to a variable `$(NAME)` that is not set.

    Kubernetes leaves the text unchanged. Commands and arguments can refer to all variables of their container. The
    value of a variable can refer only to variables before it, and not to those that Trainer, TrainJobs or the Job's
    index add, because they are appended. Not reported: containers with envFrom, variables of Services, `$$(NAME)`, and
    names in scripts that look like commands. In the training container, a TrainJob may set the variable.
    Source: pkg/kubelet/kubelet_pods.go makeEnvironment, pkg/kubelet/container/helpers.go
    ExpandContainerCommandAndArgs@kubernetes@v1.37.2; pkg/apply/apply.go UpsertEnvVars@trainer@v2.3.0.
    """
    for job in view.jobs:
        for at in job.pod.containers if job.pod else ():
            if not at.model.env_from:
                yield from _references(view, job, at)


def _references(view: RuntimeView, job: LocatedJob, at: LocatedContainer) -> Iterator[Violation]:
    variables = at.model.env or ()
    names = [variable.name for variable in variables]
    appended = {*_of_trainer(view, job, at), *([INDEX] if job.indexed else ())}
    texts = [
        *((f"{at.path}.env[{i}].value", each.value or "", names[:i], False) for i, each in enumerate(variables)),
        *(
            (f"{at.path}.command[{i}]", text, [*names, *appended], True)
            for i, text in enumerate(at.model.command or ())
        ),
        *((f"{at.path}.args[{i}]", text, [*names, *appended], True) for i, text in enumerate(at.model.args or ())),
    ]
    for path, text, known, sees_appended in texts:
        in_script = sees_appended and is_script(at, text)
        for name in dict.fromkeys(found[1] for found in REFERENCE.finditer(text) if found[1]):
            if name in known or SERVICE.fullmatch(name) or (in_script and not SHELL_VARIABLE.fullmatch(name)):
                continue
            if name in appended:
                why = "it is set after the runtime's own variables, so that only command and args can refer to it"
                yield violation(path, f"$({name}) is left as it is: {why}.", f"Refer to $({name}) in command or args.")
            else:
                where = f"nothing sets {name} in container {at.model.name!r}"
                where += " before it" if name in names else ""
                yield violation(path, f"$({name}) is left as it is: {where}.", _fix(name, known, path))


def _of_trainer(view: RuntimeView, job: LocatedJob, at: LocatedContainer) -> Collection[str]:
    """The variables that Trainer sets in a container."""
    reserved = RESERVED.get(view.policy or "", set())
    trains = job.name == LAUNCHER if view.policy == "mpi" else job is view.trainer
    if trains and not at.init and at.model.name == NODE:
        return reserved
    return reserved if any(job is target and at.model.name == name for target, name in injection_targets(view)) else ()


def _fix(name: str, known: Collection[str], path: str) -> str:
    if name in TRAIN_JOB_NAMES:
        return f"Set it before this variable, to the TrainJob's name: {FROM_LABEL}."
    former = FORMER.get(name)
    if former and all(part in known for part in re.findall(r"\((.*?)\)", former)):
        return f"Write {former}."
    near = get_close_matches(name, known, n=1, cutoff=0.6)
    if near:
        return f"Write $({near[0]})."
    return "Set it before this variable." if ".env[" in path else "Set it in env."


@rule("RUN-24", severity=Severity.WARNING)
def secrets_are_not_arguments(view: RuntimeView) -> Iterator[Violation]:
    """A command or an argument refers to a variable whose value is from a Secret.

    Kubernetes inserts the value. `ps` and /proc show it to every process that can see the container's processes, and
    the container runtime shows it on the node. The variable itself is visible only to its own process.
    Source: pkg/kubelet/container/helpers.go ExpandContainerCommandAndArgs@kubernetes@v1.37.2; proc_pid_cmdline(5).
    """
    for at in view.containers:
        secret = {
            each.name for each in at.model.env or () if each.value_from and each.value_from.secret_key_ref is not None
        }
        for field, texts in (("command", at.model.command), ("args", at.model.args)):
            for index, text in enumerate(texts or ()):
                for name in dict.fromkeys(found[1] for found in REFERENCE.finditer(text) if found[1] in secret):
                    yield violation(
                        f"{at.path}.{field}[{index}]",
                        f"$({name}) is a Secret's value, and arguments are shown in process lists.",
                        f"Let the program read the variable {name}; in a script write ${name}.",
                    )

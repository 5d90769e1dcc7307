"""What Kubernetes rejects in the podFailurePolicy of Jobs."""

from collections.abc import Iterator

from ....k8s.grammars import QUALIFIED_NAME
from ....k8s.jobs import JobSpec, PodFailurePolicyOnExitCodes, PodFailurePolicyRule
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import LocatedJob, RuntimeView
from .jobs import job_specs

MAX_RULES = 20
MAX_PATTERNS = 20
MAX_EXIT_CODES = 255
ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")


@rule("K8S-11")
def failure_policy_needs_failed_pods(view: RuntimeView) -> Iterator[Violation]:
    """A job has a podFailurePolicy, but its pods are restarted in place, or replaced before they have failed.

    restartPolicy must be Never (the default is OnFailure), and podReplacementPolicy must be Failed or unset. An unknown
    podReplacementPolicy is reported too.
    Source: pkg/apis/batch/validation/validation.go:309-311,334-346@kubernetes@v1.37.2.
    """
    for job, spec, path in job_specs(view):
        replacement = spec.pod_replacement_policy
        if spec.pod_failure_policy and job.pod and job.pod.spec.restart_policy in {None, "", "OnFailure"}:
            yield violation(
                f"{job.pod.path}.restartPolicy",
                "podFailurePolicy needs restartPolicy Never; the default is OnFailure.",
                "Set restartPolicy to Never.",
            )
        allowed = {"Failed"} if spec.pod_failure_policy else {"Failed", "TerminatingOrFailed"}
        if replacement is not None and replacement not in allowed:
            yield violation(
                f"{path}.podReplacementPolicy",
                f"podReplacementPolicy {replacement!r} is not "
                f"supported{' with podFailurePolicy' if spec.pod_failure_policy else ''}.",
                f"Use {' or '.join(sorted(allowed))}.",
            )


@rule("K8S-12")
def failure_rules_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """A podFailurePolicy has an invalid rule.

    There are too many rules, or a rule has an unknown action or operator, a container that does not exist, neither or
    both of exit codes and conditions, unsorted exit codes, or 0 with In. Kubernetes accepts an empty list of rules.
    Trainer leaves it out, and the JobSet is rejected (executed).
    Source: pkg/apis/batch/validation/validation.go:315-435@kubernetes@v1.37.2.
    """
    for job, spec, path in job_specs(view):
        if spec.pod_failure_policy is None:
            continue
        rules = spec.pod_failure_policy.rules
        if not rules:
            yield violation(
                f"{path}.podFailurePolicy.rules",
                "The list is empty: Trainer drops it, and the JobSet is rejected.",
                "Add a rule, or remove podFailurePolicy.",
            )
        if len(rules) > MAX_RULES:
            yield violation(
                f"{path}.podFailurePolicy.rules",
                f"There are {len(rules)} rules; the maximum is {MAX_RULES}.",
                "Merge some of them.",
            )
        for index, item in enumerate(rules):
            yield from _failure_rule(f"{path}.podFailurePolicy.rules[{index}]", item, job, spec)


def _failure_rule(path: str, item: PodFailurePolicyRule, job: LocatedJob, spec: JobSpec) -> Iterator[Violation]:
    if item.action not in ACTIONS:
        yield violation(
            f"{path}.action", f"{item.action!r} is not a valid action.", f"Use one of {', '.join(ACTIONS)}."
        )
    if item.action == "FailIndex" and spec.backoff_limit_per_index is None:
        yield violation(
            f"{path}.action", "FailIndex needs backoffLimitPerIndex.", "Set backoffLimitPerIndex, or use FailJob."
        )
    codes, conditions = item.on_exit_codes, item.on_pod_conditions or ()
    if (codes is not None) == bool(conditions):
        yield violation(
            path,
            f"The rule has {'both' if codes else 'neither'} onExitCodes {'and' if codes else 'nor'} onPodConditions.",
            "Set one of them.",
        )
    if codes is not None:
        yield from _exit_codes(f"{path}.onExitCodes", codes, job)
    if len(conditions) > MAX_PATTERNS:
        yield violation(
            f"{path}.onPodConditions",
            f"There are {len(conditions)} conditions; the maximum is {MAX_PATTERNS}.",
            "Keep fewer.",
        )
    for index, condition in enumerate(conditions):
        if not QUALIFIED_NAME.matches(condition.type):
            yield violation(
                f"{path}.onPodConditions[{index}].type",
                f"{condition.type!r} is not a valid condition: it must be {QUALIFIED_NAME}.",
                "Name a condition, e.g. DisruptionTarget.",
            )
        if condition.status not in {None, "", "True", "False", "Unknown"}:
            yield violation(
                f"{path}.onPodConditions[{index}].status",
                f"{condition.status!r} is not a valid condition status.",
                'Use "True", "False" or "Unknown".',
            )


def _exit_codes(path: str, codes: PodFailurePolicyOnExitCodes, job: LocatedJob) -> Iterator[Violation]:
    values = codes.values
    if codes.operator not in {"In", "NotIn"}:
        yield violation(f"{path}.operator", f"{codes.operator!r} is not a valid operator.", "Use In or NotIn.")
    names = {at.model.name for at in (job.pod.containers if job.pod else ())}
    if codes.container_name is not None and codes.container_name not in names:
        yield violation(
            f"{path}.containerName",
            f"{codes.container_name!r} is not a container of job {job.name!r}.",
            f"Name one of {', '.join(sorted(map(repr, names)))}.",
        )
    problems = (
        (not values, "there are none"),
        (len(values) > MAX_EXIT_CODES, f"there are {len(values)}, more than {MAX_EXIT_CODES}"),
        (codes.operator == "In" and 0 in values, "0 means success and is not allowed with In"),
        (tuple(sorted(values)) != tuple(values), "they are not in ascending order"),
    )
    for wrong, words in problems:
        if wrong:
            yield violation(
                f"{path}.values", f"The exit codes {list(values)} are not valid: {words}.", "Correct the list."
            )

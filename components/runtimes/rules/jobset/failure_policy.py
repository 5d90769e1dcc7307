"""JobSet's failure policy."""

import re
from collections.abc import Iterator
from itertools import pairwise

from ....k8s.grammars import NameFormat
from ....validation.errors import yaml_repr
from ....validation.violation import Severity, Violation
from ...jobset import FailurePolicy, FailurePolicyRule
from ..rule import rule, violation
from ..view import JOBSET_PATH, RuntimeView
from .replicated_jobs import INT32_MAX

PATH = f"{JOBSET_PATH}.failurePolicy"

RULE_NAME = NameFormat(
    "1 to 128 letters, digits, '_', ',' or ':', beginning with a letter and ending with a letter, digit or '_'",
    "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
    max_length=128,
)
REASONS = ("BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes", "MaxFailedIndexesExceeded", "PodFailurePolicy")
GATED_ACTIONS = {"RestartJob", "RestartJobAndIgnoreMaxRestarts"}
MAX_RESTARTED_REPLICAS = 1024
MAX_REPEAT = 1000
"""Maximum repetitions in Go (maxRepeat of regexp/syntax/parse.go@go1.24; regexp.MustCompile rejects more)."""

MAX_PATTERN = 4096
"""Maximum length of a pattern that is checked."""

MAX_GROUPS = 100
"""Maximum number of opening brackets in a pattern that is checked."""

REPEAT = re.compile(r"(?<!\\)\{(\d*)(?:,(\d*))?\}")
UNKNOWN_TO_GO = re.compile(r"(?<!\\)\(\?(<?[=!]|\(|P=)|(?<!\\)\\[1-9]")
"""Syntax that Go does not have: lookaround, conditions and references."""


def _policy(view: RuntimeView) -> FailurePolicy | None:
    return view.jobset.failure_policy if view.jobset else None


def _rules(view: RuntimeView) -> Iterator[tuple[str, str, FailurePolicyRule]]:
    """Yields each rule with its path and name. JobSet gives a name to rules without one."""
    policy = _policy(view)
    for index, item in enumerate((policy and policy.rules) or ()):
        yield f"{PATH}.rules[{index}]", item.name or f"failurePolicyRule{index}", item


@rule("JSW-11")
def restart_job_is_off(view: RuntimeView) -> Iterator[Violation]:
    """A rule of the failure policy restarts a single job.

    The feature gate RestartJob is alpha and off in JobSet 0.12.0, so the webhook rejects the JobSet.
    Source: pkg/webhooks/jobset_webhook.go:440-444, pkg/features/features.go@jobset@v0.12.0.
    """
    if any(job.replicas > MAX_RESTARTED_REPLICAS for job in view.jobs):
        return
    for path, _, item in _rules(view):
        if item.action in GATED_ACTIONS:
            yield violation(
                f"{path}.action",
                f"Action {item.action} needs JobSet's feature gate RestartJob, which is off.",
                "Use FailJobSet, RestartJobSet or RestartJobSetAndIgnoreMaxRestarts.",
            )


@rule("JSW-18")
def restarted_jobs_are_few(view: RuntimeView) -> Iterator[Violation]:
    """A rule of the failure policy restarts a single job, and a replicated job has more than 1024 replicas.

    Rejected even if the feature gate RestartJob is on.
    Source: pkg/webhooks/jobset_webhook.go:445-450@jobset@v0.12.0.
    """
    many = next((job for job in view.jobs if job.replicas > MAX_RESTARTED_REPLICAS), None)
    for path, _, item in _rules(view):
        if many and item.action in GATED_ACTIONS:
            yield violation(
                f"{path}.action",
                f"Action {item.action} is rejected if a job has more than {MAX_RESTARTED_REPLICAS} replicas "
                f"({many.name!r} has {many.replicas}), or if JobSet's feature gate RestartJob is off.",
                "Use FailJobSet, RestartJobSet or RestartJobSetAndIgnoreMaxRestarts.",
            )


def _unprepared(view: RuntimeView) -> Iterator[Violation]:
    for job in view.jobs:
        spec = job.spec
        if spec is None or spec.backoff_limit != INT32_MAX:
            yield violation(
                f"{job.spec_path}.backoffLimit",
                f"InPlaceRestart needs backoffLimit {INT32_MAX} (and JobSet's feature gate InPlaceRestart, which "
                f"is off); {job.name!r} has {spec.backoff_limit if spec else None}.",
                "Remove restartStrategy from failurePolicy.",
            )
        if spec is None or spec.pod_replacement_policy != "Failed":
            yield violation(
                f"{job.spec_path}.podReplacementPolicy",
                "InPlaceRestart needs podReplacementPolicy Failed (and JobSet's feature gate InPlaceRestart, "
                f"which is off); {job.name!r} has {spec.pod_replacement_policy if spec else None}.",
                "Remove restartStrategy from failurePolicy.",
            )


def _in_place(view: RuntimeView) -> bool:
    policy = _policy(view)
    return policy is not None and policy.restart_strategy == "InPlaceRestart"


@rule("JSW-12")
def restart_in_place_is_off(view: RuntimeView) -> Iterator[Violation]:
    """`failurePolicy.restartStrategy` is InPlaceRestart.

    The feature gate of that name is alpha and off in JobSet 0.12.0, so the webhook rejects the JobSet. JSW-13 checks
    the other requirements.
    Source: pkg/webhooks/jobset_webhook.go:171-175@jobset@v0.12.0.
    """
    if _in_place(view) and not any(_unprepared(view)):
        yield violation(
            f"{PATH}.restartStrategy",
            "InPlaceRestart needs JobSet's feature gate InPlaceRestart, which is off.",
            "Use Recreate or BlockingRecreate.",
        )


@rule("JSW-13")
def restart_in_place_is_prepared(view: RuntimeView) -> Iterator[Violation]:
    """`failurePolicy.restartStrategy` is InPlaceRestart, and a job does not meet its requirements.

    It requires backoffLimit 2147483647 and podReplacementPolicy Failed. It also requires equal completions and
    parallelism, which Trainer sets.
    Source: pkg/webhooks/jobset_webhook.go:266-281@jobset@v0.12.0.
    """
    if _in_place(view):
        yield from _unprepared(view)


@rule("JSW-14")
def failure_rules_have_names(view: RuntimeView) -> Iterator[Violation]:
    """A rule of the failure policy has an invalid name.

    An empty name is allowed: JobSet sets a default.
    Source: pkg/webhooks/jobset_webhook.go:457-468@jobset@v0.12.0.
    """
    for path, name, _ in _rules(view):
        if not RULE_NAME.matches(name):
            yield violation(
                f"{path}.name", f"{name!r} is not a valid rule name: it must be {RULE_NAME}.", "Rename the rule."
            )


@rule("JSW-15")
def failure_rules_differ_by_name(view: RuntimeView) -> Iterator[Violation]:
    """Two rules of the failure policy have the same name.

    Source: pkg/webhooks/jobset_webhook.go:142-149,486-491@jobset@v0.12.0.
    """
    for (_, earlier, _), (path, name, _) in pairwise(sorted(_rules(view), key=lambda item: item[1])):
        if earlier == name:
            yield violation(f"{path}.name", f"{name!r} is already the name of another rule.", "Rename one of them.")


@rule("JSW-16")
def failure_targets_exist(view: RuntimeView) -> Iterator[Violation]:
    """A rule of the failure policy is for a job that does not exist.

    Source: pkg/webhooks/jobset_webhook.go:471-475@jobset@v0.12.0.
    """
    for path, _, item in _rules(view):
        for index, name in enumerate(item.target_replicated_jobs or ()):
            if view.job(name) is None:
                names = ", ".join(repr(job.name) for job in view.jobs)
                yield violation(
                    f"{path}.targetReplicatedJobs[{index}]",
                    f"{name!r} is not a job of this runtime.",
                    f"Name some of {names}.",
                )


@rule("RUN-18", severity=Severity.WARNING)
def failure_patterns_are_patterns(view: RuntimeView) -> Iterator[Violation]:
    """A pattern in the failure policy is not a valid Go regular expression.

    JobSet compiles it only when a Job fails. It then logs an error, and the pattern matches nothing. Go allows at most
    1000 repetitions. A pattern of more than 4096 characters or 100 brackets is not checked; a warning says so.
    Source: pkg/controllers/failure_policy.go anyMatchFound@jobset@v0.12.0; https://golang.org/s/re2syntax.
    """
    for path, _, item in _rules(view):
        for index, pattern in enumerate(item.on_job_failure_message_patterns or ()):
            if problem := _pattern_problem(pattern):
                yield violation(
                    f"{path}.onJobFailureMessagePatterns[{index}]",
                    problem,
                    "Correct it. Go has no lookaround and no references, and repeats at most 1000 times.",
                )


def _pattern_problem(pattern: str) -> str | None:
    if len(pattern) > MAX_PATTERN or pattern.count("(") > MAX_GROUPS:
        return (
            f"The pattern is longer than {MAX_PATTERN} characters or has more than {MAX_GROUPS} brackets: not checked."
        )
    repeats = (int(number[:9]) for found in REPEAT.finditer(pattern) for number in found.groups() if number)
    try:
        sound = max(repeats, default=0) <= MAX_REPEAT and re.compile(pattern) and not UNKNOWN_TO_GO.search(pattern)
    except (re.error, OverflowError, RecursionError):
        sound = False
    return None if sound else f"{yaml_repr(pattern)} is not a regular expression that JobSet can read."


@rule("JSW-17")
def failure_reasons_are_known(view: RuntimeView) -> Iterator[Violation]:
    """A rule of the failure policy has a reason that is not a failure reason of Jobs.

    Source: pkg/webhooks/jobset_webhook.go:85-91,478-482@jobset@v0.12.0.
    """
    for path, _, item in _rules(view):
        for index, reason in enumerate(item.on_job_failure_reasons or ()):
            if reason not in REASONS:
                yield violation(
                    f"{path}.onJobFailureReasons[{index}]",
                    f"{reason!r} is not a failure reason of Jobs.",
                    f"Use some of {', '.join(REASONS)}.",
                )

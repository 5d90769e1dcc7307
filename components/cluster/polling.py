"""Repeats checks until all pass or the time is up."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from .deadline import deadline, remaining

Check = TypeVar("Check")
Failure = TypeVar("Failure")

MAX_PARALLEL = 8
"""Number of checks that run at the same time."""

POLL_INTERVAL = 0.25
"""Seconds between two rounds."""

ROUND_TIMEOUT = 30.0
"""Minimum seconds that the first round may take, whatever the timeout."""


def poll_until_passing(
    questions: Sequence[Check],
    ask: Callable[[Check], Failure | None],
    seconds: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> dict[Check, Failure]:
    """Repeat checks until all pass or `seconds` have passed. Returns the remaining failures.

    `ask` runs one check, in one of several threads, and returns its failure or None. A check that has passed is not
    repeated. Requests to the cluster end with the timeout, or with the first round if that is later, so an API server
    that does not answer cannot delay it. They also end with an outer deadline.
    """
    seconds = remaining(seconds)
    total = max(seconds, ROUND_TIMEOUT)
    ends, last_ends = clock() + seconds, clock() + total
    waiting, context = list(questions), copy_context()

    def within_deadline(question: Check) -> Failure | None:
        with deadline(last_ends - clock(), total):
            return ask(question)

    def asked(question: Check) -> Failure | None:
        return context.copy().run(within_deadline, question)  # threads do not inherit the outer deadline

    with ThreadPoolExecutor(MAX_PARALLEL) as threads:
        while True:
            answers = zip(waiting, threads.map(asked, waiting), strict=True)
            wrong = {question: found for question, found in answers if found}
            if not wrong or clock() >= ends:
                return wrong
            waiting = list(wrong)
            sleep(POLL_INTERVAL)

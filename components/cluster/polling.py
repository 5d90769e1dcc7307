"""Asking again until every answer is right, or the time is up."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .deadline import deadline

Check = TypeVar("Check")
Failure = TypeVar("Failure")

MAX_PARALLEL = 8
"""Questions that are asked at the same time."""

POLL_INTERVAL = 0.25
"""Seconds between two rounds of questions."""

ROUND_TIMEOUT = 30.0
"""Seconds that a round of questions may take at least: one is asked even where there is no time to ask again."""


def poll_until_passing(
    questions: Sequence[Check],
    ask: Callable[[Check], Failure | None],
    seconds: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> dict[Check, Failure]:
    """The questions whose answers are wrong to the end, each with what is wrong: none as soon as all are right.

    `ask` says what is wrong with an answer; nothing, when it is right. It runs in several threads. A right answer is
    not asked for again. What is asked of the cluster ends with the time, or with the first round, whichever is later:
    an API server that does not answer cannot hold it up.
    """
    ends = clock() + seconds
    first_ends = clock() + ROUND_TIMEOUT
    waiting = list(questions)

    def asked(question: Check) -> Failure | None:
        with deadline(max(ends, first_ends) - clock()):
            return ask(question)

    with ThreadPoolExecutor(MAX_PARALLEL) as threads:
        while True:
            answers = zip(waiting, threads.map(asked, waiting), strict=True)
            wrong = {question: found for question, found in answers if found}
            if not wrong or clock() >= ends:
                return wrong
            waiting = list(wrong)
            sleep(POLL_INTERVAL)

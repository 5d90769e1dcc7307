"""Asking again until every answer is right, or the time is up."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .deadline import deadline

Question = TypeVar("Question")
Wrong = TypeVar("Wrong")

AT_ONCE = 8
"""Questions that are asked at the same time."""

PAUSE = 0.25
"""Seconds between two rounds of questions."""

ROUND_TIMEOUT = 30.0
"""Seconds that a round of questions may take at least: one is asked even where there is no time to ask again."""


def left_wrong(
    questions: Sequence[Question],
    ask: Callable[[Question], Wrong | None],
    seconds: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> dict[Question, Wrong]:
    """The questions whose answers are wrong to the end, each with what is wrong: none as soon as all are right.

    `ask` says what is wrong with an answer; nothing, when it is right. It runs in several threads. A right answer is
    not asked for again. What is asked of the cluster ends with the time, or with the first round, whichever is later:
    an API server that does not answer cannot hold it up.
    """
    ends = clock() + seconds
    first_ends = clock() + ROUND_TIMEOUT
    waiting = list(questions)

    def asked(question: Question) -> Wrong | None:
        with deadline(max(ends, first_ends) - clock()):
            return ask(question)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        while True:
            answers = zip(waiting, threads.map(asked, waiting), strict=True)
            wrong = {question: found for question, found in answers if found}
            if not wrong or clock() >= ends:
                return wrong
            waiting = list(wrong)
            sleep(PAUSE)

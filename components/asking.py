"""Asking again until every answer is right, or the time is up."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Question = TypeVar("Question")
Wrong = TypeVar("Wrong")

AT_ONCE = 8
"""Questions that are asked at the same time."""

PAUSE = 0.25
"""Seconds between two rounds of questions."""


def left_wrong(
    questions: Sequence[Question],
    ask: Callable[[Question], Wrong | None],
    seconds: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> dict[Question, Wrong]:
    """The questions whose answers are wrong to the end, each with what is wrong: none as soon as all are right.

    `ask` says what is wrong with an answer; nothing, when it is right. It runs in several threads. A right answer is
    not asked for again.
    """
    deadline = clock() + seconds
    waiting = list(questions)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        while True:
            answers = zip(waiting, threads.map(ask, waiting), strict=True)
            wrong = {question: found for question, found in answers if found}
            if not wrong or clock() >= deadline:
                return wrong
            waiting = list(wrong)
            sleep(PAUSE)

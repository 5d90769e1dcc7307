"""Asking again until every answer is right, or the time is up."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Question = TypeVar("Question")
Wrong = TypeVar("Wrong")

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

    `ask` says what is wrong with an answer; nothing, when it is right. A right answer is not asked for again.
    """
    deadline = clock() + seconds
    waiting = list(questions)
    while wrong := {question: found for question in waiting if (found := ask(question))}:
        if clock() >= deadline:
            return wrong
        waiting = list(wrong)
        sleep(PAUSE)
    return {}

"""What ranks write to the log."""

import pytest

from components.training_validation.observations import RankObservation
from components.training_validation.rank_reports import MARK, ranks_of


def line(rank: int, gpus: int = 8) -> str:
    numbers = f'"rank": {rank}, "size": 2, "host": "a", "gpus": {gpus}, "total": 3.0'
    return f'{MARK}{{{numbers}, "megabytes_per_second": null}}'


def rank(number: int, gpus: int = 8) -> RankObservation:
    return RankObservation(number, 2, "a", gpus, 3.0)


def test_ranks_are_read_in_order_between_other_output() -> None:
    log = ["Warning: Permanently added host", f"[1,1]<stdout>: {line(1)}", "", line(0)]
    assert ranks_of(log) == (rank(0), rank(1))


def test_last_report_of_a_rank_counts() -> None:
    assert ranks_of([line(0, gpus=0), line(0, gpus=8)]) == (rank(0),)


@pytest.mark.parametrize(
    "text",
    [
        MARK,
        line(0)[:-1],
        line(0) + line(1),
        f"{MARK}[]",
        f"{MARK}{{}}",
        line(0).replace("8", "true"),
        line(0).replace("8", '"8"'),
        line(0).replace("3.0", '"3"'),
        line(0).replace("}", ', "more": 1}'),
        MARK + "[" * 100_000,
        line(-1),
        line(2),
        line(0).replace('"size": 2', '"size": 1' + "0" * 200),
    ],
)
def test_line_that_is_cut_or_mixed_or_impossible_is_skipped(text: str) -> None:
    assert ranks_of([text]) == ()

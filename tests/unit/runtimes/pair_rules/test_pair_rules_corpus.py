"""No TrainJob is refused that trained: those that were submitted for the runtimes of the corpus."""

from typing import Any

import pytest

from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.pair_rules import check_train_job
from components.validation.violation import only_errors

from ..explain.pairs import train_job
from ..recorded import corpus

TRAINED = [case for case in corpus() if case["verdict"] == "ok"]
TRAINER = {"numNodes": 2, "command": ["sleep", "1"]}


def test_the_corpus_has_runtimes_whose_train_jobs_trained() -> None:
    assert len(TRAINED) > 90


@pytest.mark.parametrize("case", TRAINED, ids=lambda case: str(case["id"]))
def test_train_job_that_trained_has_no_errors(case: dict[str, Any]) -> None:
    runtime = BaseTrainingRuntime.model_validate(case["object"], by_alias=True)
    given = train_job(runtime_name=str(runtime.metadata.name), trainer=TRAINER)

    assert only_errors(check_train_job(given, runtime)) == ()

"""JobSet of this stack, or of another owner."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from components.jobset import ExternalJobSet, JobSetOperatorSpec
from stacks.settings.operators import JobSetSettings

SETTINGS: TypeAdapter[Any] = TypeAdapter(JobSetSettings)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({}, JobSetOperatorSpec),
        ({"replicas": 2}, JobSetOperatorSpec),
        ({"mode": "external"}, ExternalJobSet),
        (JobSetOperatorSpec(), JobSetOperatorSpec),
        (ExternalJobSet(mode="external"), ExternalJobSet),
    ],
)
def test_mode_chooses_the_settings(given: Any, kind: type[object]) -> None:
    assert type(SETTINGS.validate_python(given)) is kind


@pytest.mark.parametrize(
    ("given", "error"),
    [({"mode": "foreign"}, "union_tag_invalid"), ({"mode": None}, "union_tag_not_found"), (7, "model_type")],
)
def test_other_settings_are_rejected(given: Any, error: str) -> None:
    with pytest.raises(ValidationError) as refused:
        SETTINGS.validate_python(given)
    assert [each["type"] for each in refused.value.errors()] == [error]

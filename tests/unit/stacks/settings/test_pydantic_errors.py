"""Stack files that are wrong: the whole message of each, in wrong_settings.yaml."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from stacks.settings.error_report import InvalidSettingsError
from stacks.settings.resolve import ResolvedStack

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "wrong_settings.yaml").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_message_states_what_is_wrong_where_why_and_the_fix(
    case: dict[str, Any], read: Callable[[str], ResolvedStack]
) -> None:
    with pytest.raises(InvalidSettingsError) as refused:
        read(case["config"])
    assert str(refused.value) == case["message"].rstrip("\n")


def test_names_of_cases_are_unique() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES)

"""Names of runtimes, and what label selectors select."""

from typing import Any

import pytest

from components.k8s.invalid import InvalidRuntimeError
from components.k8s.metadata import LabelSelector, ObjectMeta


def test_object_has_a_name_or_a_prefix() -> None:
    assert ObjectMeta(name="a").name == "a"
    assert ObjectMeta(generate_name="a-").name is None


def test_object_without_a_name_is_invalid() -> None:
    with pytest.raises(InvalidRuntimeError) as error:
        ObjectMeta(namespace="a")
    assert [(each.rule, each.path) for each in error.value.violations] == [("CTR-35", "name")]


LABELS = {"team": "ml", "tier": ""}


@pytest.mark.parametrize(
    ("selector", "selects"),
    [
        ({}, True),
        ({"matchLabels": {"team": "ml"}}, True),
        ({"matchLabels": {"team": "ml", "tier": "x"}}, False),
        ({"matchLabels": {"zone": "a"}}, False),
        ({"matchExpressions": [{"key": "team", "operator": "In", "values": ["a", "ml"]}]}, True),
        ({"matchExpressions": [{"key": "team", "operator": "In", "values": ["a"]}]}, False),
        ({"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}, False),
        ({"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["a"]}]}, True),
        ({"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["ml"]}]}, False),
        ({"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}]}, True),
        ({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "zone", "operator": "Exists"}]}, False),
        ({"matchExpressions": [{"key": "zone", "operator": "DoesNotExist"}]}, True),
        ({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}, False),
        ({"matchLabels": {"team": "ml"}, "matchExpressions": [{"key": "zone", "operator": "Exists"}]}, False),
        ({"matchLabels": {"team": "a"}, "matchExpressions": [{"key": "team", "operator": "Exists"}]}, False),
    ],
)
def test_selector_selects_objects_that_meet_all_conditions(selector: dict[str, Any], selects: bool) -> None:
    assert LabelSelector.model_validate(selector).selects(LABELS) is selects

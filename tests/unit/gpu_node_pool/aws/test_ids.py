"""Ids of EC2, where people write names."""

import pulumi
import pytest

from components.gpu_node_pool.aws.ids import check_ids, is_placement_group_id


def found(*ids: str | pulumi.Output[str]) -> list[tuple[str, str, str, str]]:
    return [(each.rule, each.path, each.message, each.fix) for each in check_ids("subnet", "subnetIds", ids)]


def test_ids_and_outputs_are_accepted() -> None:
    output = pulumi.Output.from_input("any")
    assert found("subnet-0a1", output, "subnet-0a2", output) == []


def test_list_has_an_id() -> None:
    assert found() == [("AWS-01", "subnetIds", "The list is empty.", "Add at least one id, `subnet-...`.")]


@pytest.mark.parametrize("name", ["mine", "sg-1", "subnet-", "subnet-A", "my subnet-1", "subnet-1 "])
def test_name_is_rejected(name: str) -> None:
    message = f"{name} is not an id, and AWS accepts no names here."
    assert found("subnet-1", name) == [("AWS-01", "subnetIds[1]", message, "Use the id, `subnet-...`.")]


def test_duplicate_is_rejected() -> None:
    assert found("subnet-1", pulumi.Output.from_input("subnet-1"), "subnet-1") == [
        ("AWS-01", "subnetIds[2]", "subnet-1 is a duplicate.", "Remove the duplicate.")
    ]


def test_placement_group_is_an_id_or_a_name() -> None:
    assert is_placement_group_id("pg-0123456789abcdef0")
    assert not any(map(is_placement_group_id, ("pg-mine", "mine", "pg-0123456789abcdef01")))
    assert not is_placement_group_id(pulumi.Output.from_input("pg-0123456789abcdef0"))

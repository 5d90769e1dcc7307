"""A chart's children as they are registered: which of those that are deleted are replaced."""

import pulumi

from components.operators.chart_children import ChartChildren

CONFIG_MAP, SERVICE = "kubernetes:core/v1:ConfigMap", "kubernetes:core/v1:Service"
INPUTS = {"kind": "ConfigMap", "metadata": {"name": "config"}}


def deletion(type_: str, name: str = "trainer:config") -> pulumi.ResourceHookArgs:
    return pulumi.ResourceHookArgs("urn", "id", name, type_, old_inputs=INPUTS)


def test_child_deleted_during_registration_is_replaced() -> None:
    children = ChartChildren()
    assert children.successor(deletion(CONFIG_MAP)) is None
    children.note(CONFIG_MAP, "trainer:config", INPUTS)
    assert children.successor(deletion(CONFIG_MAP)) == INPUTS
    assert children.successor(deletion(SERVICE)) is None
    assert children.successor(deletion(CONFIG_MAP, "trainer:other")) is None


def test_child_deleted_afterwards_is_removed() -> None:
    children = ChartChildren()
    children.note(CONFIG_MAP, "trainer:config", INPUTS)
    children.is_complete = True
    assert children.successor(deletion(CONFIG_MAP)) is None
    assert [*children.names] == [(CONFIG_MAP, "trainer:config")]

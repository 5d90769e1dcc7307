"""An operator's webhook configurations: noted as its chart registers them, told apart by their uids."""

from types import SimpleNamespace
from typing import Any

import pulumi
import pytest

from components.jobset import JobSetOperatorSpec
from components.operators.chart import lifecycle_transform
from components.operators.chart_children import ChartChildren, Child
from components.operators.webhook_uids import webhook_uids

from ..monitor import applied, run

API = "kubernetes:admissionregistration.k8s.io/v1"
WEBHOOKS = [f"{API}:ValidatingWebhookConfiguration", f"{API}:MutatingWebhookConfiguration"]
CHART, SERVICE = "kubernetes:helm.sh/v4:Chart", "kubernetes:core/v1:Service"


def chart(uids: tuple[str | None, str | None]) -> Any:
    """A chart with two webhook configurations and something else. It is there when its children are."""
    component = pulumi.ComponentResource(CHART, "operator")
    children = [
        pulumi.CustomResource(
            type_, "operator:x", {"metadata": {"name": "x", "uid": uid}}, pulumi.ResourceOptions(parent=component)
        )
        for type_, uid in [*zip(WEBHOOKS, uids, strict=True), (SERVICE, "9")]
    ]
    urns = pulumi.Output.all(component.urn, *(each.urn for each in children))
    return SimpleNamespace(urn=urns.apply(lambda known: known[0]))


@pytest.mark.parametrize(
    ("uids", "identity"), [(("1", "2"), "1 2"), (("2", "1"), "1 2"), ((None, None), "")], ids=["is", "order", "folder"]
)
def test_webhook_uids_are_those_of_the_webhook_configurations(
    uids: tuple[str | None, str | None], identity: str
) -> None:
    seen: list[str] = []
    children: set[Child] = {(type_, "operator:x") for type_ in (*WEBHOOKS, SERVICE)}
    run(lambda: webhook_uids(chart(uids), children).apply(seen.append))
    assert seen == [identity]


def test_transform_records_the_children_of_a_chart() -> None:
    children = ChartChildren()
    props: dict[str, Any] = {"metadata": {"name": "x"}}
    for type_ in WEBHOOKS:
        applied(lifecycle_transform(JobSetOperatorSpec(), {}, children), type_, props)
    assert set(children.names) == {(type_, "x") for type_ in WEBHOOKS}

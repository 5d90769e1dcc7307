"""Detects that an operator's webhook configurations were replaced although the settings did not change."""

from collections.abc import Iterable, Mapping
from typing import Any

import pulumi

from .chart_children import Child

_API = "kubernetes:admissionregistration.k8s.io/v1"
WEBHOOK_CONFIGURATIONS = {f"{_API}:MutatingWebhookConfiguration", f"{_API}:ValidatingWebhookConfiguration"}
"""Types of the objects that register webhooks."""


def webhook_uids(chart: pulumi.Resource, children: Iterable[Child]) -> pulumi.Output[str]:
    """The uids of a chart's webhook configurations. Empty for manifests that are rendered to a folder.

    `children` are recorded as they are registered, which is before the chart is. They are read again by name: the
    chart's own list of resources contains CRDs of megabytes.
    """
    return chart.urn.apply(lambda urn: _uids(urn, children))


def _uids(chart: str, children: Iterable[Child]) -> pulumi.Output[str]:
    above = chart.rpartition("::")[0]
    found = [
        _ResourceByUrn(type_, name, f"{above}${type_}::{name}")
        for type_, name in sorted(children)
        if type_ in WEBHOOK_CONFIGURATIONS
    ]
    return pulumi.Output.all(*(each.metadata for each in found)).apply(
        lambda known: " ".join(sorted(filter(None, (metadata and metadata.get("uid") for metadata in known))))
    )


class _ResourceByUrn(pulumi.CustomResource):
    """A resource of this stack, read by its URN. The provider's classes for these kinds are slow to import."""

    metadata: pulumi.Output[Mapping[str, Any]]

    def __init__(self, type_: str, name: str, urn: str) -> None:
        super().__init__(type_, name, {"metadata": None}, pulumi.ResourceOptions(urn=urn))

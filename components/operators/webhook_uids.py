"""When an operator's webhook configurations are other ones than before, settings being the same."""

from collections.abc import Iterable, Mapping
from typing import Any

import pulumi

_API = "kubernetes:admissionregistration.k8s.io/v1"
_KINDS = {f"{_API}:MutatingWebhookConfiguration", f"{_API}:ValidatingWebhookConfiguration"}

Child = tuple[str, str]
"""A chart's child, by its type and its name."""


def webhook_uids(chart: pulumi.Resource, children: Iterable[Child]) -> pulumi.Output[str]:
    """The uids of a chart's webhook configurations. Manifests that are rendered to a folder have none.

    `children` are noted as they are registered, which is before the chart is. They are read again by their names alone:
    a chart's own list of its resources has CRDs of megabytes in it.
    """
    return chart.urn.apply(lambda urn: _uids(urn, children))


def _uids(chart: str, children: Iterable[Child]) -> pulumi.Output[str]:
    above = chart.rpartition("::")[0]
    found = [
        _ResourceByUrn(type_, name, f"{above}${type_}::{name}") for type_, name in sorted(children) if type_ in _KINDS
    ]
    return pulumi.Output.all(*(each.metadata for each in found)).apply(
        lambda known: " ".join(sorted(filter(None, (metadata and metadata.get("uid") for metadata in known))))
    )


class _ResourceByUrn(pulumi.CustomResource):
    """A resource of the stack's own, read by its URN: the classes of its kinds take their time to be imported."""

    metadata: pulumi.Output[Mapping[str, Any]]

    def __init__(self, type_: str, name: str, urn: str) -> None:
        super().__init__(type_, name, {"metadata": None}, pulumi.ResourceOptions(urn=urn))

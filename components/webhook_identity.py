"""When an operator's webhook configurations are other ones than before, settings being the same."""

from collections.abc import Iterable, Mapping

import pulumi
import pulumi_kubernetes as kubernetes

_API = "kubernetes:admissionregistration.k8s.io/v1"
_registration = kubernetes.admissionregistration.v1
_KINDS: Mapping[
    str, type[_registration.MutatingWebhookConfiguration | _registration.ValidatingWebhookConfiguration]
] = {
    f"{_API}:MutatingWebhookConfiguration": _registration.MutatingWebhookConfiguration,
    f"{_API}:ValidatingWebhookConfiguration": _registration.ValidatingWebhookConfiguration,
}

Child = tuple[str, str]
"""A chart's child, by its type and its name."""


def identity_of(chart: pulumi.Resource, children: Iterable[Child]) -> pulumi.Output[str]:
    """The uids of a chart's webhook configurations. Manifests that are rendered to a folder have none.

    `children` are noted as they are registered, which is before the chart is. They are read again by their names alone:
    a chart's own list of its resources has CRDs of megabytes in it, which a program may ask the engine to leave out.
    """
    return chart.urn.apply(lambda urn: _uids(urn, children))


def _uids(chart: str, children: Iterable[Child]) -> pulumi.Output[str]:
    above = chart.rpartition("::")[0]
    found = [
        _KINDS[type_](name, opts=pulumi.ResourceOptions(urn=f"{above}${type_}::{name}"))
        for type_, name in sorted(children)
        if type_ in _KINDS
    ]
    return pulumi.Output.all(*(each.metadata.uid for each in found)).apply(
        lambda known: " ".join(sorted(filter(None, known)))
    )

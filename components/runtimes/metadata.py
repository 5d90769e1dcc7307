"""Metadata: of the runtime itself, and of what stands embedded in it."""

from collections.abc import Mapping
from typing import Any

from .wire import ApiModel, Items, StringMap


class ObjectMeta(ApiModel):
    """Metadata of a runtime."""

    name: str | None = None
    generate_name: str | None = None
    namespace: str | None = None
    labels: StringMap | None = None
    annotations: StringMap | None = None
    finalizers: Items[str] | None = None
    owner_references: Items[Mapping[str, Any]] | None = None


class EmbeddedMetadata(ApiModel):
    """Metadata inside a runtime: of the JobSet, job, pod and claim templates. The API knows only these five there."""

    name: str | None = None
    namespace: str | None = None
    labels: StringMap | None = None
    annotations: StringMap | None = None
    finalizers: Items[str] | None = None


class LabelSelectorRequirement(ApiModel):
    """One requirement on a label."""

    key: str
    operator: str
    values: Items[str] | None = None


class LabelSelector(ApiModel):
    """Selects objects by their labels; all requirements must hold."""

    match_labels: StringMap | None = None
    match_expressions: Items[LabelSelectorRequirement] | None = None

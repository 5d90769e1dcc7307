"""Where pods may land: affinity, tolerations, spread."""

from typing import Annotated

from .metadata import LabelSelector
from .wire import ApiModel, Int32, Int64, Items, unique


class NodeSelectorRequirement(ApiModel):
    """One requirement on a node's label or field."""

    key: str
    operator: str
    values: Items[str] | None = None


class NodeSelectorTerm(ApiModel):
    """Requirements that must all hold."""

    match_expressions: Items[NodeSelectorRequirement] | None = None
    match_fields: Items[NodeSelectorRequirement] | None = None


class NodeSelector(ApiModel):
    """Terms of which one must hold."""

    node_selector_terms: Items[NodeSelectorTerm]


class PreferredSchedulingTerm(ApiModel):
    """A wish with a weight from 1 to 100."""

    weight: Int32
    preference: NodeSelectorTerm


class NodeAffinity(ApiModel):
    """Which nodes a pod needs, or would like."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    preferred_during_scheduling_ignored_during_execution: Items[PreferredSchedulingTerm] | None = None


class PodAffinityTerm(ApiModel):
    """Pods that this one wants near, or far."""

    topology_key: str
    label_selector: LabelSelector | None = None
    match_label_keys: Items[str] | None = None
    mismatch_label_keys: Items[str] | None = None
    namespace_selector: LabelSelector | None = None
    namespaces: Items[str] | None = None


class WeightedPodAffinityTerm(ApiModel):
    """A wish with a weight from 1 to 100."""

    weight: Int32
    pod_affinity_term: PodAffinityTerm


class PodAffinity(ApiModel):
    """Pods to be near to."""

    required_during_scheduling_ignored_during_execution: Items[PodAffinityTerm] | None = None
    preferred_during_scheduling_ignored_during_execution: Items[WeightedPodAffinityTerm] | None = None


class PodAntiAffinity(ApiModel):
    """Pods to be far from."""

    required_during_scheduling_ignored_during_execution: Items[PodAffinityTerm] | None = None
    preferred_during_scheduling_ignored_during_execution: Items[WeightedPodAffinityTerm] | None = None


class Affinity(ApiModel):
    """Which nodes and neighbours a pod needs, or would like."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAntiAffinity | None = None


class Toleration(ApiModel):
    """A taint that does not keep the pod away."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None
    toleration_seconds: Int64 | None = None


class TopologySpreadConstraint(ApiModel):
    """How evenly pods spread over a topology."""

    max_skew: Int32
    topology_key: str
    when_unsatisfiable: str
    label_selector: LabelSelector | None = None
    match_label_keys: Items[str] | None = None
    min_domains: Int32 | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None


TopologySpreadConstraints = Annotated[
    Items[TopologySpreadConstraint], unique("topology_key", "when_unsatisfiable", rule="CTR-33")
]

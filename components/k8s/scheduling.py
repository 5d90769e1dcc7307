"""Where pods may land: affinity, tolerations, spread. Meanings and defaults from Kubernetes' core/v1."""

from .base import ApiModel, FrozenList, Int32, Int64
from .metadata import LabelSelector


class NodeSelectorRequirement(ApiModel):
    """One thing that a node's label or field must be."""

    key: str
    """Name of the label or field."""

    operator: str
    """In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    values: FrozenList[str] | None = None
    """For In and NotIn: the values. For Gt and Lt: one number, as a string."""


class NodeSelectorTerm(ApiModel):
    """Requirements that must all hold."""

    match_expressions: FrozenList[NodeSelectorRequirement] | None = None
    """On labels."""

    match_fields: FrozenList[NodeSelectorRequirement] | None = None
    """On fields: `metadata.name`."""


class NodeSelector(ApiModel):
    """Terms of which one must hold."""

    node_selector_terms: FrozenList[NodeSelectorTerm]


class PreferredSchedulingTerm(ApiModel):
    """A wish for some nodes."""

    weight: Int32
    """1 to 100, how strong it is beside others."""

    preference: NodeSelectorTerm
    """The nodes."""


class NodeAffinity(ApiModel):
    """Nodes that the pod needs, and nodes that it would like."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    preferred_during_scheduling_ignored_during_execution: FrozenList[PreferredSchedulingTerm] | None = None


class PodAffinityTerm(ApiModel):
    """Other pods, and how near is near."""

    topology_key: str
    """Label of nodes: pods are together where its value is the same."""

    label_selector: LabelSelector | None = None
    """The other pods. Default: none."""

    match_label_keys: FrozenList[str] | None = None
    """Labels in which the other pods are like this one."""

    mismatch_label_keys: FrozenList[str] | None = None
    """Labels in which they differ from it."""

    namespace_selector: LabelSelector | None = None
    """Their namespaces, by labels; an empty one is all."""

    namespaces: FrozenList[str] | None = None
    """Their namespaces, by names. Default, without namespaceSelector: the pod's own."""


class WeightedPodAffinityTerm(ApiModel):
    """A wish about other pods."""

    weight: Int32
    """1 to 100, how strong it is beside others."""

    pod_affinity_term: PodAffinityTerm
    """The other pods."""


class PodAffinity(ApiModel):
    """Pods that this one needs, or would like, near it."""

    required_during_scheduling_ignored_during_execution: FrozenList[PodAffinityTerm] | None = None
    preferred_during_scheduling_ignored_during_execution: FrozenList[WeightedPodAffinityTerm] | None = None


class PodAntiAffinity(ApiModel):
    """Pods that this one must, or should, be away from."""

    required_during_scheduling_ignored_during_execution: FrozenList[PodAffinityTerm] | None = None
    preferred_during_scheduling_ignored_during_execution: FrozenList[WeightedPodAffinityTerm] | None = None


class Affinity(ApiModel):
    """Nodes and neighbours that a pod needs, or would like."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAntiAffinity | None = None


class Toleration(ApiModel):
    """Taints that don't keep the pod away."""

    key: str | None = None
    """Key of the taint. Absent, with Exists: every taint."""

    operator: str | None = None
    """Equal or Exists (any value). Default Equal."""

    value: str | None = None
    """For Equal: the taint's value. Default empty."""

    effect: str | None = None
    """NoSchedule, PreferNoSchedule or NoExecute. Default: all."""

    toleration_seconds: Int64 | None = None
    """For NoExecute: how long the pod stays, in seconds. Default: for ever."""


class TopologySpreadConstraint(ApiModel):
    """How evenly pods spread."""

    max_skew: Int32
    """How many more pods one domain may have than another, 1 or more."""

    topology_key: str
    """Label of nodes: each value is a domain."""

    when_unsatisfiable: str
    """DoNotSchedule or ScheduleAnyway."""

    label_selector: LabelSelector | None = None
    """The pods that are counted. Default: none."""

    match_label_keys: FrozenList[str] | None = None
    """Labels in which counted pods are like this one."""

    min_domains: Int32 | None = None
    """How many domains there must be, 1 or more; with DoNotSchedule only. Default 1."""

    node_affinity_policy: str | None = None
    """Honor or Ignore: whether nodes that the pod can't go to for its selector are left out. Default Honor."""

    node_taints_policy: str | None = None
    """Honor or Ignore: whether nodes that the pod can't go to for taints are left out. Default Ignore."""

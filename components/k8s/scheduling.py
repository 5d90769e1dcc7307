"""Scheduling of pods: affinity, tolerations, topology spread. Meanings and defaults from Kubernetes' core/v1."""

from .base import ApiModel, FrozenList, Int32, Int64
from .metadata import LabelSelector


class NodeSelectorRequirement(ApiModel):
    """A condition on a label or field of a node."""

    key: str
    """Key of the label, or name of the field."""

    operator: str
    """In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    values: FrozenList[str] | None = None
    """Values for In and NotIn; one integer as a string for Gt and Lt. Must be absent or empty for Exists and
    DoesNotExist."""


class NodeSelectorTerm(ApiModel):
    """Conditions on a node, all of which must be met. An empty term matches no node."""

    match_expressions: FrozenList[NodeSelectorRequirement] | None = None
    """Conditions on the node's labels."""

    match_fields: FrozenList[NodeSelectorRequirement] | None = None
    """Conditions on the node's fields. Only `metadata.name` is supported."""


class NodeSelector(ApiModel):
    """A selection of nodes."""

    node_selector_terms: FrozenList[NodeSelectorTerm]
    """Terms, of which at least one must match."""


class PreferredSchedulingTerm(ApiModel):
    """A preference for some nodes."""

    weight: Int32
    """Weight added to the score of matching nodes, 1 to 100."""

    preference: NodeSelectorTerm
    """The preferred nodes."""


class NodeAffinity(ApiModel):
    """Nodes on which the pod must or should be scheduled."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    """Nodes on which the pod may be scheduled. Not enforced after scheduling."""
    preferred_during_scheduling_ignored_during_execution: FrozenList[PreferredSchedulingTerm] | None = None
    """Preferences. The node with the highest sum of matching weights is preferred."""


class PodAffinityTerm(ApiModel):
    """A set of pods, and the topology domain in which this pod must be scheduled together with them or apart from
    them."""

    topology_key: str
    """Key of a node label. Nodes with the same value form one domain."""

    label_selector: LabelSelector | None = None
    """Selects the pods by their labels. Default: no pods."""

    match_label_keys: FrozenList[str] | None = None
    """Keys of pod labels whose values must equal this pod's. Only with labelSelector."""

    mismatch_label_keys: FrozenList[str] | None = None
    """Keys of pod labels whose values must differ from this pod's. Only with labelSelector."""

    namespace_selector: LabelSelector | None = None
    """Selects the pods' namespaces by labels, in addition to `namespaces`. An empty selector selects all namespaces."""

    namespaces: FrozenList[str] | None = None
    """Names of the pods' namespaces. Default, without namespaceSelector: this pod's namespace."""


class WeightedPodAffinityTerm(ApiModel):
    """A preference about other pods."""

    weight: Int32
    """Weight added to the score of matching nodes, 1 to 100."""

    pod_affinity_term: PodAffinityTerm
    """The other pods, and the topology domain."""


class PodAffinity(ApiModel):
    """Pods next to which this pod must or should be scheduled."""

    required_during_scheduling_ignored_during_execution: FrozenList[PodAffinityTerm] | None = None
    """The pod is scheduled only in domains that meet all terms. Not enforced after scheduling."""
    preferred_during_scheduling_ignored_during_execution: FrozenList[WeightedPodAffinityTerm] | None = None
    """Preferences. The node with the highest sum of matching weights is preferred."""


class PodAntiAffinity(ApiModel):
    """Pods away from which this pod must or should be scheduled."""

    required_during_scheduling_ignored_during_execution: FrozenList[PodAffinityTerm] | None = None
    """The pod is not scheduled in domains that meet any term. Not enforced after scheduling."""
    preferred_during_scheduling_ignored_during_execution: FrozenList[WeightedPodAffinityTerm] | None = None
    """Preferences. The node with the lowest sum of matching weights is preferred."""


class Affinity(ApiModel):
    """Scheduling constraints and preferences of a pod."""

    node_affinity: NodeAffinity | None = None
    """By the labels of nodes."""
    pod_affinity: PodAffinity | None = None
    """Near other pods."""
    pod_anti_affinity: PodAntiAffinity | None = None
    """Away from other pods."""


class Toleration(ApiModel):
    """Lets the pod be scheduled on, and stay on, nodes with matching taints."""

    key: str | None = None
    """Key of the taint. Default, with operator Exists: all keys."""

    operator: str | None = None
    """Equal (the values must be equal) or Exists (any value). Default Equal."""

    value: str | None = None
    """Value of the taint, with operator Equal. Must be empty with Exists. Default empty."""

    effect: str | None = None
    """NoSchedule, PreferNoSchedule or NoExecute. Default: all effects."""

    toleration_seconds: Int64 | None = None
    """Seconds that the pod stays on a node after a NoExecute taint is added. Requires effect NoExecute. Default: no
    limit."""


class TopologySpreadConstraint(ApiModel):
    """How evenly pods are spread over the domains of a topology."""

    max_skew: Int32
    """Maximum difference between the number of matching pods in a domain and the lowest number in any domain, 1 or
    more."""

    topology_key: str
    """Key of a node label. Nodes with the same value form one domain."""

    when_unsatisfiable: str
    """DoNotSchedule (the pod stays pending) or ScheduleAnyway (a preference)."""

    label_selector: LabelSelector | None = None
    """Selects the pods that are counted. Default: no pods."""

    match_label_keys: FrozenList[str] | None = None
    """Keys of pod labels whose values must equal this pod's. Only with labelSelector."""

    min_domains: Int32 | None = None
    """Minimum number of domains; while there are fewer, the lowest number of pods counts as 0. 1 or more, only with
    DoNotSchedule. Default 1."""

    node_affinity_policy: str | None = None
    """Honor (count only nodes that match the pod's nodeSelector and node affinity) or Ignore (count all nodes). Default
    Honor."""

    node_taints_policy: str | None = None
    """Honor (count only nodes whose taints the pod tolerates) or Ignore (count all nodes). Default Ignore."""

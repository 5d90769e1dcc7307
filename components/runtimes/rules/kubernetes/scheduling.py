"""What Kubernetes rejects in tolerations, selectors, affinities and spread constraints."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ....k8s.grammars import DNS_LABEL, DNS_SUBDOMAIN, LABEL_VALUE, QUALIFIED_NAME
from ....k8s.metadata import LabelSelector
from ....k8s.scheduling import (
    NodeAffinity,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodAffinity,
    PodAffinityTerm,
    PodAntiAffinity,
    Toleration,
    TopologySpreadConstraint,
)
from ....validation.violation import Severity, Violation
from ..rule import rule, violation
from ..view import LocatedPod, RuntimeView
from .metadata import label_problems, selector_problems

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
LABELS_OF_CONTROLLERS = ("jobset.sigs.k8s.io/", "batch.kubernetes.io/", "job-name", "controller-uid")
"""Prefixes of labels that every pod of a JobSet gets."""


@rule("K8S-22")
def tolerations_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """The operator, value, effect and seconds of a toleration contradict each other.

    Without a key the operator must be Exists, which tolerates all taints. The operators Lt and Gt are behind a feature
    gate.
    Source: pkg/apis/core/validation/validation.go:4487-4553@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        for index, toleration in enumerate(pod.spec.tolerations or ()):
            yield from _toleration(f"{pod.path}.tolerations[{index}]", toleration)


def _toleration(path: str, toleration: Toleration) -> Iterator[Violation]:
    operator, value = toleration.operator or "Equal", toleration.value or ""
    if toleration.key and not QUALIFIED_NAME.matches(toleration.key):
        yield violation(
            f"{path}.key", f"{toleration.key!r} is not a valid taint key: it must be {QUALIFIED_NAME}.", "Correct it."
        )
    if operator not in {"Equal", "Exists"}:
        yield violation(f"{path}.operator", f"{operator!r} is not a valid operator.", "Use Equal or Exists.")
    elif not toleration.key and operator != "Exists":
        yield violation(
            f"{path}.operator",
            "Without a key the operator must be Exists.",
            "Set a key, or use Exists to tolerate every taint.",
        )
    if operator == "Exists" and value:
        yield violation(f"{path}.value", "Operator Exists cannot have a value.", "Remove value, or use Equal.")
    if operator == "Equal" and not LABEL_VALUE.matches(value):
        yield violation(
            f"{path}.value", f"{value!r} is not a valid taint value: it must be {LABEL_VALUE}.", "Correct it."
        )
    if toleration.effect and toleration.effect not in EFFECTS:
        yield violation(
            f"{path}.effect", f"{toleration.effect!r} is not a valid effect.", f"Use one of {', '.join(EFFECTS)}."
        )
    elif toleration.toleration_seconds is not None and toleration.effect != "NoExecute":
        yield violation(
            f"{path}.effect", "tolerationSeconds is allowed only with effect NoExecute.", "Remove tolerationSeconds."
        )


@rule("K8S-22")
def node_selector_is_labels(view: RuntimeView) -> Iterator[Violation]:
    """A nodeSelector has an invalid label key or value.

    Source: pkg/apis/core/validation/validation.go:4805@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        yield from label_problems(f"{pod.path}.nodeSelector", pod.spec.node_selector)


@rule("K8S-22")
def affinities_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """An affinity has an invalid operator, value, weight, namespace or key.

    Source: pkg/apis/core/validation/validation.go:4373-4389,5117-5402,9293-9340@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        affinity, path = pod.spec.affinity, f"{pod.path}.affinity"
        if affinity is None:
            continue
        if affinity.node_affinity:
            yield from _node_affinity(f"{path}.nodeAffinity", affinity.node_affinity)
        if affinity.pod_affinity:
            yield from _pod_affinity(f"{path}.podAffinity", affinity.pod_affinity, pod)
        if affinity.pod_anti_affinity:
            yield from _pod_affinity(f"{path}.podAntiAffinity", affinity.pod_anti_affinity, pod)


def _node_affinity(path: str, affinity: NodeAffinity) -> Iterator[Violation]:
    required = affinity.required_during_scheduling_ignored_during_execution
    if required:
        if not required.node_selector_terms:
            yield violation(f"{path}.{REQUIRED}.nodeSelectorTerms", "The list of terms is empty.", "Add one.")
        for index, term in enumerate(required.node_selector_terms):
            yield from _term(f"{path}.{REQUIRED}.nodeSelectorTerms[{index}]", term, checks_values=True)
    for index, preferred in enumerate(affinity.preferred_during_scheduling_ignored_during_execution or ()):
        yield from _weight(f"{path}.{PREFERRED}[{index}].weight", preferred.weight)
        yield from _term(f"{path}.{PREFERRED}[{index}].preference", preferred.preference, checks_values=False)


def _weight(path: str, weight: int) -> Iterator[Violation]:
    if not 1 <= weight <= 100:
        yield violation(path, f"{weight} is not a valid weight: it must be from 1 to 100.", "Correct it.")


def _term(path: str, term: NodeSelectorTerm, checks_values: bool) -> Iterator[Violation]:
    for index, requirement in enumerate(term.match_expressions or ()):
        where = f"{path}.matchExpressions[{index}]"
        yield from _requirement(where, requirement)
        for number, value in enumerate((checks_values and requirement.values) or ()):
            if not LABEL_VALUE.matches(value):
                yield violation(
                    f"{where}.values[{number}]",
                    f"{value!r} is not a valid label value: it must be {LABEL_VALUE}.",
                    "Correct it.",
                )
    for index, requirement in enumerate(term.match_fields or ()):
        where, values = f"{path}.matchFields[{index}]", requirement.values or ()
        if requirement.operator not in {"In", "NotIn"} or len(values) != 1:
            yield violation(
                f"{where}.operator",
                f"{requirement.operator!r} with {len(values)} values.",
                "Use In or NotIn with one value.",
            )
        if requirement.key != "metadata.name":
            yield violation(f"{where}.key", f"{requirement.key!r} is not a field of nodes.", "Use metadata.name.")
        elif not all(DNS_SUBDOMAIN.matches(value) for value in values):
            yield violation(f"{where}.values", f"A node's name must be {DNS_SUBDOMAIN}.", "Correct it.")


def _requirement(path: str, requirement: NodeSelectorRequirement) -> Iterator[Violation]:
    operator, count = requirement.operator, len(requirement.values or ())
    if operator not in {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}:
        yield violation(
            f"{path}.operator",
            f"{operator!r} is not a valid operator.",
            "Use In, NotIn, Exists, DoesNotExist, Gt or Lt.",
        )
    elif (
        (operator in {"In", "NotIn"} and not count)
        or (operator in {"Exists", "DoesNotExist"} and count)
        or (operator in {"Gt", "Lt"} and count != 1)
    ):
        yield violation(
            f"{path}.values",
            f"Operator {operator} has {count} values.",
            "Set one or more for In and NotIn, none for Exists and DoesNotExist, one for Gt and Lt.",
        )
    if not QUALIFIED_NAME.matches(requirement.key):
        yield violation(
            f"{path}.key", f"{requirement.key!r} is not a valid label key: it must be {QUALIFIED_NAME}.", "Correct it."
        )


def _pod_affinity(path: str, affinity: PodAffinity | PodAntiAffinity, pod: LocatedPod) -> Iterator[Violation]:
    for index, term in enumerate(affinity.required_during_scheduling_ignored_during_execution or ()):
        yield from _pod_term(f"{path}.{REQUIRED}[{index}]", term, pod)
    for index, preferred in enumerate(affinity.preferred_during_scheduling_ignored_during_execution or ()):
        yield from _weight(f"{path}.{PREFERRED}[{index}].weight", preferred.weight)
        yield from _pod_term(f"{path}.{PREFERRED}[{index}].podAffinityTerm", preferred.pod_affinity_term, pod)


def _pod_term(path: str, term: PodAffinityTerm, pod: LocatedPod) -> Iterator[Violation]:
    if not QUALIFIED_NAME.matches(term.topology_key):
        yield violation(
            f"{path}.topologyKey",
            f"{term.topology_key!r} is not a valid label key: it must be {QUALIFIED_NAME}.",
            "Correct it.",
        )
    for index, namespace in enumerate(term.namespaces or ()):
        if not DNS_LABEL.matches(namespace):
            yield violation(
                f"{path}.namespaces[{index}]",
                f"{namespace!r} is not a valid namespace: it must be {DNS_LABEL}.",
                "Correct it.",
            )
    yield from selector_problems(f"{path}.labelSelector", term.label_selector)
    yield from selector_problems(f"{path}.namespaceSelector", term.namespace_selector)
    yield from _label_keys(f"{path}.matchLabelKeys", term.match_label_keys or (), term.label_selector)
    yield from _label_keys(f"{path}.mismatchLabelKeys", term.mismatch_label_keys or (), term.label_selector)
    yield from _selected_twice(f"{path}.matchLabelKeys", term.match_label_keys or (), term.label_selector, pod)
    for key in set(term.match_label_keys or ()) & set(term.mismatch_label_keys or ()):
        yield violation(f"{path}.matchLabelKeys", f"{key!r} is in mismatchLabelKeys as well.", "Keep one of them.")


def _label_keys(path: str, keys: Sequence[str], selector: LabelSelector | None) -> Iterator[Violation]:
    if keys and selector is None:
        yield violation(path, "This needs a labelSelector.", "Set labelSelector, or remove it.")
        return
    for index, key in enumerate(keys):
        if not QUALIFIED_NAME.matches(key):
            yield violation(
                f"{path}[{index}]", f"{key!r} is not a valid label key: it must be {QUALIFIED_NAME}.", "Correct it."
            )


def _selected_twice(
    path: str, keys: Sequence[str], selector: LabelSelector | None, pod: LocatedPod
) -> Iterator[Violation]:
    """Keys of matchLabelKeys that the selector has too: the API server adds the pod's own value to it."""
    selected = _selected(selector)
    for index, key in enumerate(keys):
        if selected[key] + _has_label(pod, key) > 1:
            yield violation(
                f"{path}[{index}]", f"{key!r} is in labelSelector as well: the pods are rejected.", "Keep one of them."
            )


def _selected(selector: LabelSelector | None) -> Counter[str]:
    """Number of occurrences of each key in a selector."""
    selected = Counter(list((selector and selector.match_labels) or ()))
    selected.update(requirement.key for requirement in (selector and selector.match_expressions) or ())
    return selected


def _has_label(pod: LocatedPod, key: str) -> bool:
    labels = (pod.template.metadata and pod.template.metadata.labels) or {}
    return key in labels or key.startswith(LABELS_OF_CONTROLLERS)


@rule("K8S-22")
def spread_constraints_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """A topology spread constraint has invalid numbers or choices.

    Source: pkg/apis/core/validation/validation.go:9171-9390@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        for index, constraint in enumerate(pod.spec.topology_spread_constraints or ()):
            yield from _spread(f"{pod.path}.topologySpreadConstraints[{index}]", constraint, pod)


def _spread(path: str, constraint: TopologySpreadConstraint, pod: LocatedPod) -> Iterator[Violation]:
    if constraint.max_skew < 1:
        yield violation(f"{path}.maxSkew", f"maxSkew is {constraint.max_skew}.", "Set it to 1 or more.")
    if not constraint.topology_key:
        yield violation(f"{path}.topologyKey", "topologyKey is empty.", "Name a label of nodes.")
    if constraint.when_unsatisfiable not in {"DoNotSchedule", "ScheduleAnyway"}:
        yield violation(
            f"{path}.whenUnsatisfiable",
            f"{constraint.when_unsatisfiable!r} is not a known value.",
            "Use DoNotSchedule or ScheduleAnyway.",
        )
    domains = constraint.min_domains
    if domains is not None and (domains < 1 or constraint.when_unsatisfiable != "DoNotSchedule"):
        yield violation(
            f"{path}.minDomains",
            f"minDomains is {domains} with whenUnsatisfiable {constraint.when_unsatisfiable}.",
            "Set it to 1 or more, with DoNotSchedule; or remove it.",
        )
    for name, policy in (
        ("nodeAffinityPolicy", constraint.node_affinity_policy),
        ("nodeTaintsPolicy", constraint.node_taints_policy),
    ):
        if policy is not None and policy not in {"Honor", "Ignore"}:
            yield violation(f"{path}.{name}", f"{policy!r} is not a known value.", "Use Honor or Ignore.")
    yield from selector_problems(f"{path}.labelSelector", constraint.label_selector)
    selector = constraint.label_selector
    yield from _label_keys(f"{path}.matchLabelKeys", constraint.match_label_keys or (), selector)
    yield from _selected_twice(f"{path}.matchLabelKeys", constraint.match_label_keys or (), selector, pod)
    for index, key in enumerate(constraint.match_label_keys or ()):
        if _selected(selector)[key] == 1 and not _has_label(pod, key):
            message = (
                f"{key!r} is in labelSelector and not a label of the pods: Kubernetes before 1.34 rejects the pods."
            )
            yield violation(f"{path}.matchLabelKeys[{index}]", message, "Keep one of them.", Severity.WARNING)

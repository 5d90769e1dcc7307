"""What Kubernetes refuses in tolerations, selectors, affinities and spread constraints."""

from typing import Any

from tests.unit.runtimes.rules.samples import TORCH, Case, pod, spec, warns

TOLERATIONS = f"{pod(0)}.tolerations"
AFFINITY = f"{pod(0)}.affinity"
SPREAD = f"{pod(0)}.topologySpreadConstraints"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NODES = f"{AFFINITY}.nodeAffinity.{REQUIRED}"
TERM = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"a": "b"}}}
EQUALS, EXISTS = ({"key": "zone", "operator": operator} for operator in ("Equals", "Exists"))
CONSTRAINT = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}


def nodes(**requirement: Any) -> dict[str, Any]:
    expression = {"key": "zone", "operator": "In", "values": ["a"], **requirement}
    return {NODES: {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


def fields(**requirement: Any) -> dict[str, Any]:
    field = {"key": "metadata.name", "operator": "In", "values": ["a"], **requirement}
    return {NODES: {"nodeSelectorTerms": [{"matchFields": [field]}]}}


def near(**term: Any) -> dict[str, Any]:
    return {f"{AFFINITY}.podAffinity.{REQUIRED}": [{**TERM, **term}]}


def spread(**constraint: Any) -> dict[str, Any]:
    return {SPREAD: [{**CONSTRAINT, **constraint}]}


EXPRESSION = f"{NODES}.nodeSelectorTerms[0].matchExpressions[0]"
FIELD = f"{NODES}.nodeSelectorTerms[0].matchFields[0]"
NEAR = f"{AFFINITY}.podAffinity.{REQUIRED}[0]"

LABELLED = {f"{spec(0)}.template.metadata": {"labels": {"a": "b"}}}
SELECTED_ONCE = {"matchLabelKeys": ["a"], "labelSelector": {"matchLabels": {"c": "d"}}}
SELECTED_TWICE = {"matchLabelKeys": ["a"], "labelSelector": {"matchLabels": {"a": "b"}}}
EXPRESSED_TWICE = {
    "matchLabelKeys": ["a"],
    "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
}
JOB_NAME = "batch.kubernetes.io/job-name"

CASES = [
    *(
        Case("K8S-22", f"{TOLERATIONS}[0].{name}", TORCH, {TOLERATIONS: [bad]}, {TOLERATIONS: [good]})
        for name, bad, good in (
            ("operator", {"key": "a", "operator": "Is"}, {"key": "a", "operator": "Equal"}),
            ("operator", {"value": "a"}, {"operator": "Exists"}),
            ("value", {"key": "a", "operator": "Exists", "value": "b"}, {"key": "a", "value": "b"}),
            ("value", {"key": "a", "value": "b c"}, {"key": "a", "value": ""}),
            ("key", {"key": "a b"}, {"key": "a/b"}),
            ("effect", {"key": "a", "effect": "Never"}, {"key": "a", "effect": "PreferNoSchedule"}),
            (
                "effect",
                {"key": "a", "effect": "NoSchedule", "tolerationSeconds": 0},
                {"key": "a", "effect": "NoExecute", "tolerationSeconds": 0},
            ),
        )
    ),
    Case(
        "K8S-22",
        f"{pod(0)}.nodeSelector[a b]",
        TORCH,
        {f"{pod(0)}.nodeSelector": {"a b": "c"}},
        {f"{pod(0)}.nodeSelector": {"a/b": "c"}},
    ),
    Case(
        "K8S-22",
        f"{NODES}.nodeSelectorTerms",
        TORCH,
        {NODES: {"nodeSelectorTerms": []}},
        {NODES: {"nodeSelectorTerms": [{}]}},
    ),
    *(
        Case("K8S-22", f"{EXPRESSION}.{name}", TORCH, nodes(**bad), nodes(**good))
        for name, bad, good in (
            ("operator", {"operator": "Is"}, {"operator": "NotIn"}),
            ("values", {"values": []}, {"operator": "Exists", "values": []}),
            ("values", {"operator": "Exists"}, {}),
            ("values", {"operator": "Gt", "values": ["1", "2"]}, {"operator": "Gt", "values": ["1"]}),
            ("key", {"key": "a b"}, {"key": "a"}),
            ("values[0]", {"values": ["a b"]}, {"values": [""]}),
        )
    ),
    *(
        Case("K8S-22", f"{FIELD}.{name}", TORCH, fields(**bad), fields())
        for name, bad in (
            ("operator", {"operator": "Exists"}),
            ("operator", {"values": ["a", "b"]}),
            ("key", {"key": "metadata.uid"}),
            ("values", {"values": ["A"]}),
        )
    ),
    Case(
        "K8S-22",
        f"{AFFINITY}.nodeAffinity.{PREFERRED}[0].weight",
        TORCH,
        {f"{AFFINITY}.nodeAffinity.{PREFERRED}": [{"weight": 0, "preference": {}}]},
        {
            f"{AFFINITY}.nodeAffinity.{PREFERRED}": [
                {"weight": 100, "preference": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b c"]}]}}
            ]
        },
    ),
    Case(
        "K8S-22",
        f"{AFFINITY}.podAntiAffinity.{PREFERRED}[0].weight",
        TORCH,
        {f"{AFFINITY}.podAntiAffinity.{PREFERRED}": [{"weight": 101, "podAffinityTerm": TERM}]},
        {f"{AFFINITY}.podAntiAffinity.{PREFERRED}": [{"weight": 1, "podAffinityTerm": TERM}]},
    ),
    *(
        Case("K8S-22", f"{NEAR}.{path}", TORCH, near(**bad), near(**good))
        for path, bad, good in (
            ("topologyKey", {"topologyKey": ""}, {"topologyKey": "zone"}),
            ("namespaces[0]", {"namespaces": ["A"]}, {"namespaces": ["a"]}),
            ("labelSelector.matchLabels[a]", {"labelSelector": {"matchLabels": {"a": "b c"}}}, {"labelSelector": {}}),
            (
                "namespaceSelector.matchExpressions[0].operator",
                {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Gt"}]}},
                {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}},
            ),
            (
                "labelSelector.matchExpressions[0].values",
                {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
                {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}},
            ),
            (
                "labelSelector.matchExpressions[0].key",
                {"labelSelector": {"matchExpressions": [{"key": "", "operator": "Exists"}]}},
                {},
            ),
            (
                "labelSelector.matchExpressions[0].values[0]",
                {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b c"]}]}},
                {},
            ),
            ("matchLabelKeys[0]", {"matchLabelKeys": ["a b"]}, {"matchLabelKeys": ["a"]}),
            (
                "matchLabelKeys",
                {"matchLabelKeys": ["c"], "mismatchLabelKeys": ["c"]},
                {"matchLabelKeys": ["c"], "mismatchLabelKeys": ["d"]},
            ),
        )
    ),
    Case(
        "K8S-22",
        f"{AFFINITY}.podAntiAffinity.{REQUIRED}[0].mismatchLabelKeys",
        TORCH,
        {f"{AFFINITY}.podAntiAffinity.{REQUIRED}": [{"topologyKey": "zone", "mismatchLabelKeys": ["a"]}]},
        {f"{AFFINITY}.podAntiAffinity.{REQUIRED}": [{"topologyKey": "zone"}]},
    ),
    *(
        Case("K8S-22", f"{SPREAD}[0].{name}", TORCH, spread(**bad), spread(**good))
        for name, bad, good in (
            ("maxSkew", {"maxSkew": 0}, {"maxSkew": 2}),
            ("topologyKey", {"topologyKey": ""}, {}),
            ("whenUnsatisfiable", {"whenUnsatisfiable": "Wait"}, {"whenUnsatisfiable": "ScheduleAnyway"}),
            ("minDomains", {"minDomains": 0}, {"minDomains": 1}),
            ("minDomains", {"minDomains": 1, "whenUnsatisfiable": "ScheduleAnyway"}, {}),
            ("nodeAffinityPolicy", {"nodeAffinityPolicy": "Yes"}, {"nodeAffinityPolicy": "Honor"}),
            ("nodeTaintsPolicy", {"nodeTaintsPolicy": ""}, {"nodeTaintsPolicy": "Ignore"}),
            ("labelSelector.matchLabels[a b]", {"labelSelector": {"matchLabels": {"a b": ""}}}, {"labelSelector": {}}),
            ("matchLabelKeys", {"matchLabelKeys": ["a"]}, {"matchLabelKeys": ["a"], "labelSelector": {}}),
        )
    ),
    *(
        Case("K8S-22", f"{place}.matchLabelKeys[0]", TORCH, LABELLED | wrong, LABELLED | right)
        for place, wrong, right in (
            (f"{SPREAD}[0]", spread(**SELECTED_TWICE), spread(**SELECTED_ONCE)),
            (f"{SPREAD}[0]", spread(**EXPRESSED_TWICE), spread(**SELECTED_ONCE)),
            (NEAR, near(**SELECTED_TWICE), near(**SELECTED_ONCE)),
        )
    ),
    Case(
        "K8S-22",
        f"{SPREAD}[0].matchLabelKeys[0]",
        TORCH,
        spread(matchLabelKeys=[JOB_NAME], labelSelector={"matchLabels": {JOB_NAME: "b"}}),
        spread(matchLabelKeys=[JOB_NAME], labelSelector={"matchLabels": {"a": "b"}}),
    ),
    warns("K8S-22", f"{SPREAD}[0].matchLabelKeys[0]", TORCH, spread(**SELECTED_TWICE), spread(**SELECTED_ONCE)),
    Case(
        "K8S-22",
        f"{AFFINITY}.nodeAffinity.{PREFERRED}[0].preference.matchExpressions[0].operator",
        TORCH,
        {f"{AFFINITY}.nodeAffinity.{PREFERRED}": [{"weight": 1, "preference": {"matchExpressions": [EQUALS]}}]},
        {f"{AFFINITY}.nodeAffinity.{PREFERRED}": [{"weight": 1, "preference": {"matchExpressions": [EXISTS]}}]},
    ),
    Case(
        "K8S-22",
        f"{AFFINITY}.podAffinity.{PREFERRED}[0].podAffinityTerm.topologyKey",
        TORCH,
        {f"{AFFINITY}.podAffinity.{PREFERRED}": [{"weight": 1, "podAffinityTerm": {**TERM, "topologyKey": ""}}]},
        {f"{AFFINITY}.podAffinity.{PREFERRED}": [{"weight": 1, "podAffinityTerm": TERM}]},
    ),
]

"""What Kubernetes refuses in Jobs."""

from typing import Any

from tests.unit.runtimes.rules.samples import HELPED, TORCH, Case, a_container, changed, container, pod, spec, warns

SUCCESS = f"{spec(0)}.successPolicy"


def succeeding(**rule: Any) -> dict[str, Any]:
    return {SUCCESS: {"rules": [rule]}, f"{spec(0)}.parallelism": 4}


LABELLED = changed(TORCH, {f"{spec(0)}.template.metadata.labels": {"a": "b"}})

CASES = [
    *(
        Case(
            "K8S-10",
            f"{pod(0)}.restartPolicy",
            TORCH,
            {f"{pod(0)}.restartPolicy": value},
            {f"{pod(0)}.restartPolicy": "Never"},
        )
        for value in ("Always", "never")
    ),
    *(
        Case("K8S-13", f"{spec(0)}.{name}", HELPED, {f"{spec(0)}.{name}": -1, **more}, {f"{spec(0)}.{name}": 1, **more})
        for name, more in (
            ("parallelism", {}),
            ("completions", {}),
            ("backoffLimit", {}),
            ("activeDeadlineSeconds", {}),
            ("ttlSecondsAfterFinished", {}),
            ("backoffLimitPerIndex", {}),
            ("maxFailedIndexes", {f"{spec(0)}.backoffLimitPerIndex": 1}),
        )
    ),
    Case("K8S-14", f"{spec(0)}.completionMode", HELPED, {f"{spec(0)}.completionMode": "Sequential"}, {}),
    *(
        Case(
            "K8S-14",
            f"{spec(0)}.{name}",
            HELPED,
            {f"{spec(0)}.completionMode": "NonIndexed", f"{spec(0)}.{name}": value},
            {f"{spec(0)}.{name}": value, f"{spec(0)}.backoffLimitPerIndex": 1},
        )
        for name, value in (
            ("backoffLimitPerIndex", 1),
            ("maxFailedIndexes", 1),
            ("successPolicy", {"rules": [{"succeededCount": 1}]}),
        )
    ),
    Case("K8S-14", f"{SUCCESS}.rules", HELPED, {SUCCESS: {"rules": []}}, succeeding(succeededCount=4)),
    Case(
        "K8S-14",
        f"{SUCCESS}.rules",
        HELPED,
        {SUCCESS: {"rules": [{"succeededCount": 1}] * 21}},
        {SUCCESS: {"rules": [{"succeededCount": 1}] * 20}},
    ),
    Case("K8S-14", f"{SUCCESS}.rules[0]", HELPED, succeeding(), succeeding(succeededIndexes="")),
    *(
        Case(
            "K8S-14",
            f"{SUCCESS}.rules[0].succeededIndexes",
            HELPED,
            succeeding(succeededIndexes=bad),
            succeeding(succeededIndexes=good),
        )
        for bad, good in (
            ("4", "3"),
            ("1-4", "1-3"),
            ("2,1", "1,2"),
            ("1-1", "1"),
            ("a", "0"),
            ("1-2-3", "1-2,3"),
            ("0,0-1", "0,1-2"),
        )
    ),
    Case(
        "K8S-14",
        f"{SUCCESS}.rules[0].succeededCount",
        HELPED,
        succeeding(succeededIndexes="0,2-3", succeededCount=4),
        succeeding(succeededIndexes="0,2-3", succeededCount=3),
    ),
    Case(
        "K8S-14",
        f"{SUCCESS}.rules[0].succeededCount",
        HELPED,
        succeeding(succeededCount=5),
        succeeding(succeededCount=0),
    ),
    Case(
        "K8S-15",
        f"{spec(0)}.maxFailedIndexes",
        TORCH,
        {f"{spec(0)}.maxFailedIndexes": 1},
        {f"{spec(0)}.maxFailedIndexes": 1, f"{spec(0)}.backoffLimitPerIndex": 0},
    ),
    Case(
        "K8S-15",
        f"{spec(0)}.maxFailedIndexes",
        TORCH,
        {f"{spec(0)}.maxFailedIndexes": 9, f"{spec(0)}.backoffLimitPerIndex": 1},
        {f"{spec(0)}.maxFailedIndexes": 9, f"{spec(0)}.backoffLimitPerIndex": 1, "spec.mlPolicy.numNodes": 9},
    ),
    Case(
        "K8S-16",
        f"{spec(0)}.parallelism",
        HELPED,
        {f"{spec(0)}.parallelism": 100_001},
        {f"{spec(0)}.parallelism": 100_001, f"{spec(0)}.completionMode": "NonIndexed"},
    ),
    warns(
        "K8S-16",
        "spec.mlPolicy.numNodes",
        TORCH,
        {"spec.mlPolicy.numNodes": 100_001},
        {"spec.mlPolicy.numNodes": 100_000},
    ),
    Case(
        "K8S-17",
        f"{spec(0)}.selector",
        TORCH,
        {f"{spec(0)}.selector": {"matchLabels": {"a": "b"}}},
        {
            f"{spec(0)}.selector": {"matchLabels": {"a": "b"}},
            f"{spec(0)}.manualSelector": True,
            f"{spec(0)}.template.metadata.labels": {"a": "b", "c": "d"},
        },
    ),
    Case(
        "K8S-17",
        f"{spec(0)}.selector",
        TORCH,
        {f"{spec(0)}.manualSelector": True},
        {f"{spec(0)}.manualSelector": False},
    ),
    Case(
        "K8S-17",
        f"{spec(0)}.selector",
        TORCH,
        {f"{spec(0)}.selector": {"matchLabels": {"a": "b"}}, f"{spec(0)}.manualSelector": True},
        {},
    ),
    *(
        Case(
            "K8S-17",
            f"{spec(0)}.selector",
            TORCH,
            {f"{spec(0)}.manualSelector": True, f"{spec(0)}.selector": {"matchExpressions": [{"key": "a", **wrong}]}},
            {
                f"{spec(0)}.manualSelector": True,
                f"{spec(0)}.selector": {"matchExpressions": [{"key": "a", **wrong}]},
                f"{spec(0)}.template.metadata.labels": {"a": "b"},
            },
        )
        for wrong in ({"operator": "Exists"}, {"operator": "In", "values": ["b", "c"]})
    ),
    *(
        Case(
            "K8S-17",
            f"{spec(0)}.selector",
            LABELLED,
            {f"{spec(0)}.manualSelector": True, f"{spec(0)}.selector": {"matchExpressions": [{"key": "a", **wrong}]}},
            {f"{spec(0)}.manualSelector": True, f"{spec(0)}.selector": {"matchExpressions": [{"key": "c", **wrong}]}},
        )
        for wrong in ({"operator": "DoesNotExist"}, {"operator": "NotIn", "values": ["b"]})
    ),
    Case(
        "K8S-22",
        f"{spec(0)}.managedBy",
        TORCH,
        {f"{spec(0)}.managedBy": "someone"},
        {f"{spec(0)}.managedBy": "kubernetes.io/job-controller"},
    ),
    Case(
        "K8S-03",
        f"{pod(0)}.containers",
        HELPED,
        {f"{pod(0)}.containers": []},
        {f"{pod(0)}.containers": [a_container()]},
    ),
    Case("K8S-03", f"{spec(0)[:-5]}", HELPED, {f"{spec(0)[:-5]}": {}}, {}),
    Case("K8S-03", f"{spec(0)[:-5]}", HELPED, {f"{spec(0)}.template": {}}, {}),
    Case("K8S-01", f"{container(0)}.image", HELPED, {f"{container(0)}.image": None}, {}),
    *(
        Case(
            "K8S-17",
            f"{spec(1)}.template.metadata.labels[{key}]",
            HELPED,
            {f"{spec(1)}.template.metadata.labels": {key: "a"}},
            {
                f"{spec(1)}.template.metadata.labels": {key: "a"},
                f"{spec(1)}.manualSelector": True,
                f"{spec(1)}.selector": {"matchLabels": {key: "a"}},
            },
        )
        for key in (
            "job-name",
            "controller-uid",
            "batch.kubernetes.io/job-name",
            "batch.kubernetes.io/controller-uid",
        )
    ),
    Case(
        "RUN-16",
        f"{spec(0)}.activeDeadlineSeconds",
        HELPED,
        {f"{spec(0)}.activeDeadlineSeconds": 0},
        {f"{spec(0)}.activeDeadlineSeconds": 1},
    ),
]

"""Labels that selectors and variables refer to."""

from typing import Any

from tests.unit.runtimes.rules.samples import (
    ANCESTOR,
    HELPED,
    JOBSET,
    TORCH,
    a_container,
    changed,
    container,
    job,
    pod,
    spec,
    warns,
)

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"
JOBSET_NAME = "jobset.sigs.k8s.io/jobset-name"
HOSTNAME = "kubernetes.io/hostname"
FIELD = f"{container(0)}.env[0].valueFrom.fieldRef.fieldPath"


def apart(selector: Any, kind: str = "podAntiAffinity") -> dict[str, Any]:
    return {f"{pod(0)}.affinity": {kind: {REQUIRED: [{"labelSelector": selector, "topologyKey": HOSTNAME}]}}}


def gladly_apart(selector: Any) -> dict[str, Any]:
    term = {"labelSelector": selector, "topologyKey": HOSTNAME}
    return {f"{pod(0)}.affinity": {"podAntiAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": term}]}}}


def spread(selector: Any) -> dict[str, Any]:
    constraint = {"maxSkew": 1, "topologyKey": HOSTNAME, "whenUnsatisfiable": "DoNotSchedule"}
    return {f"{pod(0)}.topologySpreadConstraints": [{**constraint, "labelSelector": selector}]}


def reads(field: str) -> dict[str, Any]:
    return {f"{container(0)}.env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": field}}}]}


def reads_from_volume(field: str) -> dict[str, Any]:
    items = [{"path": "a", "fieldRef": {"fieldPath": field}}]
    return {f"{pod(0)}.volumes": [{"name": "self", "downwardAPI": {"items": items}}]}


TEAM = changed(TORCH, {f"{job(0)}.template.metadata.labels": {ANCESTOR: "trainer", "team": "vision"}})
"""A label of the Job, which its pods don't have."""

ON_PODS = {f"{spec(0)}.template.metadata.labels": {"team": "vision"}}
STEP = {"matchLabels": {ANCESTOR: "trainer"}}
SELECTOR = f"{REQUIRED}[0].labelSelector"

CASES = [
    warns(
        "SIL-39",
        f"{pod(0)}.affinity.podAntiAffinity.{SELECTOR}.matchLabels[{ANCESTOR}]",
        TORCH,
        apart(STEP),
        apart({"matchLabels": {REPLICATED_JOB: "node"}}),
    ),
    warns(
        "SIL-39",
        f"{pod(0)}.affinity.podAffinity.{SELECTOR}.matchLabels[team]",
        TEAM,
        apart({"matchLabels": {"team": "vision"}}, "podAffinity"),
        {**apart({"matchLabels": {"team": "vision"}}, "podAffinity"), **ON_PODS},
    ),
    warns(
        "SIL-39",
        f"{pod(0)}.affinity.podAntiAffinity.{PREFERRED}[0].podAffinityTerm.labelSelector.matchExpressions[0].key",
        TORCH,
        gladly_apart({"matchExpressions": [{"key": ANCESTOR, "operator": "Exists"}]}),
        gladly_apart({"matchExpressions": [{"key": ANCESTOR, "operator": "DoesNotExist"}]}),
    ),
    warns(
        "SIL-39",
        f"{pod(0)}.topologySpreadConstraints[0].labelSelector.matchLabels[team]",
        TEAM,
        spread({"matchLabels": {"team": "vision"}}),
        {**spread({"matchLabels": {"team": "vision"}}), **ON_PODS},
    ),
    warns(
        "SIL-39",
        f"{pod(0)}.topologySpreadConstraints[0].labelSelector.matchLabels[{REPLICATED_JOB}]",
        HELPED,
        spread({"matchLabels": {REPLICATED_JOB: "worker"}}),
        spread({"matchLabels": {REPLICATED_JOB: "node"}}),
    ),
    warns(
        "SIL-39",
        f"{pod(0)}.affinity.podAntiAffinity.{SELECTOR}.matchLabels[jobset.sigs.k8s.io/coordinator]",
        TORCH,
        apart({"matchLabels": {"jobset.sigs.k8s.io/coordinator": "a"}}),
        {
            **apart({"matchLabels": {"jobset.sigs.k8s.io/coordinator": "a"}}),
            f"{JOBSET}.coordinator": {"replicatedJob": "node", "jobIndex": 0, "podIndex": 0},
        },
    ),
    warns(
        "SIL-39",
        FIELD,
        TORCH,
        reads("metadata.labels['trainer.kubeflow.org/trainjob-name']"),
        reads(f"metadata.labels['{JOBSET_NAME}']"),
    ),
    warns(
        "SIL-39",
        FIELD,
        TORCH,
        reads("metadata.annotations['trainer.kubeflow.org/master-addr']"),
        reads("metadata.annotations['batch.kubernetes.io/job-completion-index']"),
    ),
    warns(
        "SIL-39",
        FIELD,
        TEAM,
        reads("metadata.labels['team']"),
        {**reads("metadata.labels['team']"), **ON_PODS},
    ),
    warns(
        "SIL-39",
        f"{pod(0)}.volumes[0].downwardAPI.items[0].fieldRef.fieldPath",
        TEAM,
        reads_from_volume("metadata.labels['team']"),
        reads_from_volume("metadata.labels['topology.kubernetes.io/zone']"),
    ),
    warns(
        "SIL-39",
        f"{pod(0)}.affinity.podAntiAffinity.{SELECTOR}.matchLabels[{ANCESTOR}]",
        TORCH,
        apart(STEP),
        apart({"matchLabels": {"app": "database"}}),
    ),
    warns(
        "SIL-39",
        f"{pod(0)}.initContainers[0].env[0].valueFrom.fieldRef.fieldPath",
        TORCH,
        {
            f"{pod(0)}.initContainers": [
                a_container(
                    "init",
                    env=[
                        {
                            "name": "A",
                            "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['jobset.sigs.k8s.io/name']"}},
                        }
                    ],
                )
            ]
        },
        {},
    ),
]

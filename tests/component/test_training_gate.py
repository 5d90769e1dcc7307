"""The gate of a stack: where it is, what it checks, and when it changes."""

from typing import Any

import pytest

from .stack_deployment import TYPES, deployed

GATE = f"{TYPES}:TrainingGate$kubernetes:core/v1:ConfigMap::platform-gate"


def test_gate_is_in_the_namespace_of_the_last_operator_and_has_hooks() -> None:
    for without, namespace in (
        ([], "kubeflow-system"),
        (["jobset"], "kubeflow-system"),
        (["trainer", "runtimes"], "jobset-system"),
    ):
        gate = deployed(*without).registered[GATE]
        metadata = gate.inputs["metadata"]
        assert (metadata["name"], metadata["namespace"]) == ("training-platform", namespace)
        assert metadata["annotations"]["training-platform/stack"] == "training-platform/test"
        assert gate.hooks == {
            "before_create": ["platform-gate:own", "platform-gate:check-admission"],
            "before_update": [
                "platform-gate:own",
                "platform-gate:check-operator-removal",
                "platform-gate:check-admission",
            ],
            "before_delete": ["platform-gate:own", "platform-gate:check-destroy"],
        }


def test_a_stack_without_operators_has_no_gate() -> None:
    assert GATE not in deployed("jobset", "trainer").registered


@pytest.mark.parametrize(
    "change",
    [
        {"jobset": {"replicas": 2}},
        {"trainer": {"priorityClass": "system-cluster-critical"}},
        {"trainer": {"chart": "oci://m.example.com/kubeflow-trainer"}},
        {"runtimes": {"mine": {"framework": "mlx", "nodePool": "old", "nodes": 2}}},
    ],
)
def test_gate_changes_if_operators_or_runtimes_change(change: dict[str, Any]) -> None:
    before, after = (monitor.registered[GATE].inputs for monitor in (deployed(), deployed(**change)))
    mark = "training-platform/fingerprint"
    assert before["metadata"]["annotations"].pop(mark) != after["metadata"]["annotations"].pop(mark)
    # Another content would be another ConfigMap, and the old one removed, which unfinished TrainJobs forbid.
    assert before == after


def test_gate_does_not_change_for_irrelevant_settings() -> None:
    change: dict[str, Any] = {
        "jobset": {"readyTimeoutSeconds": 5, "interruptTrainJobs": True},
        "trainer": {"destroyCrds": True},
    }
    assert deployed().registered[GATE].inputs == deployed(**change).registered[GATE].inputs

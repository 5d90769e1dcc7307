"""What a schema error hides is checked too."""

from typing import Any

import pytest

from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError

MPI: dict[str, Any] = {"mpiImplementation": "OpenMPI", "sshAuthMountPath": "/home/mpiuser/.ssh"}


def manifest(policy: Any, node: dict[str, Any], job: dict[str, Any] | None = None) -> dict[str, Any]:
    pod = {"spec": {"containers": [{"name": "node", "image": "a:1"} | node]}}
    labels = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    template = {"metadata": {"labels": labels}, "spec": {"template": pod}}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "a", "labels": {"trainer.kubeflow.org/framework": "torch"}},
        "spec": {
            "mlPolicy": policy,
            "template": {"spec": {"replicatedJobs": [{"name": "node", "template": template} | (job or {})]}},
        },
    }


def found(wrong: dict[str, Any]) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRuntimeError) as caught:
        ClusterTrainingRuntime.from_manifest(wrong)
    return [(each.rule, each.path.rpartition(".")[2]) for each in caught.value.violations]


TORCH = {"numNodes": 1, "torch": {}}


@pytest.mark.parametrize(
    ("wrong", "rules"),
    [
        # The number is read as it was meant, and too large.
        (manifest({"numNodes": "0", "torch": {}}, {}), [("CTR-34", "numNodes"), ("SIL-19", "numNodes")]),
        (
            manifest(TORCH, {"image": 5, "imagePullPolicy": "always"}),
            [("CTR-34", "image"), ("K8S-22", "imagePullPolicy")],
        ),
        (manifest(TORCH, {"tty": "true", "imagePullPolicy": "x"}), [("CTR-34", "tty"), ("K8S-22", "imagePullPolicy")]),
        # A misspelled field is read as the nearest one, if that is not there as well.
        (manifest(TORCH, {"imgae": " b"}), [("CTR-36", "imgae")]),
        # What cannot be read is left out, and what is found around it is not told.
        (manifest(TORCH, {"image": ["a"]}), [("CTR-34", "image")]),
        (manifest(TORCH, {"env": {"A": 1}}, {"replicas": 3}), [("CTR-34", "env"), ("WHR-01", "replicas")]),
        (manifest("torch", {}), [("CTR-34", "mlPolicy")]),
        (manifest(TORCH, {"resources": {"limits": {"nvidia.com/gpu": 0.5}}}), [("CTR-32", "com/gpu]")]),
    ],
)
def test_rule_violations_are_reported_with_schema_errors(wrong: dict[str, Any], rules: list[tuple[str, str]]) -> None:
    assert found(wrong) == rules


def test_an_item_of_a_list_is_left_out_with_the_list_and_the_rest_is_checked() -> None:
    """Without the first container the second one would have its index."""
    two = manifest({"numNodes": 0, "torch": {}}, {})
    pod = two["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["containers"].insert(0, {"image": "b:1"})
    pod["containers"].append({"name": "third", "image": " c"})
    assert found(two) == [("CTR-19", "name"), ("SIL-19", "numNodes")]

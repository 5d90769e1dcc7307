"""Changed copies: another object, checked, the original untouched."""

from typing import Any

import pytest

from components.k8s.containers import Container
from components.k8s.env import EnvVar
from components.k8s.invalid import InvalidRuntimeError
from components.k8s.metadata import ObjectMeta
from components.runtimes.catalog import deepspeed, torch
from components.runtimes.editing import evolve, with_container, with_pod
from components.runtimes.jobset import Network
from components.runtimes.topology import INITIALIZERS

NODE = "spec.template.spec.replicatedJobs[0].template.spec.template.spec"


def pods(manifest: dict[str, Any]) -> dict[str, dict[str, Any]]:
    jobs = manifest["spec"]["template"]["spec"]["replicatedJobs"]
    return {job["name"]: job["template"]["spec"]["template"]["spec"] for job in jobs}


def test_evolve_changes_only_the_named_fields() -> None:
    network = Network(subdomain="old", enable_dns_hostnames=True)

    assert evolve(network, subdomain="new") == Network(subdomain="new", enable_dns_hostnames=True)
    assert network == Network(subdomain="old", enable_dns_hostnames=True)


def test_evolve_computes_a_field_from_its_value_or_removes_it() -> None:
    network = Network(subdomain="old")

    assert evolve(network, subdomain=lambda name: f"{name}er") == Network(subdomain="older")
    assert evolve(network, enable_dns_hostnames=lambda absent: absent is None) == Network(
        subdomain="old", enable_dns_hostnames=True
    )
    assert evolve(network, subdomain=None).model_dump(exclude_none=True) == {}


def test_with_pod_changes_all_pods_or_those_of_the_named_jobs() -> None:
    runtime = deepspeed()
    before = runtime.to_manifest()

    everywhere = pods(with_pod(runtime, priority_class_name="urgent").to_manifest())
    launcher = pods(with_pod(runtime, "launcher", priority_class_name="urgent").to_manifest())

    assert [pod["priorityClassName"] for pod in everywhere.values()] == ["urgent", "urgent"]
    assert launcher["launcher"]["priorityClassName"] == "urgent"
    assert launcher["node"] == pods(before)["node"]
    assert runtime.to_manifest() == before


def test_with_container_changes_the_training_container_by_default() -> None:
    runtime = deepspeed()
    before = runtime.to_manifest()
    added = EnvVar(name="A", value="1")

    changed = pods(with_container(runtime, "launcher", env=lambda env: (*(env or ()), added)).to_manifest())

    assert changed["launcher"]["containers"][0]["env"] == [{"name": "A", "value": "1"}]
    assert changed["node"] == pods(before)["node"]
    assert runtime.to_manifest() == before


def test_with_container_keeps_the_other_containers_of_the_pod() -> None:
    sidecar = Container(name="sidecar", image="registry.example.com/sidecar:1")
    runtime = with_pod(torch(), containers=lambda containers: (*containers, sidecar))

    changed = pods(with_container(runtime, container="sidecar", image="registry.example.com/sidecar:2").to_manifest())

    (node,) = pods(torch().to_manifest())["node"]["containers"]
    assert changed["node"]["containers"] == [node, {"name": "sidecar", "image": "registry.example.com/sidecar:2"}]


def test_a_copy_is_checked_like_any_runtime() -> None:
    with pytest.raises(InvalidRuntimeError) as raised:
        with_pod(torch(), priority_clas_name="urgent", node_selector={"a": 1})

    assert [(found.rule, found.path) for found in raised.value.violations] == [
        ("CTR-34", f"{NODE}.nodeSelector[a]"),
        ("CTR-36", f"{NODE}.priority_clas_name"),
    ]


def test_message_about_an_unknown_job_or_container_lists_the_known_ones() -> None:
    with pytest.raises(InvalidRuntimeError) as no_job:
        with_pod(torch(), "nodes", *INITIALIZERS)
    with pytest.raises(InvalidRuntimeError) as no_container:
        with_container(torch(), container="trainer", image="registry.example.com/train:1")

    assert [(found.rule, found.message, found.fix) for found in no_job.value.violations] == [
        ("CPY-01", "There is no replicated job 'nodes'.", "Name one of node."),
        ("CPY-01", "There is no replicated job 'dataset-initializer'.", "Name one of node."),
        ("CPY-01", "There is no replicated job 'model-initializer'.", "Name one of node."),
    ]
    assert [(found.rule, found.message, found.fix) for found in no_container.value.violations] == [
        ("CPY-02", "There is no container 'trainer' in any job.", "Name one of node.")
    ]


def test_model_copy_is_checked_again() -> None:
    runtime = deepspeed()
    assert runtime.check() == ()
    copied = runtime.model_copy(update={"metadata": ObjectMeta(name="Not A Name")})
    assert "metadata.name" in [found.path for found in copied.check()]

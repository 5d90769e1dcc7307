"""What is measured: stacks for our program, and bare programs that register the same resources."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bench.workspaces import Checkout
from tools.local_cluster.cluster import CONTEXT

BARE = Path(__file__).with_name("baseline_program.py")

FRAMEWORKS = ("deepspeed", "mlx", "torch")
CHART, RELEASE = "kubernetes:helm.sh/v4:Chart", "kubernetes:helm.sh/v3:Release"
NAMESPACE, CONFIG_MAP = "kubernetes:core/v1:Namespace", "kubernetes:core/v1:ConfigMap"
LAYERS: tuple[tuple[str, str | None], ...] = (
    ("kubernetes:core/v1:Node", None),
    (NAMESPACE, "platform-jobset"),
    (CHART, "platform-jobset"),
    (NAMESPACE, "platform-trainer"),
    (CHART, "platform-trainer"),
    ("kubernetes:trainer.kubeflow.org/v1alpha1:ClusterTrainingRuntime", None),
    (CONFIG_MAP, None),
)
"""The order in which resources are created, by type and, where it matters, name. It is our program's order: Trainer
needs the CRDs of JobSet "in advance" (Trainer 2.0.0 and 2.3.0, pkg/runtime/framework/plugins/jobset/jobset.go)."""

TYPED = {
    CHART: ("chart", "version", "name", "namespace", "values"),
    NAMESPACE: ("metadata",),
    CONFIG_MAP: ("metadata", "data"),
}
"""Inputs that are passed to the classes of these types. Other types get all their inputs."""


def runtimes(count: int) -> dict[str, Any]:
    """A section with that many runtimes and typical settings."""
    return {
        f"runtime-{number}": {
            "framework": FRAMEWORKS[number % len(FRAMEWORKS)],
            "nodes": 2 + number % 8,
            "gpusPerNode": 8,
            "sharedMemory": "64Gi",
            "env": {"NCCL_DEBUG": "INFO", "RUN": str(number)},
        }
        for number in range(count)
    }


def pools(count: int, gpus: int) -> dict[str, Any]:
    """A section with that many GPU node pools of two nodes each. Another number of GPUs updates them in place."""
    return {f"pool-{number}": {"provider": "simulated", "nodes": 2, "gpusPerNode": gpus} for number in range(count)}


def stack(cluster: Checkout, **sections: Any) -> dict[str, Any]:
    """The sections of a stack on that cluster."""
    return {"cluster": {"kubeconfig": str(cluster.kubeconfig), "context": CONTEXT}, **sections}


def platform(cluster: Checkout) -> dict[str, Any]:
    """The sections of the local stack: nodes, operators, runtimes."""
    sections = cluster.sections("local")
    for operator in ("jobset", "trainer"):
        sections[operator]["chart"] = str(cluster.folder / sections[operator]["chart"])
    return stack(cluster, **{name: value for name, value in sections.items() if name != "cluster"})


def bare(cluster: Checkout, registered: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The registered resources as dictionaries for the bare program, without components."""
    made = [*registered]
    layers = [
        [_resource(each) for each in made if each["type"] == type_ and name in (None, each["name"])]
        for type_, name in LAYERS
    ]
    provider = {"kubeconfig": str(cluster.kubeconfig), "context": CONTEXT}
    return {"provider": provider, "layers": [layer for layer in layers if layer]}


def operators_in_parallel(resources: Mapping[str, Any]) -> dict[str, Any]:
    """The same resources, without an order between JobSet and Trainer."""
    layers: dict[str, list[dict[str, Any]]] = {}
    for each in (resource for layer in resources["layers"] for resource in layer):
        layers.setdefault(each["type"], []).append(each)
    return {**resources, "layers": [*layers.values()]}


def as_helm_releases(resources: Mapping[str, Any]) -> dict[str, Any]:
    """The same resources, with Helm releases instead of charts."""

    def release(each: dict[str, Any]) -> dict[str, Any]:
        return {**each, "type": RELEASE} if each["type"] == CHART else each

    return {**resources, "layers": [[*map(release, layer)] for layer in resources["layers"]]}


def without_crds(resources: Mapping[str, Any]) -> dict[str, Any]:
    """The same resources, with charts that skip their CRDs."""

    def apart(each: dict[str, Any]) -> dict[str, Any]:
        return {**each, "inputs": {**each["inputs"], "skip_crds": True}} if each["type"] == CHART else each

    return {**resources, "layers": [[*map(apart, layer)] for layer in resources["layers"]]}


def _resource(registered: Mapping[str, Any]) -> dict[str, Any]:
    inputs: Mapping[str, Any] = registered["inputs"]
    given = {name: inputs[name] for name in TYPED.get(registered["type"], inputs) if name in inputs}
    return {"type": registered["type"], "name": registered["name"], "inputs": given}

"""What is measured: stacks of ours, and the bare programs that register the same resources."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bench.workspaces import Checkout
from tools.local_cluster.cluster import CONTEXT

BARE = Path(__file__).with_name("bare.py")

FRAMEWORKS = ("deepspeed", "mlx", "torch")
CHART, RELEASE = "kubernetes:helm.sh/v4:Chart", "kubernetes:helm.sh/v3:Release"
NAMESPACE, CONFIG_MAP = "kubernetes:core/v1:Namespace", "kubernetes:core/v1:ConfigMap"
LAYERS: tuple[tuple[str, str | None], ...] = (
    ("kubernetes:core/v1:Node", None),
    (NAMESPACE, "jobset"),
    (CHART, "jobset"),
    (NAMESPACE, "trainer"),
    (CHART, "trainer"),
    ("kubernetes:trainer.kubeflow.org/v1alpha1:ClusterTrainingRuntime", None),
    (CONFIG_MAP, None),
)
"""The order in which things are made, by type and, where it matters, name. It is that of ours: Trainer wants the CRDs
of JobSet "in advance" (Trainer 2.0.0 and 2.3.0, pkg/runtime/framework/plugins/jobset/jobset.go)."""

TYPED = {
    CHART: ("chart", "version", "name", "namespace", "values"),
    NAMESPACE: ("metadata",),
    CONFIG_MAP: ("metadata", "data"),
}
"""What is given to the classes of these; the others are given as they are."""


def runtimes(count: int) -> dict[str, Any]:
    """The section for that many runtimes, with settings as people give them."""
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
    """The section for that many GPU node pools of two nodes each; another number of GPUs changes them in place."""
    return {f"pool-{number}": {"provider": "simulated", "nodes": 2, "gpusPerNode": gpus} for number in range(count)}


def stack(cluster: Checkout, **sections: Any) -> dict[str, Any]:
    """Sections of a stack on that cluster."""
    return {"cluster": {"kubeconfig": str(cluster.kubeconfig), "context": CONTEXT}, **sections}


def platform(cluster: Checkout) -> dict[str, Any]:
    """The local stack's sections: nodes, operators, runtimes."""
    sections = cluster.sections("local")
    for operator in ("jobset", "trainer"):
        sections[operator]["chart"] = str(cluster.folder / sections[operator]["chart"])
    return stack(cluster, **{name: value for name, value in sections.items() if name != "cluster"})


def bare(cluster: Checkout, registered: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The same resources as dictionaries, for the bare program: components left out."""
    made = [*registered]
    layers = [
        [_resource(each) for each in made if each["type"] == type_ and name in (None, each["name"])]
        for type_, name in LAYERS
    ]
    provider = {"kubeconfig": str(cluster.kubeconfig), "context": CONTEXT}
    return {"provider": provider, "layers": [layer for layer in layers if layer]}


def operators_in_parallel(resources: Mapping[str, Any]) -> dict[str, Any]:
    """The same, with nothing between JobSet and Trainer: both operators at the same time."""
    layers: dict[str, list[dict[str, Any]]] = {}
    for each in (resource for layer in resources["layers"] for resource in layer):
        layers.setdefault(each["type"], []).append(each)
    return {**resources, "layers": [*layers.values()]}


def as_helm_releases(resources: Mapping[str, Any]) -> dict[str, Any]:
    """The same, with Helm releases for the charts."""

    def release(each: dict[str, Any]) -> dict[str, Any]:
        return {**each, "type": RELEASE} if each["type"] == CHART else each

    return {**resources, "layers": [[*map(release, layer)] for layer in resources["layers"]]}


def without_crds(resources: Mapping[str, Any]) -> dict[str, Any]:
    """The same, with charts whose CRDs are left to someone else."""

    def apart(each: dict[str, Any]) -> dict[str, Any]:
        return {**each, "inputs": {**each["inputs"], "skip_crds": True}} if each["type"] == CHART else each

    return {**resources, "layers": [[*map(apart, layer)] for layer in resources["layers"]]}


def _resource(registered: Mapping[str, Any]) -> dict[str, Any]:
    inputs: Mapping[str, Any] = registered["inputs"]
    given = {name: inputs[name] for name in TYPED.get(registered["type"], inputs) if name in inputs}
    return {"type": registered["type"], "name": registered["name"], "inputs": given}

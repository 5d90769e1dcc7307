"""Before an operator's namespace goes: whose it is, what is in it, whether CRDs go."""

from typing import Any

import pulumi
import pytest

from components.cluster.hook_error import PreflightError
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.discovery import CRDS
from components.operators.namespace_removal import leave_namespace

from ..fake_cluster import Cluster, thing
from .cluster_objects import OURS, SAME_NAME, stack_context

NAMESPACE = "/api/v1/namespaces/kubeflow-system"
CREATED, FOUND = (OURS | {"training-platform/namespace": origin} for origin in ("created", "found"))
SECRET = {f"{NAMESPACE}/secrets/keys": thing("keys", "kubeflow-system")}
CRD_OBJECTS = {f"{CRDS}/{name}": thing(name) for name in KubeflowTrainerSpec.facts.crds}
GIVEN_UP = KubeflowTrainerSpec(destroy_crds=True)


def left(
    there: dict[str, Any],
    spec: KubeflowTrainerSpec | None = GIVEN_UP,
    annotations: Any = CREATED,
    replaced: bool = False,
) -> list[str]:
    """What is there when the namespace may go."""
    cluster = Cluster({NAMESPACE: thing("kubeflow-system", annotations=annotations)} | there)
    stack = stack_context(cluster)
    if replaced:
        stack.run.created.add("namespace:trainer")
    inputs = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kubeflow-system"}}
    inputs["metadata"]["annotations"] = annotations  # type: ignore[index]
    args = pulumi.ResourceHookArgs("urn", "id", "trainer", "type", old_inputs=inputs)
    try:
        leave_namespace("trainer", spec, stack, args)
    finally:
        assert NAMESPACE in cluster.objects, "the engine deletes it"
    return [path.rpartition("/")[2] for path in cluster.objects if path != NAMESPACE]


def test_crds_are_deleted_only_with_destroy_crds() -> None:
    assert left(CRD_OBJECTS) == []
    assert left(CRD_OBJECTS, KubeflowTrainerSpec()) == [*KubeflowTrainerSpec.facts.crds]


def test_crds_are_kept_when_the_section_is_removed_or_the_namespace_is_replaced() -> None:
    assert left(CRD_OBJECTS, None) == [*KubeflowTrainerSpec.facts.crds]
    assert left(CRD_OBJECTS, replaced=True) == [*KubeflowTrainerSpec.facts.crds]


def test_objects_created_in_the_namespace_meanwhile_stop_its_deletion() -> None:
    with pytest.raises(PreflightError, match="OPR-16"):
        left(SECRET | CRD_OBJECTS)


def test_kept_namespace_is_not_checked() -> None:
    assert left(SECRET | CRD_OBJECTS, annotations=FOUND) == ["keys"]
    # A destroy right after the settings were changed: the cluster does not say it yet.
    assert left(SECRET, KubeflowTrainerSpec(keep_namespace=True)) == ["keys"]
    with pytest.raises(PreflightError, match="OPR-16"):
        left(SECRET, KubeflowTrainerSpec(keep_namespace=True, namespace="renamed"))


def test_namespace_with_another_owner_by_now_is_not_deleted() -> None:
    with pytest.raises(PreflightError, match="OPR-13"):
        left(CRD_OBJECTS, annotations=SAME_NAME | {"training-platform/namespace": "created"})

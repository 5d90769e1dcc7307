"""An operator's namespace is renamed on the real engine: the operator works in the new one, and the old one goes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import Platform, brought_up
from .stack_objects import CRDS, OURS, counts, present
from .user_objects import crds

NAMESPACES = {"jobset": "jobset-system", "trainer": "kubeflow-system"}
RENAMED = {"jobset": "batch", "trainer": "training"}


@pytest.fixture
def renamed_platform(tmp_path: Path) -> Iterator[Platform]:
    """A platform of its own, because the next tests watch the certificates of operators that were never renamed."""
    yield from brought_up(tmp_path)


def operators_namespaces(platform: Platform) -> list[str]:
    """The namespaces that the stack has for operators."""
    namespaces = platform.cluster().resources.get(api_version="v1", kind="Namespace").get().items
    return sorted(
        item.metadata.name
        for item in namespaces
        if "training-platform/operator" in (item.metadata.to_dict().get("annotations") or {})
    )


def controllers(platform: Platform) -> dict[str, int]:
    """How many pods of each controller are available, by its namespace."""
    deployments = platform.cluster().resources.get(api_version="apps/v1", kind="Deployment").get().items
    return {item.metadata.namespace: item.status.to_dict().get("availableReplicas", 0) for item in deployments}


def test_renamed_operator_runs_in_its_new_namespace(renamed_platform: Platform) -> None:
    platform, before = renamed_platform, renamed_platform.sections("jobset", "trainer")
    platform.succeed("up")
    expected = dict(NAMESPACES)
    for section, name in RENAMED.items():
        platform.edit(**{section: {**before[section], "namespace": name}})
        platform.succeed("up")
        expected[section] = name
        assert operators_namespaces(platform) == sorted(expected.values())
        assert controllers(platform) == dict.fromkeys(expected.values(), 1)
        assert crds(platform) == CRDS
    assert "Complete" in platform.succeed("train")
    assert set(counts(platform.succeed("preview"))) == {"unchanged"}
    platform.edit(**before)
    platform.succeed("up")
    assert present(platform) == OURS
    assert operators_namespaces(platform) == sorted(NAMESPACES.values())

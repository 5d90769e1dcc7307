"""Ways to a cluster that the provider and the hooks go alike: a list in `$KUBECONFIG`, whom to impersonate."""

import os
from pathlib import Path

import pytest
import yaml

from .conftest import Platform
from .other_states import use_state_of
from .stack_objects import counts

CONTEXT = "kwok-training-platform"


def write(platform: Platform, **cluster: str) -> None:
    """A stack with one runtime, which asks the Trainer that is there."""
    sections = {
        "cluster": {"context": CONTEXT, **cluster},
        "runtimes": {"ways": {"framework": "torch", "gpusPerNode": 1}},
    }
    keys = {f"training-platform:{name}": value for name, value in sections.items()}
    (platform.project / "stacks" / "Pulumi.ways.yaml").write_text(yaml.safe_dump({"config": keys}))


def in_two_files(platform: Platform, folder: Path, **user: object) -> str:
    """The kubeconfig as a list: contexts and users in one file, the cluster in another; a third is missing."""
    whole = yaml.safe_load(platform.kubeconfig.read_text())
    clusters = whole.pop("clusters")
    whole["users"][0]["user"].update(user)
    (folder / "users").write_text(yaml.safe_dump(whole))
    (folder / "clusters").write_text(yaml.safe_dump({"clusters": clusters, "current-context": "another"}))
    return os.pathsep.join(map(str, (folder / "users", folder / "missing", folder / "clusters")))


def test_list_of_kubeconfigs_applies_to_provider_and_hooks(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_state_of(platform, monkeypatch)
    monkeypatch.setenv("KUBECONFIG", in_two_files(platform, tmp_path))
    write(platform)
    assert counts(platform.succeed("up", "--stack", "ways", "--yes"))["created"] > 0
    assert "ways" in platform.names("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime")
    assert "created" not in counts(platform.succeed("up", "--stack", "ways", "--yes"))
    platform.succeed("destroy", "--stack", "ways", "--yes")
    assert "ways" not in platform.names("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime")


def test_hooks_use_the_kubeconfigs_impersonation(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_state_of(platform, monkeypatch)
    monkeypatch.setenv("KUBECONFIG", in_two_files(platform, tmp_path, **{"as": "team", "as-groups": ["nobody"]}))
    write(platform)
    refused = platform.run("up", "--stack", "ways", "--yes")
    assert refused.returncode != 0
    assert 'User "team" cannot' in refused.stdout
    assert "Traceback" not in refused.stdout
    assert "ways" not in platform.names("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime")

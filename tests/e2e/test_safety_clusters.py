"""Two clusters side by side: a stack stays with the one that its state belongs to."""

import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from kubernetes import client, config

from .conftest import Platform, copy_project
from .identity import uids
from .kill_engine import kill_during
from .rejection import refused
from .stack_objects import counts

CONTEXT = "kwok-training-platform"


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """Another cluster, on which another stack of the same name is up."""
    platform = copy_project(tmp_path_factory.mktemp("other"))
    platform.succeed("up")
    yield platform
    platform.run("down")


def cluster_id(platform: Platform) -> str:
    core = client.CoreV1Api(config.new_client_from_config(str(platform.kubeconfig)))
    return str(core.read_namespace("kube-system").metadata.uid)


def lead_to(platform: Platform, kubeconfig: str, **cluster: Any) -> None:
    platform.edit(cluster={"kubeconfig": kubeconfig, "context": CONTEXT, **cluster})


def wrong_cluster(platform: Platform, other: Platform) -> tuple[str, ...]:
    state, answers = cluster_id(platform), cluster_id(other)
    return (
        f"This stack's state belongs to the cluster {state}, but the cluster {answers} answers.",
        f"write `cluster: {{id: {answers}, replaces: {state}}}`",
        "[STK-17]",
    )


def test_a_state_of_one_cluster_is_not_applied_to_another(changed_platform: Platform, other: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("cluster")
    platform.succeed("up")
    mine, theirs = uids(platform), uids(other)
    lead_to(platform, str(other.kubeconfig))
    for command in ("preview", "up", "destroy"):
        refused(platform, command, *wrong_cluster(platform, other))
    # The operators taken out as well: nothing of either cluster goes.
    operators = platform.sections("jobset", "trainer", "runtimes")
    platform.edit(jobset=None, trainer=None, runtimes=None)
    refused(platform, "up", *wrong_cluster(platform, other))
    assert (uids(platform), uids(other)) == (mine, theirs)
    platform.edit(**before, **operators)
    assert set(counts(platform.succeed("preview"))) == {"unchanged"}


def test_another_address_of_the_same_cluster_changes_nothing(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("cluster")
    platform.succeed("up")
    mine = uids(platform)
    kubeconfig = yaml.safe_load(platform.kubeconfig.read_text())
    (entry,) = kubeconfig["clusters"]
    entry["cluster"]["server"] = entry["cluster"]["server"].replace("127.0.0.1", "localhost")
    entry["name"] = kubeconfig["contexts"][0]["context"]["cluster"] = "renamed"
    (platform.project / ".local" / "localhost").write_text(yaml.safe_dump(kubeconfig))
    lead_to(platform, ".local/localhost")
    changes = counts(platform.succeed("up"))
    assert {what: number for what, number in changes.items() if what != "unchanged"} == {"updated": 3}
    assert uids(platform) == mine
    assert set(counts(platform.succeed("preview"))) == {"unchanged"}
    platform.edit(**before)
    platform.succeed("up")
    assert uids(platform) == mine


def test_the_cluster_is_remembered_by_a_first_up_that_was_killed(checkout: Platform, other: Platform) -> None:
    kill_during(checkout, "up", 12)
    theirs = uids(other)
    lead_to(checkout, str(other.kubeconfig))
    refused(checkout, "up", *wrong_cluster(checkout, other))
    assert uids(other) == theirs
    lead_to(checkout, ".local/kubeconfig")
    checkout.succeed("up")
    assert set(counts(checkout.succeed("preview"))) == {"unchanged"}


def test_a_stack_of_the_same_name_with_another_state_is_another_stack(other: Platform) -> None:
    theirs = uids(other)
    state = other.project / ".local" / "state"
    shutil.copytree(state, other.project / ".local" / "kept")
    shutil.rmtree(state)
    for command in ("preview", "up"):
        refused(
            other,
            command,
            "JobSet is already installed in the cluster:",
            "namespace/jobset-system: owned by stack training-platform/local (id ",
            "[OPR-02]",
        )
    assert uids(other) == theirs
    shutil.rmtree(state)
    (other.project / ".local" / "kept").rename(state)
    assert set(counts(other.succeed("preview"))) == {"unchanged"}


def test_replaced_cluster_must_be_declared_and_its_state_refreshed_first(
    checkout: Platform,
) -> None:
    checkout.succeed("start")
    replaced = checkout.project / "replaced-kubeconfig"
    shutil.copy(checkout.kubeconfig, replaced)
    lead_to(checkout, replaced.name)
    checkout.succeed("up")
    state = checkout.project / ".local" / "state"
    old = cluster_id(checkout)
    kept = checkout.project / "kept"
    shutil.copytree(state, kept)
    checkout.succeed("down")
    checkout.succeed("start")
    shutil.copytree(kept, state, dirs_exist_ok=True)
    new = cluster_id(checkout)
    replaced.write_text(re.sub(r"server: .*", "server: https://127.0.0.1:9", replaced.read_text()))
    lead_to(checkout, ".local/kubeconfig")
    refused(checkout, "up", f"belongs to the cluster {old}, but the cluster {new} answers")
    lead_to(checkout, ".local/kubeconfig", id=new, replaces=old)
    refused(checkout, "refresh", "PULUMI_K8S_DELETE_UNREACHABLE")
    refused(checkout, "up", "The state still describes objects of the cluster that", "[OPR-18]")
    assert checkout.names("apps/v1", "Deployment") == []
    # The rejected `up` has written the new address to the state.
    checkout.succeed("refresh")
    checkout.succeed("up")
    assert set(counts(checkout.succeed("preview"))) == {"unchanged"}
    assert "jobset-controller" in checkout.names("apps/v1", "Deployment")

"""The life of a stack: up, nothing to do, a change, destroy, up again, with a user's work beside it."""

from collections import Counter
from pathlib import Path

import pytest

from .conftest import Platform
from .stack_objects import CRDS, OURS, TRAINJOB, counts, present, trainjobs


def test_stack_is_deployed_and_destroyed_without_affecting_users(
    checkout: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    output = checkout.succeed("up")
    assert present(checkout) == OURS
    made = counts(output)
    assert set(made) == {"created"}

    assert counts(checkout.succeed("preview")) == {"unchanged": made["created"]}
    assert counts(checkout.succeed("refresh")) == {"unchanged": made["created"]}
    assert counts(checkout.succeed("preview")) == {"unchanged": made["created"]}

    pool = {"framework": "deepspeed", "nodePool": "gpu"}
    mlx = {"framework": "mlx", "nodePool": "gpu"}
    for change, what in (
        ({"env": {"NCCL_DEBUG": "INFO"}}, "update"),
        ({"failurePolicy": {"maxRestarts": 2}}, "replace"),
    ):
        checkout.edit(runtimes={"deepspeed-distributed": pool | change, "mlx-distributed": mlx})
        # The gate is asked again, whether TrainJobs for the runtime that it is now are admitted.
        changes, rest = Counter([what, "update"]), {"unchanged": made["created"] - 2}
        assert counts(checkout.succeed("preview")) == {f"to {each}": n for each, n in changes.items()} | rest
        assert counts(checkout.succeed("up")) == {f"{each}d": n for each, n in changes.items()} | rest
    checkout.edit(runtimes={"deepspeed-distributed": pool, "mlx-distributed": mlx})
    checkout.succeed("up")

    trainjobs(checkout).create(body=TRAINJOB, namespace="default")
    output = checkout.succeed("destroy")
    assert present(checkout) == {kind: [] for kind in OURS}
    assert [n for n in CRDS if n in checkout.names("apiextensions.k8s.io/v1", "CustomResourceDefinition")] == CRDS
    assert trainjobs(checkout).get(name="of-a-user", namespace="default").spec.trainer.numNodes == 2

    assert counts(checkout.succeed("up")) == made
    assert present(checkout) == OURS
    assert counts(checkout.succeed("preview")) == {"unchanged": made["created"]}
    assert trainjobs(checkout).get(name="of-a-user", namespace="default").spec.trainer.numNodes == 2
    assert not list(temporary.glob("kubeconfig*")), "credentials are left behind"

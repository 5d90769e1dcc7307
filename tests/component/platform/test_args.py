"""The arguments of `TrainingPlatform`: what is said of each that is wrong, and of all at once."""

from collections.abc import Mapping
from typing import Any

import pytest

from components.platform import InvalidPlatformError, TrainingPlatform
from components.runtimes import torch

from ..monitor import Monitor, run


def refused(args: Mapping[str, Any]) -> InvalidPlatformError:
    """The error for arguments, of which nothing is declared."""
    monitor = Monitor()
    with pytest.raises(InvalidPlatformError) as error:
        run(lambda: TrainingPlatform("training", args), monitor=monitor)  # type: ignore[arg-type]
    assert monitor.registered == {}
    return error.value


EVERYTHING_WRONG = """\
14 errors in the arguments of TrainingPlatform 'training'. Nothing was changed.

  contexts [STK-01]
    Unknown argument `contexts`.
    Fix: Did you mean `context`?

  gpu_node_pools.a.gpus_per_nod [STK-01]
    Unknown key `gpus_per_nod`.
    Fix: Did you mean `gpus_per_node`?

  gpu_node_pools.b.provider [STK-03]
    "gkee" is not a known value.
    Fix: Did you mean `gke`?

  gpu_node_pools.c.provder [STK-01]
    Unknown key `provder`.
    Fix: Did you mean `provider`?

  gpu_node_pools.Upper [NAME-01]
    "Upper" is not a valid name in Kubernetes.
    Fix: Use at most 63 lowercase letters, digits and hyphens, beginning and ending with a letter or digit.

  jobset.host_network [STK-03]
    "yes" is not a boolean.
    Fix: Set True or False.

  jobset.values.controller.hostNetwork [OPR-01]
    This value of the chart cannot be set here: `host_network` beside `values` sets it.
    Fix: Remove it.

  jobset.replica [STK-01]
    Unknown key `replica`.
    Fix: Did you mean `replicas`?

  trainer.version [STK-03]
    2 is not a string.
    Fix: Put it in quotes: "2".

  gpu_node_pools.e.nodes[0] [STK-06]
    n is already a node of pool `d`, and a node can belong to only one pool.
    Fix: Remove it from one of them.

  runtimes.one.node_pool [STK-06]
    There is no GPU node pool "f".
    Fix: Choose from `d`, `e`.

  runtimes.two.framework [STK-03]
    "pytorch" is not a known value.
    Fix: Did you mean `torch`?

  runtimes.three.gpu_per_node [CAT-01]
    Unknown argument `gpu_per_node`.
    Fix: Did you mean `gpus_per_node`?

  runtimes.five.name [STK-08]
    The key `five` is the runtime's name.
    Fix: Remove `name`."""


def test_all_errors_are_reported_at_once_with_their_arguments() -> None:
    pools = {
        "a": {"provider": "existing", "nodes": ["n"], "gpus_per_nod": 8},
        "b": {"provider": "gkee"},
        "c": {"provder": "gke"},
        "Upper": {"provider": "existing"},
        "d": {"provider": "existing", "nodes": ["n"], "gpusPerNode": 8},
        "e": {"provider": "existing", "nodes": ["n"], "gpus_per_node": 8},
    }
    args = {
        "contexts": "mine",
        "gpu_node_pools": pools,
        "jobset": {"replica": 2, "host_network": "yes", "values": {"controller": {"hostNetwork": True}}},
        "trainer": {"namespace": "jobset-system", "version": 2},
        "runtimes": {
            "one": {"framework": "torch", "node_pool": "f"},
            "two": {"framework": "pytorch"},
            "three": {"framework": "torch", "gpu_per_node": 8},
            "four": {"framework": "torch", "node_pool": "a"},
            "five": {"framework": "torch", "name": "other"},
        },
    }
    assert str(refused(args)) == EVERYTHING_WRONG


@pytest.mark.parametrize(
    ("args", "path", "message"),
    [
        ({"runtimes": []}, "context", "`context` and `kubeconfig` are missing, and the ambient context is never used."),
        ({"context": ""}, "context", "`context` is empty, so it names no cluster."),
        ({"context": 7}, "context", "`context` is 7, not a string or an Output of one."),
        (
            {"context": "a", "replaces": "b"},
            "replaces",
            "`replaces` alone does not say which cluster took the other's place.",
        ),
        (
            {"context": "a", "render_to": "b"},
            "render_to",
            "`render_to` writes manifests to a folder, so `context` has no effect.",
        ),
        ({"context": "a", "cluster_id": 7}, "cluster_id", "`cluster_id` is 7, not a string."),
        ({"context": "a", "jobset": 7}, "jobset", "`jobset` is 7, not a spec."),
        ({"context": "a", "trainer": "extern"}, "trainer", '`trainer` is "extern", not a spec.'),
        ({"context": "a", "gpu_node_pools": []}, "gpu_node_pools", "`gpu_node_pools` is a list, not a dict."),
        ({"context": "a", "gpu_node_pools": {"p": 7}}, "gpu_node_pools.p", "`gpu_node_pools.p` is 7, not a spec."),
        ({"context": "a", "runtimes": "b"}, "runtimes", '`runtimes` is "b", not a list of runtimes.'),
        ({"context": "a", "runtimes": [7]}, "runtimes[0]", "`runtimes[0]` is 7, not a runtime."),
        ({"context": "a", "runtimes": {"r": {}}}, "runtimes.r.framework", "`framework` is required."),
        ({"context": "a", "runtimes": {"r": 7}}, "runtimes.r", "`runtimes.r` is 7, not a dict."),
        (
            {"context": "a", "runtimes": {"r": {"framework": "torch", "name": "s"}}},
            "runtimes.r.name",
            "The key `r` is the runtime's name.",
        ),
        (
            {"context": "a", "runtimes": [torch(), torch()]},
            "runtimes",
            "2 runtimes have the name `torch-distributed`, and TrainJobs refer to runtimes by name.",
        ),
        ({"context": "a", "adopt": "b"}, "adopt", '`adopt` is "b", not a list of names.'),
        ({"context": "a", "adopt": ["b"]}, "adopt", "There is no runtime `b` in `runtimes`."),
    ],
)
def test_invalid_argument_is_rejected(args: dict[str, Any], path: str, message: str) -> None:
    assert [(each.path, each.message) for each in refused(args).violations] == [(path, message)]

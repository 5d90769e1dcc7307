"""What TrainJobs must say."""

from tests.unit.runtimes.rules.samples import JAX, PLAIN, TORCH, XGBOOST, changed, container, warns

NODES = "spec.mlPolicy.numNodes"
COMMAND, ARGS = f"{container(0)}.command", f"{container(0)}.args"

CASES = [
    *(
        warns("SIL-40", COMMAND, base, {COMMAND: ["python", "train.py"], NODES: 2}, {COMMAND: ["python", "train.py"]})
        for base in (TORCH, JAX, XGBOOST)
    ),
    warns("SIL-40", ARGS, TORCH, {ARGS: ["train.py"], NODES: 2}, {NODES: 2}),
    warns("SIL-40", COMMAND, TORCH, {COMMAND: ["torchrun"], NODES: 8}, {COMMAND: [], NODES: 8}),
    warns(
        "SIL-40",
        COMMAND,
        changed(
            TORCH,
            {"spec.mlPolicy.torch": None, "spec.mlPolicy.jax": {}, "metadata.labels": PLAIN["metadata"]["labels"]},
        ),
        {COMMAND: ["python", "train.py"], NODES: 3},
        {COMMAND: ["python", "train.py"], NODES: 1},
    ),
]

"""TrainJobs for Flux."""

from collections.abc import Iterator

from ....validation.violation import Violation
from ...rules.rule import violation
from ..pair import Pair
from ..rule import pair_rule


@pair_rule("TJC-34")
def flux_starts_processes(pair: Pair) -> Iterator[Violation]:
    """A TrainJob for Flux sets `numProcPerNode` to less than 1.

    Trainer 2.2 does not check it.
    Source: pkg/runtime/framework/plugins/flux/flux.go:110-119@trainer@v2.3.0.
    """
    processes = pair.trainer.num_proc_per_node if pair.trainer else None
    if pair.view and pair.view.policy == "flux" and isinstance(processes, int) and processes < 1:
        yield violation(
            "spec.trainer.numProcPerNode",
            f"numProcPerNode is {processes}: Flux could start no process"
            + (", and Trainer rejects the TrainJob." if pair.release.trainer == "2.3.0" else "."),
            "Set it to 1 or more.",
        )


@pair_rule("REC-04")
def flux_knows_its_nodes(pair: Pair) -> Iterator[Violation]:
    """A TrainJob for Flux does not set `trainer.numNodes`.

    Trainer's Flux plugin reads the number from the TrainJob only. The controller panics at each attempt, and creates no
    JobSet (executed).
    Source: pkg/runtime/framework/plugins/flux/flux.go:151,413,451@trainer@v2.3.0.
    """
    if pair.view and pair.view.policy == "flux" and (pair.trainer is None or pair.trainer.num_nodes is None):
        yield violation(
            "spec.trainer.numNodes" if pair.trainer else "spec.trainer",
            "Trainer's Flux plugin needs the number of nodes from the TrainJob: the controller panics, and creates no "
            "JobSet.",
            "Set trainer.numNodes.",
        )

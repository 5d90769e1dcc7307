"""Environment variables of a TrainJob that Trainer sets itself."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...rules.rule import violation
from ...rules.trainer.frameworks import RESERVED
from ...rules.view import Policy
from ..pair import Pair
from ..rule import pair_rule


def _reserved(pair: Pair, policy: Policy) -> Iterator[tuple[str, str]]:
    """The path and name of each variable of `trainer.env` that Trainer sets for a policy."""
    if pair.view and pair.view.policy == policy:
        for index, variable in enumerate((pair.trainer and pair.trainer.env) or ()):
            if variable.name in RESERVED[policy]:
                yield f"spec.trainer.env[{index}]", variable.name


def _rejected(pair: Pair, policy: Policy) -> bool:
    """Whether Trainer's webhook rejects the variables. Otherwise the controller overwrites them."""
    match policy, pair.release.trainer:
        case ("mpi", version):
            return version == "2.3.0"
        case ("torch", "2.0.0"):
            return pair.trainer is not None and pair.trainer.num_proc_per_node is not None
        case ("torch" | "xgboost", _):
            return True
    return False


def _rejections(pair: Pair, policy: Policy) -> Iterator[Violation]:
    for path, name in _reserved(pair, policy) if _rejected(pair, policy) else ():
        yield violation(path, f"Trainer sets {name} itself, and rejects a TrainJob that sets it.", "Remove it.")


@pair_rule("TJC-24")
def mpi_variables_are_trainers(pair: Pair) -> Iterator[Violation]:
    """A TrainJob for MPI sets one of the OMPI_MCA variables that Trainer sets.

    Earlier versions than 2.3 overwrite them (SIL-13).
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:96-107, pkg/constants/constants.go:306@trainer@v2.3.0.
    """
    yield from _rejections(pair, "mpi")


@pair_rule("TJC-25")
def torch_variables_are_trainers(pair: Pair) -> Iterator[Violation]:
    """A TrainJob for torch sets one of the PET variables that Trainer sets.

    Trainer 2.0 checks this only if `numProcPerNode` is set, and otherwise overwrites them (SIL-13).
    Source: pkg/runtime/framework/plugins/torch/torch.go:67-77@trainer@v2.3.0, 55-86@trainer@v2.0.0.
    """
    yield from _rejections(pair, "torch")


@pair_rule("TJC-27")
def xgboost_variables_are_trainers(pair: Pair) -> Iterator[Violation]:
    """A TrainJob for XGBoost sets one of the DMLC variables that Trainer sets.

    Source: pkg/runtime/framework/plugins/xgboost/xgboost.go:59-68@trainer@v2.3.0.
    """
    yield from _rejections(pair, "xgboost")


@pair_rule("SIL-13", severity=Severity.WARNING)
def variables_are_not_overwritten(pair: Pair) -> Iterator[Violation]:
    """A TrainJob sets a variable that Trainer silently overwrites.

    These are the JAX variables, and in earlier versions than 2.3 those of other frameworks (TJC-24, TJC-25).
    Source: pkg/apply/apply.go:37-41, pkg/runtime/framework/plugins/jax/jax.go:79-96@trainer@v2.3.0.
    """
    policies: tuple[Policy, ...] = ("jax", "mpi", "torch")
    for policy in policies:
        for path, name in _reserved(pair, policy) if not _rejected(pair, policy) else ():
            yield violation(path, f"Trainer overwrites {name}: the value has no effect.", "Remove it.")

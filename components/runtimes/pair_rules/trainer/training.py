"""The `trainer` section of a TrainJob: whether it reaches the pods."""

from collections.abc import Iterator

from ....k8s.quantities import amount
from ....validation.violation import Severity, Violation
from ...rules.rule import violation
from ...rules.trainer.frameworks import ADDRESS_OF, trainer_container
from ...rules.trainer.train_job import POLICIES
from ...rules.view import TRAINER, LocatedContainer
from ...topology import ANCESTOR_STEP, NODE
from ..pair import Pair
from ..resources import runtime_gpus
from ..rule import pair_rule


def _given(pair: Pair) -> list[str]:
    """The fields of `trainer` that the TrainJob sets, as in manifests."""
    return list(pair.train_job.to_manifest()["spec"].get("trainer") or ())


@pair_rule("SIL-15", severity=Severity.WARNING)
def trainer_section_is_heeded(pair: Pair) -> Iterator[Violation]:
    """A TrainJob configures `trainer`, and no job of the runtime has the trainer label.

    Everything in the section is ignored. MPI's job `node` still gets the number of nodes, and MPI the number of
    processes; if the launcher is a node too, the job `node` also gets the environment and the resources.
    Source: pkg/runtime/framework/plugins/jobset/builder.go:113-158,
    pkg/runtime/framework/plugins/mpi/mpi.go:113-139@trainer@v2.3.0.
    """
    view = pair.view
    if view is None or view.trainer or not view.jobs:
        return
    heeded: set[str] = set()
    if view.mpi:
        heeded |= {"numNodes", "numProcPerNode"}
        if view.mpi.run_launcher_as_node and pair.release.trainer != "2.0.0":
            heeded |= {"env", "resourcesPerNode"}
    ignored = [field for field in _given(pair) if field not in heeded]
    if ignored:
        verb = "is" if len(ignored) == 1 else "are"
        yield violation(
            "spec.trainer",
            f"{', '.join(ignored)} {verb} ignored: no job of the runtime has the label {ANCESTOR_STEP}={TRAINER}.",
            "Use a runtime with the label, or remove the fields.",
        )


@pair_rule("SIL-18", severity=Severity.WARNING)
def framework_has_its_environment(pair: Pair) -> Iterator[Violation]:
    """A TrainJob for torch, JAX or XGBoost with several nodes has no `trainer` section.

    Trainer sets the framework's environment only if the TrainJob has `trainer`, at least `{}`. Otherwise each node
    trains alone, and all report success. The same applies to torch on one node with several GPUs, where torchrun starts
    one process.
    Source: pkg/runtime/framework/plugins/torch/torch.go:138-143, jax/jax.go:69-71, xgboost/xgboost.go
    EnforceMLPolicy@trainer@v2.3.0; kubeflow/trainer issue 4076.
    """
    view = pair.view
    if pair.trainer is not None or view is None or view.policy not in POLICIES or view.trainer is None:
        return
    at = trainer_container(view)
    if at and tuple(at.model.command or ())[:2] == ("tune", "run"):
        return  # it starts the processes itself
    nodes, gpus = view.trainer.pods, runtime_gpus(pair) if view.policy == "torch" else 0
    if nodes > 1 or gpus > 1:
        alone = f"each of the {nodes} nodes trains alone" if nodes > 1 else f"torchrun uses one of the {gpus} GPUs"
        yield violation(
            "spec.trainer",
            f"The TrainJob has no trainer section, so Trainer sets no {ADDRESS_OF[view.policy]}: {alone}.",
            "Write trainer: {}.",
        )


@pair_rule("SIL-19")
def there_are_nodes(pair: Pair) -> Iterator[Violation]:
    """`trainer.numNodes` is 0.

    The training's Jobs have no pods and are complete at once, so the TrainJob is Complete without training. If MPI's
    launcher is also a node, Trainer starts two nodes (SIL-02); without the runtime this is a warning. K8S-26 reports
    negative numbers.
    Source: pkg/runtime/framework/plugins/torch/torch.go:118-121, plainml/plainml.go, mpi/mpi.go:113-122@trainer@v2.3.0.
    """
    view = pair.view
    as_node = bool(view and view.mpi and view.mpi.run_launcher_as_node)
    if pair.trainer and pair.trainer.num_nodes == 0 and not as_node:
        yield violation(
            "spec.trainer.numNodes",
            "numNodes is 0: no pod trains, and the TrainJob is Complete at once.",
            "Set it to 1 or more, or remove it for the runtime's number.",
            Severity.ERROR if view else Severity.WARNING,
        )


@pair_rule("SIL-45", severity=Severity.WARNING)
def processes_are_heeded(pair: Pair) -> Iterator[Violation]:
    """A TrainJob sets `numProcPerNode`, and its runtime's policy does not read it.

    Only the policies for torch, MPI and Flux do.
    Source: pkg/runtime/framework/plugins/{jax/jax.go,xgboost/xgboost.go,plainml/plainml.go}@trainer@v2.3.0.
    """
    view, processes = pair.view, pair.trainer.num_proc_per_node if pair.trainer else None
    if processes is not None and view and view.trainer and view.policy not in ("torch", "mpi", "flux"):
        policy = f"the policy for {view.policy}" if view.policy else "a runtime without a framework's policy"
        yield violation(
            "spec.trainer.numProcPerNode",
            f"It is ignored: {policy} does not read the number of processes.",
            "Remove it, and start the processes in the command.",
        )


def _training_containers(pair: Pair) -> Iterator[LocatedContainer]:
    """The containers whose resources `resourcesPerNode` changes."""
    view = pair.view
    if view is None or (pair.release.resources == "merged" and view.runtime.spec.ml_policy is None):
        return
    of_mpi = bool(view.mpi and view.mpi.run_launcher_as_node and pair.release.trainer != "2.0.0")
    for job in view.jobs:
        at = job.container(NODE)
        if at and (job.ancestor == TRAINER or (of_mpi and job.name == NODE)):
            yield at


@pair_rule("SIL-44", severity=Severity.WARNING)
def resources_need_a_policy(pair: Pair) -> Iterator[Violation]:
    """`resourcesPerNode` is set, and the runtime has no `mlPolicy`.

    Trainer 2.3 merges the resources only for runtimes with a policy, and otherwise ignores them.
    Source: pkg/runtime/core/trainingruntime.go:199-206@trainer@v2.3.0.
    """
    view = pair.view
    given = pair.trainer.resources_per_node if pair.trainer else None
    if given is None or view is None or pair.release.resources != "merged":
        return
    if view.trainer and view.runtime.spec.ml_policy is None and (given.limits or given.requests):
        yield violation(
            "spec.trainer.resourcesPerNode",
            f"It is ignored: Trainer {pair.release.trainer} sets no resources if the runtime has no mlPolicy.",
            "Use a runtime with an mlPolicy; {numNodes: 1} is enough.",
        )


@pair_rule("SIL-43", severity=Severity.WARNING)
def resources_are_not_lost(pair: Pair) -> Iterator[Violation]:
    """`resourcesPerNode` removes resources of the runtime's container.

    Trainer drops claims of the container, the runtime's and the TrainJob's, wherever the TrainJob sets
    `resourcesPerNode`. Trainer 2.0 and 2.2 replace limits and requests by the TrainJob's; Trainer 2.3 merges them.
    Source: pkg/runtime/core/trainingruntime.go:199-238@trainer@v2.3.0;
    pkg/runtime/framework/plugins/jobset/builder.go@trainer@v2.2.0, v2.0.0.
    """
    given = pair.trainer.resources_per_node if pair.trainer else None
    if given is None:
        return
    path = "spec.trainer.resourcesPerNode"
    if given.claims:
        yield violation(
            f"{path}.claims",
            "Trainer does not copy claims to the container: the claims have no effect.",
            "Use a runtime whose container has the claims, and remove resourcesPerNode.",
        )
    lost: dict[str, str] = {}
    claims: list[str] = []
    for at in _training_containers(pair):
        present = at.model.resources
        claims += [claim.name for claim in (present and present.claims) or ()]
        kept = {**(given.requests or {}), **(given.limits or {})}
        for kind in (present and present.limits, present and present.requests):
            lost |= {name: str(quantity) for name, quantity in (kind or {}).items() if name not in kept}
    if claims:
        yield violation(
            path,
            f"Trainer drops the claim {', '.join(dict.fromkeys(claims))} of the runtime's container if the TrainJob "
            "sets resourcesPerNode.",
            "Remove resourcesPerNode.",
        )
    if lost and pair.release.resources != "merged":
        named = ", ".join(f"{name} {quantity}" for name, quantity in lost.items() if amount(quantity))
        if named:
            yield violation(
                path,
                f"Trainer {pair.release.trainer} replaces the runtime's resources: the container loses {named}.",
                "Repeat them in resourcesPerNode.",
            )

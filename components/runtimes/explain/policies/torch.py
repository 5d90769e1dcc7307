"""Torch: torchrun's environment.

Source: plugins/torch/torch.go.
"""

from collections.abc import Mapping
from typing import Any

from ...topology import NODE
from ..node_resources import cpus_of, gpus_of, node_resources
from ..quantities import rounded_up
from ..reconciliation import PORT, NotReconciledError, Reconciliation, index_variable, set_port, variable
from . import torchtune
from .plain import take_node_count, take_variables

ORIGIN = "Trainer (torch)"


def enforce(work: Reconciliation) -> None:
    """Sets PET_* in the container that trains, if the TrainJob has `trainer`, and in those of `envInjection`."""
    policy = work.policy_of("torch")
    if policy is None:
        return
    take_node_count(work)
    gpus = 0 if work.release.trainer == "2.0.0" else gpus_of(node_resources(work))
    processes = _processes(work, gpus)
    take_variables(work)
    nodes = work.trainer_set.count if work.trainer_set else 1
    always = [
        variable("PET_NNODES", nodes),
        variable("PET_NPROC_PER_NODE", processes),
        index_variable("PET_NODE_RANK"),
    ]
    master = [
        variable("PET_MASTER_ADDR", f"{work.name}-{NODE}-0-0.{work.name}"),
        variable("PET_MASTER_PORT", PORT),
    ]
    container = work.trainer_container
    if work.trainer is not None and work.trainer_set is not None and container is not None:
        tunes = work.trainer.get("command") == torchtune.ENTRYPOINT
        work.set_variables(work.trainer_set.name, container, always if tunes else [*always, *master], ORIGIN)
        if tunes:
            added = torchtune.arguments(work, nodes, processes, gpus)
            work.train_job["trainer"] = {**work.trainer, "command": [*work.trainer["command"], *added]}
        set_port(container, {"containerPort": PORT, "protocol": "TCP"})
    _inject(work, policy, [*always, *master])


def _inject(work: Reconciliation, policy: Mapping[str, Any], variables: list[dict[str, Any]]) -> None:
    for target in (policy.get("envInjection") or {}).get("targets") or ():
        job = work.pod_set(target["jobName"])
        for name in target["containerNames"]:
            container = job.container(name, init=True) if job else None
            if container is None:
                raise NotReconciledError(f"envInjection: job {target['jobName']} has no container {name}.")
            work.set_variables(target["jobName"], container, variables, ORIGIN)


def _processes(work: Reconciliation, gpus: int) -> int | str:
    trainer = work.trainer or {}
    given: int | str = trainer.get("numProcPerNode", "auto")
    if work.release.trainer == "2.0.0":
        resources = trainer.get("resourcesPerNode")
        return given if resources is None else _old_processes(given, resources)
    if given == "auto" and gpus == 0:
        return max(1, cpus_of(node_resources(work)))
    return given


def _old_processes(given: int | str, resources: Mapping[str, Any]) -> int | str:
    fallback: int | str = 1 if given == "cpu" else given
    limits, requests = resources.get("limits"), resources.get("requests")
    for kind in (limits, requests):
        if kind is not None and _counts_cpus(given, kind):
            return max(1, rounded_up(kind.get("cpu", 0)))
    # Without requests the answer is 1, whatever was given: the limits are looked at for CPUs alone.
    return 1 if requests is None else fallback


def _counts_cpus(given: int | str, resources: Mapping[str, Any]) -> bool:
    if given == "auto":
        return not any("gpu" in name.lower() for name in resources)
    return given == "cpu" and "cpu" in resources

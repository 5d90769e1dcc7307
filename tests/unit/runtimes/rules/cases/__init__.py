"""Runtimes that break one rule, each with a neighbour that does not, by subject."""

from .jobset import coordinator, failure_policy, replicated_jobs, startup_order, volume_claims
from .kubernetes import (
    certificates,
    containers,
    environment,
    jobs,
    legacy_volumes,
    metadata,
    mounts,
    node_runtime,
    pods,
    probes,
    resources,
    scheduling,
    security,
    volumes,
)
from .sdk import trainer_client
from .trainer import controller, cross_field, frameworks, initializers, labels, mpi, torchtune, webhook

MODULES = (
    webhook,
    labels,
    controller,
    frameworks,
    mpi,
    torchtune,
    initializers,
    startup_order,
    replicated_jobs,
    failure_policy,
    coordinator,
    volume_claims,
    jobs,
    containers,
    probes,
    environment,
    resources,
    mounts,
    volumes,
    legacy_volumes,
    certificates,
    pods,
    scheduling,
    security,
    metadata,
    trainer_client,
    cross_field,
    node_runtime,
)

CASES = [case for module in MODULES for case in module.CASES]

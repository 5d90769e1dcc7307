"""Rules that the API's schema cannot express, one function each.

A rule has an id and forbids one kind of mistake. The cluster would report the mistake when the runtime is created, when
a TrainJob is submitted for it, or never. `python -m components.runtimes.rules` prints a table of all rules.
"""

from ...validation.violation import Violation
from ..api import BaseTrainingRuntime
from .jobset import (  # noqa: F401 - each registers its rules
    coordinator,
    failure_policy,
    pod_labels,
    replicated_jobs,
    startup_order,
    success_policy,
    volume_claims,
)
from .kubernetes import (  # noqa: F401 - each registers its rules
    certificates,
    containers,
    environment,
    jobs,
    legacy_volumes,
    metadata,
    mounts,
    node_runtime,
    pod_failures,
    pod_resources,
    pods,
    probes,
    resources,
    scheduling,
    security,
    volumes,
)
from .rule import RULES as RULES
from .rule import Rule as Rule
from .rule import rule as rule
from .sdk import trainer_client  # noqa: F401 - each registers its rules
from .trainer import (  # noqa: F401 - each registers its rules
    controller,
    cross_field,
    frameworks,
    initializers,
    labels,
    mpi,
    ssh,
    torchtune,
    train_job,
    variables,
    webhook,
)
from .updates import IMMUTABLE_PATHS as IMMUTABLE_PATHS
from .updates import UPDATE_RULES as UPDATE_RULES
from .updates import update_violations as update_violations
from .view import RuntimeView


def check(runtime: BaseTrainingRuntime) -> tuple[Violation, ...]:
    """All violations of the rules in a runtime."""
    view = RuntimeView.of(runtime)
    return tuple(found for rule in RULES for found in rule.violations(view))

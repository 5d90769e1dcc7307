"""What the schema of the API cannot say: one function a rule.

A rule has an id and forbids one kind of mistake, which the cluster would meet when the runtime is created, when a
TrainJob is submitted for it, or never. `python -m components.runtimes.rules` prints them all as a table.
"""

from ...violation import Violation
from ..api import Runtime

# isort: off
# The order of these is the order in which findings are told.
from . import (  # noqa: F401
    webhook,
    labels,
    jobset,
    order,
    success,
    failure,
    coordinator,
    claims,
    mpi,
    ssh,
    frameworks,
    torchtune,
    initializers,
    trainer,
    jobs,
    pod_failures,
    containers,
    probes,
    environment,
    resources,
    volumes,
    mounts,
    pods,
    scheduling,
    security,
    metadata,
    sdk,
)

# isort: on
from .layout import Layout
from .rule import RULES as RULES
from .rule import Finding as Finding
from .rule import Rule as Rule
from .rule import rule as rule
from .updates import IMMUTABLE_PATHS as IMMUTABLE_PATHS
from .updates import update_violations as update_violations


def check(runtime: Runtime) -> tuple[Violation, ...]:
    """Everything that the rules find in a runtime."""
    layout = Layout.of(runtime)
    return tuple(
        Violation(rule.id, finding.path, finding.message, finding.fix, finding.severity or rule.severity)
        for rule in RULES
        for finding in rule.check(layout)
    )

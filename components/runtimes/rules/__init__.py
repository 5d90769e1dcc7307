"""What the schema of the API cannot say: one function a rule.

A rule has an id and forbids one kind of mistake, which the cluster would meet when the runtime is created, when a
TrainJob is submitted for it, or never. `python -m components.runtimes.rules` prints them all as a table.
"""

from ...printable import printable
from ...violation import Violation
from ..api import Runtime
from . import (  # noqa: F401 - each registers its rules
    certificates,
    claims,
    combinations,
    containers,
    coordinator,
    environment,
    failure,
    frameworks,
    initializers,
    jobs,
    jobset,
    kubelet,
    labels,
    metadata,
    mounts,
    mpi,
    order,
    pod_failures,
    pods,
    probes,
    rare_volumes,
    resources,
    scheduling,
    sdk,
    security,
    ssh,
    success,
    torchtune,
    trainer,
    volumes,
    webhook,
    whole_pods,
)
from .layout import Layout
from .rule import RULES as RULES
from .rule import Finding as Finding
from .rule import Rule as Rule
from .rule import rule as rule
from .updates import IMMUTABLE_PATHS as IMMUTABLE_PATHS
from .updates import UPDATE_RULES as UPDATE_RULES
from .updates import update_violations as update_violations


def check(runtime: Runtime) -> tuple[Violation, ...]:
    """Everything that the rules find in a runtime."""
    layout = Layout.of(runtime)
    return tuple(
        Violation(rule.id, finding.path, printable(finding.message), finding.fix, finding.severity or rule.severity)
        for rule in RULES
        for finding in rule.check(layout)
    )

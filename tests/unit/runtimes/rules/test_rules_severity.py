"""What weighs less than its rule says, where a case that breaks nothing else cannot show it."""

from components.validation.violation import Severity

from .cases.trainer.mpi import OWN_COMMAND
from .samples import MPI, Manifest, changed, job, violations


def weight(rule: str, manifest: Manifest) -> list[Severity]:
    return [violation.severity for violation in violations(manifest) if violation.rule == rule]


def test_replicated_workers_of_a_launcher_with_its_own_command_are_a_warning() -> None:
    """No TrainJob says there how many nodes it wants; that runtime itself draws a warning of the SDK's."""
    four = {f"{job(0)}.replicas": 4}

    assert weight("SIL-34", changed(OWN_COMMAND, four)) == [Severity.WARNING]
    assert weight("SIL-34", changed(MPI, four)) == [Severity.ERROR]

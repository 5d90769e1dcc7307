"""What a Trainer finds in its cluster and no setting says: another's JobSet, Kueue, Kubernetes."""

from ..cluster.client import ClusterAccess, NoAnswer
from ..jobset import JobSetSpec
from ..operators.compatibility import jobset_findings, kubernetes_findings, kueue_findings
from ..operators.discovery import running
from ..validation.violation import Severity, Violation

NO_JOBSET, UNKNOWN_JOBSET, UNSEEN = "VER-03", "VER-04", "VER-05"


def neighbour_findings(
    trainer: str, others_jobset: bool, jobset: str | None, access: ClusterAccess
) -> tuple[Violation, ...]:
    """What is to be said of a Trainer of that version in the cluster.

    `others_jobset` is whether someone else installs JobSet; `jobset` is its version as far as the settings say it.
    """
    found: list[Violation] = []
    try:
        if others_jobset:
            found += _jobset(trainer, jobset, access)
        if kueue := running(access, ("vclusterqueue.kb.io",), "kueue"):
            found += kueue_findings(trainer, kueue.version or "", "trainer.version") if kueue.version else ()
        version = access.get("/version") or {}
        found += kubernetes_findings(trainer, str(version.get("gitVersion", "")), "trainer.version")
    except NoAnswer as error:
        message = f"Which versions are in the cluster cannot be told: {error}."
        found.append(Violation(UNSEEN, "trainer", message, "Ask for these rights.", Severity.WARNING))
    return tuple(found)


def _jobset(trainer: str, said: str | None, access: ClusterAccess) -> list[Violation]:
    there = running(access, JobSetSpec.webhooks, JobSetSpec.image_name())
    if there is None:
        message = "JobSet is not in the cluster, or has no webhooks there: Trainer makes nothing without it."
        fix = "Write `jobset: {}` to install it here, or install it."
        return [Violation(NO_JOBSET, "jobset", message, fix)]
    version = there.version or said
    if version is None:
        message = f"Which version of JobSet runs in {there.namespace} cannot be told: its image has no tag."
        return [
            Violation(UNKNOWN_JOBSET, "jobset.version", message, "Write it: `jobset: {mode: external, version: ...}`.")
        ]
    return list(jobset_findings(trainer, version, "jobset.version"))

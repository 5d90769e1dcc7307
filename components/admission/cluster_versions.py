"""What a Trainer finds in its cluster and no setting says: another's JobSet, Kueue, Kubernetes."""

from ..cluster.client import ClusterClient, ClusterReadError
from ..jobset import JobSetOperatorSpec
from ..operators.compatibility import check_jobset_version, check_kubernetes_version, check_kueue_version
from ..operators.discovery import find_installed_operator
from ..validation.violation import Severity, Violation


def check_cluster_versions(
    trainer: str, jobset_is_external: bool, jobset: str | None, access: ClusterClient
) -> tuple[Violation, ...]:
    """What is to be said of a Trainer of that version in the cluster.

    `jobset_is_external` is whether someone else installs JobSet; `jobset` is its version as far as the settings say it.
    """
    found: list[Violation] = []
    try:
        if jobset_is_external:
            found += _jobset(trainer, jobset, access)
        if kueue := find_installed_operator(access, ("vclusterqueue.kb.io",), "kueue"):
            found += check_kueue_version(trainer, kueue.version or "", "trainer.version") if kueue.version else ()
        version = access.get("/version") or {}
        found += check_kubernetes_version(trainer, str(version.get("gitVersion", "")), "trainer.version")
    except ClusterReadError as error:
        message = f"Which versions are in the cluster cannot be told: {error}."
        found.append(Violation("VER-05", "trainer", message, "Ask for these rights.", Severity.WARNING))
    return tuple(found)


def _jobset(trainer: str, said: str | None, access: ClusterClient) -> list[Violation]:
    there = find_installed_operator(access, JobSetOperatorSpec.webhooks, JobSetOperatorSpec.image_name())
    if there is None:
        message = "JobSet is not in the cluster, or has no webhooks there: Trainer makes nothing without it."
        fix = "Write `jobset: {}` to install it here, or install it."
        return [Violation("VER-03", "jobset", message, fix)]
    version = there.version or said
    if version is None:
        message = f"Which version of JobSet runs in {there.namespace} cannot be told: its image has no tag."
        return [Violation("VER-04", "jobset.version", message, "Write it: `jobset: {mode: external, version: ...}`.")]
    return list(check_jobset_version(trainer, version, "jobset.version"))

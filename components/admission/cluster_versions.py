"""Checks the versions that Trainer finds in its cluster: of Kubernetes, Kueue and an external JobSet."""

from ..cluster.client import ClusterClient, ClusterReadError
from ..jobset import JobSetOperatorSpec
from ..operators.compatibility import check_jobset_version, check_kubernetes_version, check_kueue_version
from ..operators.discovery import find_installed_operator
from ..validation.violation import Severity, Violation


def check_cluster_versions(
    trainer: str, jobset_is_external: bool, jobset: str | None, access: ClusterClient
) -> tuple[Violation, ...]:
    """Check the versions in the cluster against a version of Trainer.

    `jobset_is_external` is whether someone else installs JobSet; `jobset` is its version, if the settings state it.
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
        message = f"Cannot read the versions of JobSet, Kueue and Kubernetes in the cluster: {error}."
        found.append(Violation("VER-05", "trainer", message, "Request the missing read access.", Severity.WARNING))
    return tuple(found)


def _jobset(trainer: str, said: str | None, access: ClusterClient) -> list[Violation]:
    there = find_installed_operator(access, JobSetOperatorSpec.facts.webhooks, JobSetOperatorSpec.facts.image_name)
    if there is None:
        message = "JobSet is not installed in the cluster, or has no webhooks: Trainer cannot run TrainJobs without it."
        fix = "Set `jobset: {}` to install it with this stack, or install it yourself."
        return [Violation("VER-03", "jobset", message, fix)]
    version = there.version or said
    if version is None:
        message = f"The version of JobSet in namespace {there.namespace} is unknown: its image has no version tag."
        return [Violation("VER-04", "jobset.version", message, "Set `jobset: {mode: external, version: ...}`.")]
    return list(check_jobset_version(trainer, version, "jobset.version"))

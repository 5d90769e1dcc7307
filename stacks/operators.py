"""The operators of a stack: which it installs, whether they fit each other, and what stands before and behind them."""

from collections.abc import Iterator, Mapping
from typing import Annotated

import pulumi
from pydantic import Discriminator, Tag

from components.cluster_access import ClusterAccess
from components.jobset import ExternalJobSet, JobSetSpec
from components.known_versions import jobset_findings
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operator_spec import OperatorSpec
from components.tenancy import Tenancy
from components.violation import Violation

from .cluster import Cluster

SAME_NAMESPACE = "STK-06"


def mode(settings: object) -> str | None:
    """How pydantic tells them apart. Its name is in pydantic's messages."""
    if isinstance(settings, ExternalJobSet):
        return settings.mode
    return settings.get("mode", "managed") if isinstance(settings, Mapping) else "managed"


JobSetSettings = Annotated[
    Annotated[JobSetSpec, Tag("managed")] | Annotated[ExternalJobSet, Tag("external")], Discriminator(mode)
]
"""Who installs JobSet: this stack, or `external`, someone else."""


def installed(
    jobset: JobSetSpec | ExternalJobSet | None, trainer: KubeflowTrainerSpec | None
) -> dict[str, OperatorSpec]:
    """The operators that a stack installs, by section, in the order in which it does."""
    managed = jobset if isinstance(jobset, JobSetSpec) else None
    return {section: spec for section, spec in (("jobset", managed), ("trainer", trainer)) if spec}


def operator_findings(
    jobset: JobSetSpec | ExternalJobSet | None, trainer: KubeflowTrainerSpec | None
) -> Iterator[Violation]:
    """What is to be said about operators beside each other."""
    if jobset is None or trainer is None:
        return
    if jobset.version:
        yield from jobset_findings(trainer.version, jobset.version, "jobset.version")
    if isinstance(jobset, JobSetSpec) and jobset.namespace == trainer.namespace:
        message = f"JobSet has the namespace {trainer.namespace} too, and each removes its own on destroy."
        yield Violation(SAME_NAMESPACE, "trainer.namespace", message, "Give each operator a namespace of its own.")


def tenancy_on(cluster: Cluster) -> Tenancy:
    """The stack that runs, on its cluster."""
    access = ClusterAccess(cluster.context, cluster.kubeconfig)
    return Tenancy(access, f"{pulumi.get_project()}/{pulumi.get_stack()}")

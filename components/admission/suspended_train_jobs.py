"""Finds suspended TrainJobs, which use a runtime as it is when they resume.

Before 2.3 Trainer keeps no copy of the runtime of a TrainJob (kubeflow/trainer#3580). A change does not affect a
running TrainJob, because its JobSet is created once. If a TrainJob is suspended, by its user or by Kueue, its JobSet is
created anew (Trainer 2.0.0, pkg/runtime/framework/plugins/jobset/jobset.go).
"""

from collections.abc import Mapping
from threading import Lock
from typing import Any

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.objects import ObjectRef, bullet_list, collection_path, pluralize
from ..kubeflow_trainer import KubeflowTrainerSpec
from ..operators.compatibility import parse_version
from ..operators.discovery import InstalledOperator, find_installed_operator
from ..operators.uninstall_checks import is_finished
from ..validation.violation import Severity, Violation
from .runtime_users import names_runtime

FIRST_WITH_SNAPSHOTS = (2, 3)
"""The first Trainer that keeps a copy of the runtime for each TrainJob."""


class SuspendedTrainJobs:
    """The suspended TrainJobs of a cluster, read once in a run."""

    def __init__(self, access: ClusterClient) -> None:
        self._access = access
        self._seen: dict[str | None, list[Mapping[str, Any]]] = {}
        self._looking = Lock()

    def violations(self, runtime: ObjectRef) -> tuple[Violation, ...]:
        """A warning before a runtime is created or changed, if suspended TrainJobs will use the changed one."""
        try:
            named = [
                ObjectRef.of(job, "TrainJob") for job in self._waiting(runtime.namespace) if names_runtime(job, runtime)
            ]
            trainer = self._trainer() if named else None
        except ClusterReadError:  # a warning is not worth failing for
            return ()
        if (
            not named
            or trainer is None
            or not trainer.version
            or parse_version(trainer.version)[:2] >= FIRST_WITH_SNAPSHOTS
        ):
            return ()
        message = (
            f"{pluralize(named, 'suspended TrainJob')} will resume with the changed runtime, because Trainer "
            f"{trainer.version} does not snapshot runtimes:{bullet_list(named)}\n "
        )
        fix = "To avoid that, create the changed runtime under a new name."
        return (Violation("OPR-12", f"runtimes.{runtime.name}", message, fix, Severity.WARNING),)

    def _waiting(self, namespace: str | None) -> list[Mapping[str, Any]]:
        with self._looking:
            if namespace not in self._seen:
                jobs = self._access.list_objects(collection_path("TrainJob", namespace))
                self._seen[namespace] = [
                    job for job in jobs if (job.get("spec") or {}).get("suspend") and not is_finished(job)
                ]
            return self._seen[namespace]

    def _trainer(self) -> InstalledOperator | None:
        return find_installed_operator(
            self._access, KubeflowTrainerSpec.facts.webhooks, KubeflowTrainerSpec.facts.image_name
        )

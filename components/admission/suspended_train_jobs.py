"""TrainJobs that wait, and take a runtime as it is when they go on.

Before 2.3 Trainer keeps no copy of the runtime that a TrainJob names (kubeflow/trainer#3580). One that runs is left
alone by a change, since its JobSet is made once; one that is suspended, by its user or by Kueue, has it made anew
(Trainer 2.0.0, pkg/runtime/framework/plugins/jobset/jobset.go).
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
"""The first Trainer that keeps a copy for each TrainJob."""


class SuspendedTrainJobs:
    """The TrainJobs of a cluster that wait, looked at once in a run."""

    def __init__(self, access: ClusterClient) -> None:
        self._access = access
        self._seen: dict[str | None, list[Mapping[str, Any]]] = {}
        self._looking = Lock()

    def violations(self, runtime: ObjectRef) -> tuple[Violation, ...]:
        """What is to be said before a runtime is made or changed: who gets it without having asked for what it is
        now."""
        try:
            named = [
                ObjectRef.of(job, "TrainJob") for job in self._waiting(runtime.namespace) if names_runtime(job, runtime)
            ]
            trainer = self._trainer() if named else None
        except ClusterReadError:  # then nobody can be named, and nothing is in the way
            return ()
        if (
            not named
            or trainer is None
            or not trainer.version
            or parse_version(trainer.version)[:2] >= FIRST_WITH_SNAPSHOTS
        ):
            return ()
        message = (
            f"{pluralize(named, 'suspended TrainJob')} will go on with the runtime as it is now, since Trainer "
            f"{trainer.version} keeps no copy of what it was:{bullet_list(named)}\n "
        )
        fix = "Where that is not meant, give what changed another name, and leave this one as it was."
        return (Violation("OPR-12", f"runtimes.{runtime.name}", message, fix, Severity.WARNING),)

    def _waiting(self, namespace: str | None) -> list[Mapping[str, Any]]:
        with self._looking:
            if namespace not in self._seen:
                jobs = self._access.items(collection_path("TrainJob", namespace))
                self._seen[namespace] = [job for job in jobs if job["spec"].get("suspend") and not is_finished(job)]
            return self._seen[namespace]

    def _trainer(self) -> InstalledOperator | None:
        return find_installed_operator(self._access, KubeflowTrainerSpec.webhooks, KubeflowTrainerSpec.image_name())

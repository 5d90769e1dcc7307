"""Runs the validation of one runtime: creates its TrainJob, watches it, and deletes it."""

import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..cluster.client import ClusterClient, ClusterReadError, Response
from ..cluster.context import StackContext
from ..cluster.deadline import deadline
from ..cluster.objects import ObjectRef, collection_path
from ..cluster.ownership import is_owned_by
from .causes import diagnose
from .observations import NodeObservation, Observations
from .observer import JOBSET_NAME, TrainingObserver, nodes_of
from .phases import Phase
from .plan import LABEL, TrainingPlan
from .report import Outcome, PhaseResult, ValidationReport
from .rights import NODES
from .timeline import Timeline

POLL_INTERVAL = 0.5
"""Seconds between two observations."""

OBSERVATION_TIMEOUT = 60.0
"""Seconds that the last observation may take after the time limit. Logs take long if kubelets do not answer."""

LOG_TIMEOUT = 10.0
"""Seconds after the end of a TrainJob in which logs that cannot be read are read again."""

REMOVAL_TIMEOUT = 60.0
"""Seconds to wait until the pods of a deleted TrainJob are gone."""

CONFLICT, NOT_FOUND, SERVER_ERROR = 409, 404, 500


@dataclass(frozen=True)
class ValidationRun:
    """A run on one cluster."""

    stack_context: StackContext
    """The cluster, and whose TrainJobs are deleted."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    @property
    def access(self) -> ClusterClient:
        """The cluster."""
        return self.stack_context.access

    def validate(self, plan: TrainingPlan) -> ValidationReport:
        """The report of one runtime. Leaves no TrainJob behind. Raises ClusterReadError."""
        nodes, result = self._nodes(plan)
        results = {Phase.NODES: result}
        if result.outcome is Outcome.FAILED:
            return _report(plan, results, Observations(plan.expected, nodes))
        self.clear(plan.namespace)
        if plan.failure:
            results[Phase.ADMISSION] = PhaseResult(Outcome.FAILED, 0.0, plan.failure)
            return _report(plan, results, Observations(plan.expected, nodes))
        name = _name_of(plan)
        try:
            created = self._create(plan, name)
            if created.status >= SERVER_ERROR and not created.body:
                raise ClusterReadError(f"TrainJob {plan.namespace}/{name} cannot be created: {created.message}")
            if not created.ok:
                results[Phase.ADMISSION] = PhaseResult(Outcome.FAILED, 0.0, created.message)
                return _report(plan, results, Observations(plan.expected, nodes, (created.message,)))
            with deadline(plan.timeout_seconds + OBSERVATION_TIMEOUT):
                timeline = self._watch(plan, name)
        finally:
            # Also if an interrupt or an error left it unknown whether the TrainJob was created.
            self.clear(plan.namespace)
        return _report(plan, results | timeline.results(plan.is_simulated), timeline.seen)

    def clear(self, namespace: str) -> None:
        """Deletes the TrainJobs of this stack's validations, also those that a killed run left, and waits until their
        pods are gone. Raises ClusterReadError."""
        path = collection_path("TrainJob", namespace)
        labelled = self.access.list_objects(path, {"labelSelector": f"{LABEL}=true"})
        ours = [each for each in labelled if is_owned_by(self.stack_context, each)]
        for train_job in ours:
            metadata = train_job["metadata"]
            options = {
                "apiVersion": "v1",
                "kind": "DeleteOptions",
                "preconditions": {"uid": metadata["uid"]},
                "propagationPolicy": "Background",
            }
            answer = self.access.request("DELETE", ObjectRef.of(train_job, "TrainJob").path, options)
            if not answer.ok and answer.status not in (NOT_FOUND, CONFLICT):
                raise ClusterReadError(f"{path}/{metadata['name']} cannot be deleted: {answer.message}")
        end = self.clock() + REMOVAL_TIMEOUT
        while ours and self._has_pods(namespace, ours) and self.clock() < end:
            self.sleep(POLL_INTERVAL)

    def _has_pods(self, namespace: str, train_jobs: list[Any]) -> bool:
        names = ",".join(each["metadata"]["name"] for each in train_jobs)
        selectors = {"labelSelector": f"{JOBSET_NAME} in ({names})"}
        return bool(self.access.list_objects(f"/api/v1/namespaces/{namespace}/pods", selectors))

    def _nodes(self, plan: TrainingPlan) -> tuple[tuple[NodeObservation, ...], PhaseResult]:
        start = self.clock()

        def result(outcome: Outcome, detail: str) -> PhaseResult:
            return PhaseResult(outcome, self.clock() - start, detail)

        if not plan.promise:
            return (), result(Outcome.NOT_CHECKED, "No pool promises anything about the nodes")
        if NODES.is_denied(self.access):
            return (), result(Outcome.NOT_CHECKED, f"Listing nodes is not permitted: {NODES.rbac_rule}")
        nodes = nodes_of(self.access, plan)
        if not nodes:
            return (), result(Outcome.NOT_CHECKED, "The pool has no nodes now")
        short = [
            node
            for node in nodes
            if any(node.allocatable.get(name, 0) < count for name, count in plan.expected.resources.items())
        ]
        if short:
            return nodes, result(Outcome.FAILED, f"{len(short)} of {len(nodes)} nodes offer less than {plan.promise}")
        return nodes, result(Outcome.PASSED, f"Nodes: {len(nodes)}, each with {plan.promise}")

    def _create(self, plan: TrainingPlan, name: str) -> Response:
        manifest = plan.train_job.to_manifest()
        manifest["metadata"]["name"] = name
        return self.access.request("POST", collection_path("TrainJob", plan.namespace), manifest)

    def _watch(self, plan: TrainingPlan, name: str) -> Timeline:
        """The course of a TrainJob up to its end or the time limit. An API server that is away for a while is
        waited for."""
        start, observer = self.clock(), TrainingObserver(self.access, plan, name)
        timeline, ended = Timeline(Observations(plan.expected)), start + plan.timeout_seconds
        while True:
            error: ClusterReadError | None = None
            try:
                timeline.add(observer.observe(), self.clock() - start)
            except ClusterReadError as found:
                error = found
            if not error and plan.is_simulated and timeline.has_started:
                return timeline
            if not error and timeline.is_over:
                ended = min(ended, self.clock())
                if observer.has_all_logs or self.clock() - ended >= LOG_TIMEOUT:
                    return timeline
            if self.clock() - start >= plan.timeout_seconds:
                if error:
                    raise error
                return timeline
            self.sleep(POLL_INTERVAL)


def _name_of(plan: TrainingPlan) -> str:
    """A new name for the TrainJob, short enough for the names of its pods."""
    word = re.sub(r"[^a-z0-9-]", "-", plan.name)[:24].strip("-")
    return f"validate-{word}-{secrets.token_hex(3)}"


def _report(plan: TrainingPlan, results: dict[Phase, PhaseResult], seen: Observations) -> ValidationReport:
    failed = next((phase for phase in Phase if phase in results and results[phase].outcome is Outcome.FAILED), None)
    return ValidationReport(plan.name, plan.pool_name, results, diagnose(seen, failed) if failed else ())

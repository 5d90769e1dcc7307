"""What a cluster would lose of a runtime: the API server drops fields that a CRD does not know, with only a warning.

A runtime whose launcher has lost its `dependsOn` is taken all the same, and starts everything at once
(kubernetes-sigs/jobset#893). Too old can be its own CRD, and that of the JobSets which are made from it: Helm never
updates what is in a chart's `crds/`. So both are asked before anything is stored, by dry runs: once a field is lost, a
newer CRD does not bring it back.

Whether a field is dropped is decided by its place in the CRD's schema, whatever stands there and around it
(kubernetes/apiextensions-apiserver, pkg/apiserver/schema/pruning). So what was kept of one runtime is not asked about
again for another.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.hook_error import PreflightError
from ..cluster.objects import API_RESOURCES, collection_path
from ..cluster.permissions import Permission
from ..cluster.polling import poll_until_passing
from ..jobset import JobSetOperatorSpec
from ..kubeflow_trainer import KubeflowTrainerSpec
from ..operators.discovery import find_installed_operator
from ..operators.spec import OperatorSpec
from ..validation import paths
from ..validation.violation import Violation
from .probes import FORBIDDEN, PROBE_NAME

CRD_SETTLE_SECONDS = 5.0
"""Seconds that API servers may take to go by a CRD that was just changed."""

GO_ZERO_VALUES: Sequence[Any] = (None, "", 0, [], {})
"""What JobSet's mutating webhook may leave out of a JobSet that it writes anew."""


@dataclass(frozen=True, eq=False)
class DryRunProbe:
    """One object that must come back with all that is in it."""

    runtime: str
    """Name of the runtime that it is about."""

    operator: type[OperatorSpec]
    """Whose CRD decides."""

    crd: str
    """The CRD's name."""

    path: str
    """Where the object would be created."""

    body: Mapping[str, Any]
    """The object."""

    at: paths.FieldPath
    """Where in the runtime its `spec` is."""

    ignorable_values: Sequence[Any]
    """Values that may go: they say what their absence says."""

    @cached_property
    def field_locations(self) -> frozenset[paths.FieldPath]:
        """Where something is that must come back; those of a list's elements are one."""
        return frozenset(field_locations(self.body["spec"], (), self.ignorable_values))

    @property
    def right(self) -> Permission:
        """What it takes to ask."""
        _, _, below = self.path.partition("/namespaces/")
        return Permission(self.body["kind"], below.partition("/")[0] or None)

    def dropped_fields(self, access: ClusterClient) -> tuple[str, ...] | None:
        """Paths in the runtime of what would be dropped. None where the answer is another one than the object: whoever
        makes it is told that too, and better. Raises PreflightError where whoever deploys may not ask: no one else
        would say."""
        try:
            answer = access.call("POST", self.path, self.body, dry_run=True)
            if answer.status == FORBIDDEN and self.right.is_denied(access):
                raise PreflightError([_unasked(self, answer.message)])
        except ClusterReadError:
            return None
        if not answer.ok:
            return None
        found = dropped(self.body["spec"], answer.body.get("spec"), self.at, self.ignorable_values)
        return tuple(map(paths.format_path, found))


def dropped(
    sent: Any, kept: Any, at: paths.FieldPath = (), ignorable_values: Sequence[Any] = (None,)
) -> Iterator[paths.FieldPath]:
    """Where something was sent and nothing is kept; of what is dropped whole, its outermost place.

    Another value is no loss: API servers and webhooks write defaults, and numbers and quantities in a form of their
    own. `ignorable_values` are the values that need not be kept.
    """
    if sent in ignorable_values:
        return
    if kept is None:
        yield at
    elif isinstance(sent, Mapping) and isinstance(kept, Mapping):
        for key, value in sent.items():
            yield from dropped(value, kept.get(key), (*at, key), ignorable_values)
    elif isinstance(sent, list) and isinstance(kept, list):
        for index, value in enumerate(sent):
            yield from dropped(value, kept[index] if index < len(kept) else None, (*at, index), ignorable_values)


def field_locations(
    sent: Any, at: paths.FieldPath = (), ignorable_values: Sequence[Any] = (None,)
) -> Iterator[paths.FieldPath]:
    """Every place where something is sent, as `dropped` compares it; those of a list's elements are one."""
    if sent in ignorable_values:
        return
    yield at
    if isinstance(sent, Mapping):
        for key, value in sent.items():
            yield from field_locations(value, (*at, key), ignorable_values)
    elif isinstance(sent, list):
        for value in sent:
            yield from field_locations(value, (*at, 0), ignorable_values)


def questions(manifest: Mapping[str, Any]) -> tuple[DryRunProbe, ...]:
    """What is asked about a runtime: itself, and the JobSet of its template, in its namespace or in `default`."""
    metadata, template = manifest["metadata"], manifest["spec"]["template"]
    name, crd = metadata["name"], f"{API_RESOURCES[manifest['kind']][1]}.trainer.kubeflow.org"
    runtime = {**manifest, "metadata": {**metadata, "name": PROBE_NAME}}
    jobset = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": PROBE_NAME},
        "spec": template["spec"],
    }
    runtimes = collection_path(manifest["kind"], metadata.get("namespace"))
    jobsets = collection_path("JobSet", metadata.get("namespace", "default"))
    return (
        # An empty mapping can be a choice: `mlPolicy: {jax: {}}`.
        DryRunProbe(name, KubeflowTrainerSpec, crd, runtimes, runtime, ("spec",), (None,)),
        DryRunProbe(
            name,
            JobSetOperatorSpec,
            *JobSetOperatorSpec.crds,
            jobsets,
            jobset,
            ("spec", "template", "spec"),
            GO_ZERO_VALUES,
        ),
    )


class FieldPruningCheck:
    """What a cluster keeps of runtimes, asked once of each place in a run."""

    def __init__(
        self,
        access: ClusterClient,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._access, self._clock, self._sleep = access, clock, sleep
        self._kept: dict[str, frozenset[paths.FieldPath]] = {}
        self._settled: float | None = None
        # Many runtimes come at once: the second of them waits for what the first one is told.
        self._asking = Lock()

    def require(self, manifests: Sequence[Mapping[str, Any]]) -> None:
        """Returns when the cluster would keep everything of these runtimes. Raises PreflightError with all that it
        would drop."""
        left = [question for manifest in manifests for question in questions(manifest)]
        with self._asking:
            while asked := self._unanswered(left):
                left = [question for question in left if question not in asked]
                if losses := self._lost(asked, self._settling()):
                    losses |= self._lost(left, 0)
                    raise PreflightError(
                        [_violation(question, lost, self._access) for question, lost in losses.items()]
                    )

    def _settling(self) -> float:
        """Seconds that may still be taken: operators come before runtimes, so it counts from the first question."""
        if self._settled is None:
            self._settled = self._clock() + CRD_SETTLE_SECONDS
        return max(0, self._settled - self._clock())

    def _unanswered(self, left: Sequence[DryRunProbe]) -> list[DryRunProbe]:
        """Those of the questions whose answers tell of every place that is not known to be kept."""
        telling, told = [], dict(self._kept)
        for question in left:
            known, asked = told.get(question.crd, frozenset()), question.field_locations
            if not asked <= known:
                telling.append(question)
                told[question.crd] = known | asked
        return telling

    def _lost(self, asked: Sequence[DryRunProbe], seconds: float) -> dict[DryRunProbe, tuple[str, ...]]:
        """What would still be dropped after `seconds`, by question. What would be kept is remembered."""

        def ask(question: DryRunProbe) -> tuple[str, ...] | None:
            lost = question.dropped_fields(self._access)
            if lost == ():
                self._kept[question.crd] = self._kept.get(question.crd, frozenset()) | question.field_locations
            return lost

        return poll_until_passing(asked, ask, seconds, self._clock, self._sleep)


def _unasked(question: DryRunProbe, said: str) -> Violation:
    message = (
        f"Whether the CRD `{question.crd}` has all fields of the runtime is unknown: {said}. Whoever deploys may not "
        f"{question.right}."
    )
    fix = f"Grant it, though nothing is kept of what is asked: {question.right.rule}."
    return Violation("OPR-11", f"runtimes.{question.runtime}", message, fix)


def _violation(question: DryRunProbe, lost: Sequence[str], access: ClusterClient) -> Violation:
    fields = ", ".join(f"`{path}`" for path in lost)
    kind = question.body["kind"]
    message = (
        f"The cluster would drop {fields} of the {kind}: its CRD `{question.crd}` does not know "
        f"{'them' if len(lost) > 1 else 'it'}, and no error would follow."
    )
    fix = (
        f"Bring the CRD to that of {_version(question.operator, access)} (`pulumi refresh` and `up` again where this "
        "stack installs it, elsewhere apply it: Helm does not), or leave the field out."
    )
    return Violation("OPR-09", f"runtimes.{question.runtime}", message, fix)


def _version(operator: type[OperatorSpec], access: ClusterClient) -> str:
    try:
        there = find_installed_operator(access, operator.webhooks, operator.image_name())
    except ClusterReadError:
        there = None
    version = there and there.version
    return f"{operator.title} {version}, which runs in `{there.namespace}`" if there and version else operator.title

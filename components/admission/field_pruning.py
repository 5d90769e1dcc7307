"""Checks which fields of a runtime the cluster would drop. The API server drops fields that a CRD does not have, with
only a warning.

A runtime whose launcher has lost its `dependsOn` is admitted, and starts everything at the same time
(kubernetes-sigs/jobset#893). Its own CRD can be too old, and so can that of the JobSets created from it: Helm never
updates what is in a chart's `crds/`. So both are checked by dry runs before anything is stored: a newer CRD does not
bring back a field that was dropped.

Whether a field is dropped depends only on its path in the CRD's schema, not on its value or its neighbors
(kubernetes/apiextensions-apiserver, pkg/apiserver/schema/pruning). So a path that was kept for one runtime is not
checked again for another.
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
from ..cluster.replacement import PROBE_NAME
from ..jobset import JobSetOperatorSpec
from ..kubeflow_trainer import KubeflowTrainerSpec
from ..operators.discovery import find_installed_operator
from ..operators.spec import OperatorSpec
from ..validation import paths
from ..validation.violation import Violation
from .probes import FORBIDDEN

CRD_SETTLE_SECONDS = 5.0
"""Seconds that API servers may need to apply a CRD that was just changed."""

GO_ZERO_VALUES: Sequence[Any] = (None, "", 0, [], {})
"""Values that JobSet's mutating webhook may leave out of a JobSet that it rewrites."""


@dataclass(frozen=True)
class Unknown:
    """The result of a dry run that got no response."""

    why: str
    """The reason."""


@dataclass(frozen=True, eq=False)
class DryRunProbe:
    """A dry run of one object, which must return all its fields."""

    runtime: str
    """Name of the runtime."""

    operator: type[OperatorSpec]
    """The operator that owns the CRD."""

    crd: str
    """Name of the CRD."""

    path: str
    """Path at which the object would be created."""

    body: Mapping[str, Any]
    """The object."""

    at: paths.FieldPath
    """Path in the runtime of the object's `spec`."""

    ignorable_values: Sequence[Any]
    """Values that may be dropped, because they mean the same as their absence."""

    @cached_property
    def field_locations(self) -> frozenset[paths.FieldPath]:
        """The paths of all fields that must be returned. All items of a list have one path."""
        return frozenset(field_locations(self.body["spec"], (), self.ignorable_values))

    @property
    def right(self) -> Permission:
        """The permission that the dry run needs."""
        _, _, below = self.path.partition("/namespaces/")
        return Permission(self.body["kind"], below.partition("/")[0] or None)

    def dropped_fields(self, access: ClusterClient) -> tuple[str, ...] | None:
        """Paths in the runtime of the fields that would be dropped. None if the dry run was rejected: the real request
        will report the reason. Raises ClusterReadError; PreflightError if the deploying identity lacks the permission
        for the dry run."""
        answer = access.request("POST", self.path, self.body, dry_run=True)
        if answer.status == FORBIDDEN and self.right.is_denied(access):
            raise PreflightError([_missing_permissions(self, answer.message)])
        if not answer.ok:
            return None
        found = dropped(self.body["spec"], answer.body.get("spec"), self.at, self.ignorable_values)
        return tuple(map(paths.format_path, found))


def dropped(
    sent: Any, kept: Any, at: paths.FieldPath = (), ignorable_values: Sequence[Any] = (None,)
) -> Iterator[paths.FieldPath]:
    """The paths that were sent and not kept. For a mapping or list that was dropped whole, only its own path.

    A changed value is not a loss: API servers and webhooks set defaults and normalize numbers and quantities.
    `ignorable_values` are values that may be dropped.
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
    """The dry runs for a runtime: the runtime itself, and the JobSet of its template, in the runtime's namespace or in
    `default`."""
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
        # An empty mapping can have a meaning: `mlPolicy: {jax: {}}`.
        DryRunProbe(name, KubeflowTrainerSpec, crd, runtimes, runtime, ("spec",), (None,)),
        DryRunProbe(
            name,
            JobSetOperatorSpec,
            JobSetOperatorSpec.facts.crds[0],
            jobsets,
            jobset,
            ("spec", "template", "spec"),
            GO_ZERO_VALUES,
        ),
    )


class FieldPruningCheck:
    """Checks which fields of runtimes the cluster keeps. Each path is checked once in a run."""

    def __init__(
        self,
        access: ClusterClient,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._access, self._clock, self._sleep = access, clock, sleep
        self._kept: dict[str, frozenset[paths.FieldPath]] = {}
        self._settled: float | None = None
        # Runtimes are created in parallel: the second one waits for the results of the first.
        self._asking = Lock()

    def require(self, manifests: Sequence[Mapping[str, Any]]) -> None:
        """Raise PreflightError with all fields of these runtimes that the cluster would drop, if any."""
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
        """Seconds left to wait for CRDs. Counted from the first check, because operators come before runtimes."""
        if self._settled is None:
            self._settled = self._clock() + CRD_SETTLE_SECONDS
        return max(0, self._settled - self._clock())

    def _unanswered(self, left: Sequence[DryRunProbe]) -> list[DryRunProbe]:
        """The fewest dry runs that cover all paths not yet known to be kept."""
        telling, told = [], dict(self._kept)
        for question in left:
            known, asked = told.get(question.crd, frozenset()), question.field_locations
            if not asked <= known:
                telling.append(question)
                told[question.crd] = known | asked
        return telling

    def _lost(self, asked: Sequence[DryRunProbe], seconds: float) -> dict[DryRunProbe, tuple[str, ...] | Unknown]:
        """The fields that are still dropped or unknown after `seconds`, by dry run. Fields that are kept are
        remembered."""

        def ask(question: DryRunProbe) -> tuple[str, ...] | Unknown | None:
            try:
                lost = question.dropped_fields(self._access)
            except ClusterReadError as error:
                return Unknown(str(error))
            if lost == ():
                self._kept[question.crd] = self._kept.get(question.crd, frozenset()) | question.field_locations
            return lost

        return poll_until_passing(asked, ask, seconds, self._clock, self._sleep)


def _missing_permissions(question: DryRunProbe, said: str) -> Violation:
    message = (
        f"Cannot check that CRD `{question.crd}` has all fields of the runtime: {said}. The deploying identity may not "
        f"{question.right}."
    )
    fix = f"Grant this permission (only dry runs are made): {question.right.rbac_rule}."
    return Violation("OPR-11", f"runtimes.{question.runtime}", message, fix)


def _violation(question: DryRunProbe, lost: tuple[str, ...] | Unknown, access: ClusterClient) -> Violation:
    if isinstance(lost, Unknown):
        message = f"The CRD `{question.crd}` could not be checked for the fields of the runtime: {lost.why}."
        fix = "Fix the connection, and run this again."
        return Violation("OPR-07", f"runtimes.{question.runtime}", message, fix)
    fields = ", ".join(f"`{path}`" for path in lost)
    kind = question.body["kind"]
    message = (
        f"The cluster would silently drop {fields} of the {kind}: CRD `{question.crd}` does not have "
        f"{'these fields' if len(lost) > 1 else 'this field'}."
    )
    fix = (
        f"Update the CRD to that of {_version(question.operator, access)}: run `pulumi refresh` and `up` if this stack "
        "installs it, otherwise apply the CRD (Helm does not update CRDs). Or remove the field."
    )
    return Violation("OPR-09", f"runtimes.{question.runtime}", message, fix)


def _version(operator: type[OperatorSpec], access: ClusterClient) -> str:
    try:
        there = find_installed_operator(access, operator.facts.webhooks, operator.facts.image_name)
    except ClusterReadError:
        there = None
    version = there and there.version
    return (
        f"{operator.facts.title} {version} in namespace `{there.namespace}`"
        if there and version
        else operator.facts.title
    )

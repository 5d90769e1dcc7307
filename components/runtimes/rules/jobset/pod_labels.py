"""References to labels and annotations of pods."""

from collections.abc import Iterable, Iterator

from ....k8s.metadata import EmbeddedMetadata, LabelSelector
from ....validation.violation import Severity, Violation
from ...topology import ANCESTOR_STEP
from ..rule import rule, violation
from ..view import LocatedJob, LocatedPod, RuntimeView, label

JOBSET_DOMAIN = "jobset.sigs.k8s.io"
COORDINATOR = f"{JOBSET_DOMAIN}/coordinator"
JOBSET_NAME = f"{JOBSET_DOMAIN}/jobset-name"
REPLICATED_JOB = f"{JOBSET_DOMAIN}/replicatedjob-name"

OF_JOBSET = {
    JOBSET_NAME,
    REPLICATED_JOB,
    *(
        f"{JOBSET_DOMAIN}/{name}"
        for name in (
            "global-replicas",
            "group-name",
            "group-replicas",
            "job-global-index",
            "job-group-index",
            "job-index",
            "job-key",
            "job-restart-attempt",
            "jobset-uid",
            "replicatedjob-replicas",
            "restart-attempt",
        )
    ),
}
"""Labels, and annotations, of every pod of a JobSet: api/jobset/v1alpha2/jobset_types.go,
pkg/controllers/jobset_controller.go labelAndAnnotateObject@jobset@v0.12.0.
"""

OF_JOB = {
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-completion-index",
    "batch.kubernetes.io/job-index-failure-count",
    "batch.kubernetes.io/job-index-ignored-failure-count",
    "batch.kubernetes.io/job-name",
}
"""Labels that the Job controller adds: staging/src/k8s.io/api/batch/v1/types.go@kubernetes@v1.37.2."""

DOMAINS = (JOBSET_DOMAIN, "trainer.kubeflow.org", "training.kubeflow.org", "batch.kubernetes.io")
"""Domains of controllers that add no other label to these pods."""


@rule("SIL-39", severity=Severity.WARNING)
def labels_of_pods_are_on_pods(view: RuntimeView) -> Iterator[Violation]:
    """A selector or fieldRef names a label or annotation that no pod of the runtime has.

    Pods have the labels of their pod template and those that JobSet and the Job controller add. Labels of a job
    template stay on the Job, and those of the JobSet template on the JobSet. A pod selector (affinity, anti-affinity,
    topology spread) then matches no pod, so a constraint such as one pod per node has no effect; a fieldRef is empty.
    Labels that another controller may add, or that other pods may have, are not reported.
    Source: pkg/controllers/jobset_controller.go constructJob, labelAndAnnotateObject@jobset@v0.12.0.
    """
    for job in view.jobs:
        if job.pod is None:
            continue
        for path, key, value in _selected(job.pod):
            if _is_on_no_pod(view, key):
                yield violation(
                    path,
                    f"No pod of this runtime carries the label {key}: the selector matches none.",
                    _selector_fix(view, job, key, value),
                )
            elif key == REPLICATED_JOB and value is not None and view.job(value) is None:
                names = ", ".join(other.name for other in view.jobs)
                yield violation(
                    path, f"No job of this runtime is called {value!r}: the selector matches none.", f"Use {names}."
                )
        for path, key, carried in _field_references(job.pod):
            if key not in carried and _may_not_be_added(view, key):
                yield violation(
                    path,
                    f"The pods of {job.name!r} do not carry {key}: the value is empty.",
                    f"Use metadata.labels['{JOBSET_NAME}'], which is the TrainJob's name."
                    if key.endswith(("jobset-name", "trainjob-name", "/job-name", "train-job-name"))
                    else f"Put it on the pod template, {job.pod.template_path}.metadata, or take the reference out.",
                )


def _selector_fix(view: RuntimeView, job: LocatedJob, key: str, value: str | None) -> str:
    meant = next((other for other in view.jobs if label(other.model.template.metadata, key) == value), job)
    template = f"{meant.path}.template.spec.template.metadata.labels"
    fix = f"Put it on the pod template, {template}."
    return f"Select {REPLICATED_JOB}: {meant.name}." if key == ANCESTOR_STEP else fix


def _selected(pod: LocatedPod) -> Iterator[tuple[str, str, str | None]]:
    """Labels in selectors of pods: path, key, and the value if there is only one."""
    selectors: list[tuple[str, LabelSelector | None]] = []
    affinity = pod.spec.affinity
    for kind, terms in (
        ("podAffinity", affinity and affinity.pod_affinity),
        ("podAntiAffinity", affinity and affinity.pod_anti_affinity),
    ):
        path = f"{pod.path}.affinity.{kind}"
        for index, term in enumerate((terms and terms.required_during_scheduling_ignored_during_execution) or ()):
            place = f"{path}.requiredDuringSchedulingIgnoredDuringExecution[{index}]"
            selectors.append((f"{place}.labelSelector", term.label_selector))
        for index, weighted in enumerate((terms and terms.preferred_during_scheduling_ignored_during_execution) or ()):
            place = f"{path}.preferredDuringSchedulingIgnoredDuringExecution[{index}].podAffinityTerm"
            selectors.append((f"{place}.labelSelector", weighted.pod_affinity_term.label_selector))
    for index, constraint in enumerate(pod.spec.topology_spread_constraints or ()):
        place = f"{pod.path}.topologySpreadConstraints[{index}].labelSelector"
        selectors.append((place, constraint.label_selector))
    for path, selector in selectors:
        for key, value in ((selector and selector.match_labels) or {}).items():
            yield f"{path}.matchLabels[{key}]", key, value
        for index, each in enumerate((selector and selector.match_expressions) or ()):
            if each.operator in {"In", "Exists"}:
                values = each.values or ()
                yield f"{path}.matchExpressions[{index}].key", each.key, values[0] if len(values) == 1 else None


def _field_references(pod: LocatedPod) -> Iterator[tuple[str, str, set[str]]]:
    """Labels and annotations that containers read: path, key, and all labels or annotations of the pod."""
    metadata = pod.template.metadata
    paths = [
        (f"{at.path}.env[{index}].valueFrom.fieldRef.fieldPath", variable.value_from.field_ref.field_path)
        for at in pod.containers
        for index, variable in enumerate(at.model.env or ())
        if variable.value_from and variable.value_from.field_ref
    ]
    for number, volume in enumerate(pod.spec.volumes or ()):
        for index, item in enumerate((volume.downward_api and volume.downward_api.items) or ()):
            if item.field_ref:
                path = f"{pod.path}.volumes[{number}].downwardAPI.items[{index}].fieldRef.fieldPath"
                paths.append((path, item.field_ref.field_path))
    for path, field in paths:
        kind, _, rest = field.partition("['")
        if rest and kind in {"metadata.labels", "metadata.annotations"}:
            own = metadata and (metadata.labels if kind == "metadata.labels" else metadata.annotations)
            yield path, rest.removesuffix("']"), {*(own or {})}


def _is_on_no_pod(view: RuntimeView, key: str) -> bool:
    carried = {name for pod in view.pods for name in _labels(pod.template.metadata)}
    return key not in carried and _may_not_be_added(view, key)


def _may_not_be_added(view: RuntimeView, key: str) -> bool:
    """Whether no controller adds a label to the pods, because the label is set on another object or has the domain of a
    known controller."""
    if key in OF_JOBSET | OF_JOB or (key == COORDINATOR and view.jobset and view.jobset.coordinator):
        return False
    domain = key.rpartition("/")[0]
    return domain in DOMAINS or key in _elsewhere(view)


def _elsewhere(view: RuntimeView) -> set[str]:
    """Keys of labels and annotations of objects other than pods."""
    template = view.runtime.spec.template
    owners: Iterable[EmbeddedMetadata | None] = (
        template.metadata if template else None,
        *(job.model.template.metadata for job in view.jobs),
    )
    return {
        *(view.runtime.metadata.labels or {}),
        *(view.runtime.metadata.annotations or {}),
        *(key for metadata in owners for key in (*_labels(metadata), *((metadata and metadata.annotations) or {}))),
    }


def _labels(metadata: EmbeddedMetadata | None) -> Iterable[str]:
    return (metadata and metadata.labels) or {}

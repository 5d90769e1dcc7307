"""Names, labels and annotations: of the runtime, and of the JobSet, jobs, pods and claims made from it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....k8s.grammars import DNS_LABEL, DNS_SUBDOMAIN, LABEL_VALUE, QUALIFIED_NAME, escapes_directory
from ....k8s.metadata import EmbeddedMetadata, LabelSelector
from ....validation.violation import Severity, Violation
from ..rule import rule, violation
from ..view import JOBSET_PATH, RuntimeView

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
INTEGER = re.compile("0|[1-9][0-9]*|-[0-9]+")

MAX_ANNOTATIONS_BYTES = 256 * 1024
"""Maximum size of all annotations of an object: k8s.io/apimachinery/pkg/api/validation/objectmeta.go@v0.37.2."""


def label_problems(path: str, labels: Mapping[str, str] | None) -> Iterator[Violation]:
    """Yields the problems of labels."""
    for key, value in (labels or {}).items():
        if not QUALIFIED_NAME.matches(key):
            yield violation(
                f"{path}[{key}]",
                f"{key!r} is not a valid label key: it must be {QUALIFIED_NAME}.",
                "Rename the label.",
            )
        if not LABEL_VALUE.matches(value):
            yield violation(
                f"{path}[{key}]",
                f"{value!r} is not a valid label value: it must be {LABEL_VALUE}.",
                "Change the value, or make it an annotation.",
            )


def selector_problems(path: str, selector: LabelSelector | None) -> Iterator[Violation]:
    """Yields the problems of a label selector."""
    if selector is None:
        return
    yield from label_problems(f"{path}.matchLabels", selector.match_labels)
    for index, requirement in enumerate(selector.match_expressions or ()):
        where = f"{path}.matchExpressions[{index}]"
        if requirement.operator not in {"In", "NotIn", "Exists", "DoesNotExist"}:
            yield violation(
                f"{where}.operator",
                f"{requirement.operator!r} is not a valid label selector operator.",
                "Use In, NotIn, Exists or DoesNotExist.",
            )
        elif (requirement.operator in {"In", "NotIn"}) != bool(requirement.values):
            yield violation(
                f"{where}.values",
                f"Operator {requirement.operator} needs {'some' if not requirement.values else 'no'} values.",
                "Set values for In and NotIn, and none for Exists and DoesNotExist.",
            )
        if not QUALIFIED_NAME.matches(requirement.key):
            yield violation(
                f"{where}.key",
                f"{requirement.key!r} is not a valid label key: it must be {QUALIFIED_NAME}.",
                "Correct the key.",
            )
        for number, value in enumerate(requirement.values or ()):
            if not LABEL_VALUE.matches(value):
                yield violation(
                    f"{where}.values[{number}]",
                    f"{value!r} is not a valid label value: it must be {LABEL_VALUE}.",
                    "Correct the value.",
                )


def annotation_problems(path: str, annotations: Mapping[str, str] | None) -> Iterator[Violation]:
    """Yields the problems of annotations."""
    for key in annotations or {}:
        if not QUALIFIED_NAME.matches(key.lower()):
            yield violation(
                f"{path}[{key}]",
                f"{key!r} is not a valid annotation key: it must be {QUALIFIED_NAME}.",
                "Rename the annotation.",
            )
    size = sum(len(key.encode()) + len(value.encode()) for key, value in (annotations or {}).items())
    if size > MAX_ANNOTATIONS_BYTES:
        yield violation(
            path,
            f"The annotations have {size} bytes; the maximum is {MAX_ANNOTATIONS_BYTES}.",
            "Move large values to a ConfigMap.",
        )


def _embedded(view: RuntimeView) -> Iterator[tuple[str, EmbeddedMetadata]]:
    template = view.runtime.spec.template
    if template and template.metadata:
        yield "spec.template.metadata", template.metadata
    for job in view.jobs:
        if job.model.template.metadata:
            yield f"{job.path}.template.metadata", job.model.template.metadata
    for pod in view.pods:
        if pod.template.metadata:
            yield f"{pod.template_path}.metadata", pod.template.metadata
    for index, policy in enumerate((view.jobset and view.jobset.volume_claim_policies) or ()):
        for number, claim in enumerate(policy.templates or ()):
            if claim.metadata:
                yield f"{JOBSET_PATH}.volumeClaimPolicies[{index}].templates[{number}].metadata", claim.metadata


def _owner_problems(owners: Sequence[Mapping[str, Any]]) -> Iterator[Violation]:
    for index, owner in enumerate(owners):
        for name in ("apiVersion", "kind", "name", "uid"):
            if not owner[name]:
                yield violation(f"metadata.ownerReferences[{index}].{name}", f"{name} is empty.", f"Set {name}.")
    # The API server drops an owner that is there twice, before it looks.
    different = [owner for index, owner in enumerate(owners) if owner not in owners[:index]]
    if sum(owner.get("controller") is True for owner in different) > 1:
        yield violation(
            "metadata.ownerReferences",
            "Two owners have controller set to true.",
            "Set controller to true for only one.",
        )


@rule("K8S-21")
def metadata_is_well_formed(view: RuntimeView) -> Iterator[Violation]:
    """A name, label, annotation or owner reference is invalid.

    The API server checks the runtime's own metadata when the runtime is created. It checks embedded metadata only when
    the JobSet, a Job or a claim is created.
    Source: pkg/apis/core/validation/validation.go:7495@kubernetes@v1.37.2,
    k8s.io/apimachinery/pkg/api/validation/objectmeta.go@v0.37.2.
    """
    metadata = view.runtime.metadata
    if metadata.name is not None and not DNS_SUBDOMAIN.matches(metadata.name):
        yield violation(
            "metadata.name", f"{metadata.name!r} is not a valid name: it must be {DNS_SUBDOMAIN}.", "Rename it."
        )
    if metadata.generate_name and not DNS_SUBDOMAIN.matches(metadata.generate_name.removesuffix("-")):
        yield violation(
            "metadata.generateName",
            f"{metadata.generate_name!r} is not a valid generateName: it must be {DNS_SUBDOMAIN}, optionally "
            "followed by '-'.",
            "Correct it.",
        )
    yield from _owner_problems(metadata.owner_references or ())
    if metadata.namespace and not DNS_LABEL.matches(metadata.namespace):
        yield violation(
            "metadata.namespace",
            f"{metadata.namespace!r} is not a valid namespace: it must be {DNS_LABEL}.",
            "Correct the name.",
        )
    yield from label_problems("metadata.labels", metadata.labels)
    yield from annotation_problems("metadata.annotations", metadata.annotations)
    for path, embedded in _embedded(view):
        yield from label_problems(f"{path}.labels", embedded.labels)
        yield from annotation_problems(f"{path}.annotations", embedded.annotations)


@rule("RUN-10", severity=Severity.WARNING)
def clusters_runtime_has_no_namespace(view: RuntimeView) -> Iterator[Violation]:
    """A ClusterTrainingRuntime has a namespace.

    The API server silently removes it: the runtime is for all namespaces.
    Source: k8s.io/apiserver/pkg/registry/rest/meta.go EnsureObjectNamespaceMatchesRequestNamespace@v0.37.2.
    """
    metadata = view.runtime.metadata
    if view.runtime.kind == "ClusterTrainingRuntime" and metadata.namespace:
        yield violation(
            "metadata.namespace",
            f"A ClusterTrainingRuntime has no namespace: the API server silently drops {metadata.namespace!r}.",
            "Remove namespace, or make it a TrainingRuntime.",
        )


@rule("K8S-22")
def pod_annotations_are_heeded(view: RuntimeView) -> Iterator[Violation]:
    """A pod annotation that Kubernetes reads has an invalid value.

    These are the deletion cost, and the former annotations for profiles of AppArmor and seccomp.
    Source: pkg/apis/core/validation/validation.go:201-225,5429-5456,5510-5538@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        annotations = (pod.template.metadata and pod.template.metadata.annotations) or {}
        names = {at.model.name for at in pod.containers}
        for key, value in annotations.items():
            path = f"{pod.template_path}.metadata.annotations[{key}]"
            if key == DELETION_COST and not (INTEGER.fullmatch(value) and abs(int(value)) < 2**31):
                yield violation(
                    path, f"{value!r} is not a valid 32-bit integer.", "Write a number without leading zeros."
                )
            if key.startswith(APP_ARMOR):
                if key.removeprefix(APP_ARMOR) not in names:
                    yield violation(path, "The pod has no container of this name.", "Use the field appArmorProfile.")
                if value not in {"", "runtime/default", "unconfined"} and not value.startswith("localhost/"):
                    yield violation(
                        path, f"{value!r} is not a valid AppArmor profile.", "Use the field appArmorProfile."
                    )
            if key == SECCOMP_POD or key.startswith(SECCOMP_CONTAINER):
                local = value.removeprefix("localhost/")
                known = value in {"runtime/default", "docker/default", "unconfined"}
                if not known and (local == value or escapes_directory(local)):
                    yield violation(path, f"{value!r} is not a valid seccomp profile.", "Use the field seccompProfile.")

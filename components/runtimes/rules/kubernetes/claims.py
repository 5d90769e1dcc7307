"""What Kubernetes rejects in specs of PersistentVolumeClaims."""

from collections.abc import Iterator

from ....k8s.claims import PersistentVolumeClaimSpec
from ....k8s.grammars import DNS_SUBDOMAIN
from ....k8s.quantities import amount
from ....validation.violation import Violation
from ..rule import violation
from .metadata import selector_problems

ACCESS_MODES = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"}


def claim_problems(path: str, spec: PersistentVolumeClaimSpec) -> Iterator[Violation]:
    """Yields the problems of a claim's spec."""
    modes = spec.access_modes or ()
    if not modes:
        yield violation(
            f"{path}.accessModes", "The claim has no access mode.", "Set accessModes, e.g. [ReadWriteMany]."
        )
    for index, mode in enumerate(modes):
        if mode not in ACCESS_MODES:
            yield violation(
                f"{path}.accessModes[{index}]",
                f"{mode!r} is not a valid access mode.",
                f"Use some of {', '.join(sorted(ACCESS_MODES))}.",
            )
    if "ReadWriteOncePod" in modes and len(set(modes) & ACCESS_MODES) > 1:
        yield violation(
            f"{path}.accessModes",
            "ReadWriteOncePod cannot be combined with other access modes.",
            "Keep ReadWriteOncePod or the others.",
        )
    storage = ((spec.resources and spec.resources.requests) or {}).get("storage")
    if storage is None or amount(storage) <= 0:
        yield violation(
            f"{path}.resources.requests[storage]",
            "The claim asks for no storage." if storage is None else f"{storage!r} is not a valid amount of storage.",
            "Set an amount, e.g. 20Gi.",
        )
    for name, value in (
        ("storageClassName", spec.storage_class_name),
        ("volumeAttributesClassName", spec.volume_attributes_class_name),
    ):
        if value and not DNS_SUBDOMAIN.matches(value):
            yield violation(
                f"{path}.{name}", f"{value!r} is not a valid class: it must be {DNS_SUBDOMAIN}.", "Correct the name."
            )
    if spec.volume_mode is not None and spec.volume_mode not in {"Block", "Filesystem"}:
        yield violation(
            f"{path}.volumeMode",
            f"{spec.volume_mode!r} is not a valid volume mode.",
            "Use Filesystem, or leave it out.",
        )
    yield from selector_problems(f"{path}.selector", spec.selector)
    yield from _source_problems(path, spec)


def _source_problems(path: str, spec: PersistentVolumeClaimSpec) -> Iterator[Violation]:
    source, reference = spec.data_source, spec.data_source_ref
    for name, given in (("dataSource", source), ("dataSourceRef", reference)):
        if given is None:
            continue
        group, kind = given.get("apiGroup") or "", given.get("kind") or ""
        if not given.get("name"):
            yield violation(f"{path}.{name}.name", "The name is empty.", "Name the object.")
        # Of an unknown kind dataSource alone is dropped silently.
        if not group and kind != "PersistentVolumeClaim" and reference is not None:
            yield violation(
                f"{path}.{name}.kind",
                f"{kind!r} is not a valid data source without an apiGroup.",
                "Use PersistentVolumeClaim, or set apiGroup.",
            )
        if group and not DNS_SUBDOMAIN.matches(group):
            yield violation(
                f"{path}.{name}.apiGroup", f"{group!r} is not a valid group: it must be {DNS_SUBDOMAIN}.", "Correct it."
            )
    if source and reference and any(source.get(key) != reference.get(key) for key in ("apiGroup", "kind", "name")):
        yield violation(
            f"{path}.dataSource", "dataSource and dataSourceRef are different objects.", "Remove dataSource."
        )

"""What Kubernetes rejects in mounts."""

from collections.abc import Iterator

from ....k8s.containers import VolumeMount
from ....k8s.grammars import escapes_directory, has_parent_reference
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import LocatedContainer, LocatedJob, RuntimeView, claim_templates, injected_volumes

PROPAGATIONS = {"None", "HostToContainer", "Bidirectional"}


def _containers(view: RuntimeView) -> Iterator[tuple[LocatedJob, LocatedContainer]]:
    for job in view.jobs:
        for at in job.pod.containers if job.pod else ():
            yield job, at


def _volumes(view: RuntimeView, job: LocatedJob) -> set[str]:
    """Names of all volumes of a job's pods, including those that controllers add."""
    declared = {volume.name for volume in (job.pod.spec.volumes if job.pod else None) or ()}
    return declared | injected_volumes(view, job) | {name for _, name, _ in claim_templates(view)}


@rule("K8S-05")
def mounts_have_volumes(view: RuntimeView) -> Iterator[Violation]:
    """A mount or block device names no volume of the pod.

    These volumes need no declaration: `mpi-ssh-auth` (MPI, jobs node and launcher), `mpi-hostfile` (MPI, launcher),
    those of Flux (node), and the JobSet's claims. A block device needs a claim.
    Source: pkg/apis/core/validation/validation.go:3186-3188,3255-3300@kubernetes@v1.37.2.
    """
    for job, at in _containers(view):
        known = _volumes(view, job)
        fix = f"Name one of {', '.join(sorted(map(repr, known)))}." if known else "Declare the volume in volumes."
        for index, mount in enumerate(at.model.volume_mounts or ()):
            if mount.name not in known:
                yield violation(
                    f"{at.path}.volumeMounts[{index}].name",
                    f"{mount.name!r} is not a volume of {job.name!r}'s pods.",
                    fix,
                )
        claims = {name for _, name, _ in claim_templates(view)} | {
            volume.name
            for volume in (job.pod.spec.volumes if job.pod else None) or ()
            if volume.persistent_volume_claim or volume.ephemeral
        }
        for index, device in enumerate(at.model.volume_devices or ()):
            if device.name not in claims:
                problem = "no claim" if device.name in known else "no volume"
                yield violation(
                    f"{at.path}.volumeDevices[{index}].name",
                    f"{device.name!r} is {problem} of {job.name!r}'s pods.",
                    "Name a volume with a persistentVolumeClaim.",
                )


@rule("K8S-06")
def mounts_do_not_cover_each_other(view: RuntimeView) -> Iterator[Violation]:
    """A mount and a block device of a container have the same path or volume.

    Two mounts at one path are reported by CTR-33, and mounts at Trainer's own paths by SIL-12.
    Source: pkg/apis/core/validation/validation.go:3192-3205,3255-3300@kubernetes@v1.37.2.
    """
    for at in view.containers:
        devices = at.model.volume_devices or ()
        paths, names = {device.device_path for device in devices}, {device.name for device in devices}
        for index, mount in enumerate(at.model.volume_mounts or ()):
            path = f"{at.path}.volumeMounts[{index}]"
            if mount.mount_path in paths:
                yield violation(
                    f"{path}.mountPath",
                    f"{mount.mount_path!r} is the path of a block device as well.",
                    "Mount it elsewhere.",
                )
            if mount.name in names:
                yield violation(
                    f"{path}.name",
                    f"Volume {mount.name!r} is a block device of this container as well.",
                    "Keep one of them.",
                )


@rule("K8S-22")
def mounts_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """A mount has no path, a path outside of its volume, or an invalid propagation.

    Source: pkg/apis/core/validation/validation.go:1421-1508,3177-3225@kubernetes@v1.37.2.
    """
    for at in view.containers:
        context = at.model.security_context
        privileged = context is not None and context.privileged is True
        for index, mount in enumerate(at.model.volume_mounts or ()):
            yield from _mount(f"{at.path}.volumeMounts[{index}]", mount, privileged)
        for index, device in enumerate(at.model.volume_devices or ()):
            if not device.device_path or has_parent_reference(device.device_path):
                yield violation(
                    f"{at.path}.volumeDevices[{index}].devicePath",
                    f"{device.device_path!r} is not a valid path: it must not be empty nor contain '..'.",
                    "Correct the path.",
                )


def _mount(path: str, mount: VolumeMount, privileged: bool) -> Iterator[Violation]:
    if not mount.mount_path:
        yield violation(f"{path}.mountPath", "The path is empty.", "Set mountPath.")
    for name, value in (("subPath", mount.sub_path), ("subPathExpr", mount.sub_path_expr)):
        if value and escapes_directory(value):
            yield violation(
                f"{path}.{name}",
                f"{value!r} is outside the volume: it must be relative, without '..'.",
                "Correct the path.",
            )
    if mount.sub_path and mount.sub_path_expr:
        yield violation(f"{path}.subPathExpr", "subPath and subPathExpr are both set.", "Keep one of them.")
    if mount.mount_propagation is not None and mount.mount_propagation not in PROPAGATIONS:
        yield violation(
            f"{path}.mountPropagation",
            f"{mount.mount_propagation!r} is not a valid propagation.",
            f"Use one of {', '.join(sorted(PROPAGATIONS))}.",
        )
    if mount.mount_propagation == "Bidirectional" and not privileged:
        yield violation(
            f"{path}.mountPropagation", "Bidirectional needs a privileged container.", "Use HostToContainer."
        )
    recursive = mount.recursive_read_only
    if recursive is not None and recursive not in {"Disabled", "IfPossible", "Enabled"}:
        yield violation(
            f"{path}.recursiveReadOnly", f"{recursive!r} is not a known value.", "Use Disabled, IfPossible or Enabled."
        )
    elif recursive in {"IfPossible", "Enabled"} and (
        not mount.read_only or mount.mount_propagation not in {None, "None"}
    ):
        yield violation(
            f"{path}.recursiveReadOnly",
            "recursiveReadOnly needs readOnly true and no mountPropagation.",
            "Set readOnly, or remove it.",
        )

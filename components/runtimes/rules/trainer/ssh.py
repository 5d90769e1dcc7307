"""Volumes that Trainer mounts for MPI and Flux: permissions of the SSH keys, and conflicts with the runtime's own."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...topology import LAUNCHER, NODE
from ..rule import rule, violation
from ..view import (
    FLUX_MOUNTS,
    HOSTFILE_VOLUME,
    SSH_VOLUME,
    LocatedContainer,
    LocatedJob,
    LocatedPod,
    RuntimeView,
    injected_volumes,
)

HOSTFILE_FOLDER = "/etc/mpi"
DEFAULT_SSH_FOLDER = "/root/.ssh"


def _injected_mounts(view: RuntimeView, job: LocatedJob) -> dict[str, str]:
    """Volumes that Trainer mounts into a job's container `node`, by directory."""
    if view.policy == "flux" and job.name == NODE:
        return FLUX_MOUNTS
    if view.mpi is None or job.name not in {NODE, LAUNCHER}:
        return {}
    folder = view.mpi.ssh_auth_mount_path
    mounts = {DEFAULT_SSH_FOLDER if folder is None else folder: SSH_VOLUME}
    if job.name == LAUNCHER:
        mounts[HOSTFILE_FOLDER] = HOSTFILE_VOLUME
    return mounts


def _roles(view: RuntimeView) -> Iterator[tuple[LocatedJob, LocatedPod]]:
    for job in view.jobs:
        if view.mpi and job.name in {NODE, LAUNCHER} and job.pod:
            yield job, job.pod


@rule("SIL-07")
def ssh_key_is_readable(view: RuntimeView) -> Iterator[Violation]:
    """An MPI container runs as a user that cannot read the SSH key: not root, and the pod has no `fsGroup`.

    The key belongs to root and has mode 0640. Only the pod's fsGroup makes it readable for the user's group (executed:
    the TrainJob fails after 28 s). A user in root's group (runAsGroup or supplementalGroups 0) can read it, which is a
    warning, because the group has more permissions than needed. For root, ssh rejects a key that others can read, which
    is a warning. There is no warning if an init container mounts `mpi-ssh-auth`, because it can copy the key.
    Source: pkg/runtime/framework/plugins/mpi/mpi.go:149-168, pkg/constants/constants.go:150-157@trainer@v2.3.0;
    upstream issues 3649, 3748.
    """
    for _, pod in _roles(view):
        at = pod.container(NODE)
        if at is None or _is_copied(pod):
            continue
        user, group = _user(pod, at), pod.spec.security_context.fs_group if pod.spec.security_context else None
        if user == 0:
            yield violation(
                f"{at.path}.securityContext.runAsUser",
                "The container runs as root, which owns the SSH key with mode 0640: ssh rejects keys that their "
                "group can read.",
                "Run as the image's SSH user, and set the pod's securityContext.fsGroup to that user's group.",
                Severity.WARNING,
            )
        elif user is not None and group is None:
            who, in_group = "A user other than root" if user < 0 else f"User {user}", _is_in_roots_group(pod, at)
            reads = "can read the SSH key only in root's group" if in_group else "cannot read the SSH key"
            yield violation(
                f"{pod.path}.securityContext.fsGroup",
                f"{who} {reads}: the key belongs to root with mode 0640, and the pod has no fsGroup.",
                "Set the pod's securityContext.fsGroup to the user's group, e.g. 1000.",
                Severity.WARNING if in_group else Severity.ERROR,
            )


def _user(pod: LocatedPod, at: LocatedContainer) -> int | None:
    """User id of the container. -1: some user other than root. None: unknown."""
    contexts = [context for context in (at.model.security_context, pod.spec.security_context) if context is not None]
    for context in contexts:
        if context.run_as_user is not None:
            return context.run_as_user
    return -1 if any(context.run_as_non_root for context in contexts) else None


def _is_in_roots_group(pod: LocatedPod, at: LocatedContainer) -> bool:
    contexts = [context for context in (at.model.security_context, pod.spec.security_context) if context is not None]
    group = next((context.run_as_group for context in contexts if context.run_as_group is not None), None)
    more = pod.spec.security_context.supplemental_groups if pod.spec.security_context else None
    return group == 0 or 0 in (more or ())


def _is_copied(pod: LocatedPod) -> bool:
    return any(
        mount.name == SSH_VOLUME
        for container in pod.containers
        if container.init
        for mount in container.model.volume_mounts or ()
    )


@rule("SIL-12")
def injected_files_are_trainers(view: RuntimeView) -> Iterator[Violation]:
    """A runtime has a volume or mount where Trainer adds its own for MPI or Flux.

    MPI: volumes `mpi-ssh-auth` and `mpi-hostfile`, and mounts of container `node` at sshAuthMountPath and, in the
    launcher, at /etc/mpi. Flux: volumes `flux-install`, `spack-install`, `flux-curve` and `shared-memory`, and mounts
    at /mnt/flux, /opt/software, /curve and /dev/shm. Trainer's volumes and mounts take precedence. Replaced volumes,
    and all of Flux's, are a warning, because the training still has what it needs.
    Source: pkg/runtime/framework/plugins/{mpi/mpi.go:142-210,flux/flux.go:150-200},
    pkg/apply/apply.go:79-94@trainer@v2.3.0.
    """
    severity = Severity.WARNING if view.policy == "flux" else Severity.ERROR
    for job in view.jobs:
        if job.pod is None or not injected_volumes(view, job):
            continue
        for index, volume in enumerate(job.pod.spec.volumes or ()):
            if volume.name in injected_volumes(view, job):
                yield violation(
                    f"{job.pod.path}.volumes[{index}]",
                    f"Trainer replaces this volume with its own volume {volume.name!r}.",
                    "Rename the volume and its mounts, or remove the volume; mounts of Trainer's volume need no "
                    "declaration.",
                    Severity.WARNING,
                )
        at, mounts = job.pod.container(NODE), _injected_mounts(view, job)
        for index, mount in enumerate((at and at.model.volume_mounts) or ()):
            volume_name = mounts.get(mount.mount_path)
            if at and volume_name and volume_name != mount.name:
                yield violation(
                    f"{at.path}.volumeMounts[{index}].mountPath",
                    f"Trainer mounts {volume_name!r} at {mount.mount_path}, replacing {mount.name!r}.",
                    "Mount it elsewhere."
                    + (" Or set sshAuthMountPath to another folder." if volume_name == SSH_VOLUME else ""),
                    severity,
                )


@rule("RUN-12", severity=Severity.WARNING)
def ssh_key_is_in_its_users_home(view: RuntimeView) -> Iterator[Violation]:
    """An MPI container does not run as root, but the SSH key is in root's home directory.

    ssh looks for keys in the home directory of its user, and other users cannot read root's. The default of
    sshAuthMountPath is /root/.ssh. There is no warning if an init container mounts `mpi-ssh-auth`, because it can copy
    the key.
    Source: pkg/apis/trainer/v1alpha1/trainingruntime_types.go:287-292@trainer@v2.3.0.
    """
    folder = (view.mpi and view.mpi.ssh_auth_mount_path) or DEFAULT_SSH_FOLDER
    for _, pod in _roles(view):
        at = pod.container(NODE)
        user = _user(pod, at) if at else None
        if at and user and folder.startswith("/root/") and not _is_copied(pod):
            yield violation(
                f"{at.path}.securityContext.runAsUser" if user > 0 else f"{at.path}.securityContext",
                f"{'A user other than root' if user < 0 else f'User {user}'} does not find the SSH key in "
                f"{folder}, root's home.",
                "Set spec.mlPolicy.mpi.sshAuthMountPath to .ssh in that user's home, e.g. /home/mpiuser/.ssh.",
            )

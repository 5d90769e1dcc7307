"""What Kubernetes rejects in security contexts."""

from collections.abc import Collection, Iterator

from ....k8s.base import ApiModel
from ....k8s.grammars import SYSCTL, escapes_directory
from ....k8s.pods import PodSpec
from ....k8s.security import AppArmorProfile, PodSecurityContext, SeccompProfile, SecurityContext
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import RuntimeView

MAX_ID = 2**31 - 1
PROFILES = {"Localhost", "RuntimeDefault", "Unconfined"}
MAX_PROFILE_LENGTH = 4095
LINUX_POD = {"host_users", "host_pid", "host_ipc", "share_process_namespace", "resources"}
ANYWHERE = {"run_as_non_root", "windows_options"}
IPC_SYSCTLS = ("kernel.shm", "kernel.msg", "fs.mqueue.")


@rule("K8S-22")
def pod_security_is_valid(view: RuntimeView) -> Iterator[Violation]:
    """A pod's security context has invalid ids, policies, profiles or kernel parameters.

    Source: pkg/apis/core/validation/validation.go:5404-5526,5629-5733@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        context, path = pod.spec.security_context, f"{pod.path}.securityContext"
        if context is None:
            continue
        yield from _ids(path, context)
        yield from _seccomp(f"{path}.seccompProfile", context.seccomp_profile)
        yield from _app_armor(f"{path}.appArmorProfile", context.app_armor_profile)
        for name, value, known in (
            ("fsGroupChangePolicy", context.fs_group_change_policy, ("Always", "OnRootMismatch")),
            ("supplementalGroupsPolicy", context.supplemental_groups_policy, ("Merge", "Strict")),
            ("seLinuxChangePolicy", context.se_linux_change_policy, ("Recursive", "MountOption")),
        ):
            if value is not None and value not in known:
                yield violation(f"{path}.{name}", f"{value!r} is not a valid {name}.", f"Use {' or '.join(known)}.")
        yield from _sysctls(f"{path}.sysctls", context, pod.spec)


def _ids(path: str, context: PodSecurityContext | SecurityContext) -> Iterator[Violation]:
    ids = {"runAsUser": context.run_as_user, "runAsGroup": context.run_as_group}
    if isinstance(context, PodSecurityContext):
        ids["fsGroup"] = context.fs_group
        ids |= {f"supplementalGroups[{i}]": group for i, group in enumerate(context.supplemental_groups or ())}
    for name, value in ids.items():
        if value is not None and not 0 <= value <= MAX_ID:
            yield violation(
                f"{path}.{name}", f"{value} is not a valid id: it must be from 0 to {MAX_ID}.", "Correct it."
            )


def _seccomp(path: str, profile: SeccompProfile | None) -> Iterator[Violation]:
    if profile is None:
        return
    name = profile.localhost_profile
    yield from _profile_type(path, profile.type, name)
    if profile.type == "Localhost" and name is not None and escapes_directory(name):
        yield violation(
            f"{path}.localhostProfile",
            f"{name!r} must be a path inside the node's profiles, without '..'.",
            "Correct it.",
        )


def _app_armor(path: str, profile: AppArmorProfile | None) -> Iterator[Violation]:
    if profile is None:
        return
    name = profile.localhost_profile
    yield from _profile_type(path, profile.type, name)
    if profile.type != "Localhost" or name is None:
        return
    if not name or name != name.strip() or len(name) > MAX_PROFILE_LENGTH:
        yield violation(
            f"{path}.localhostProfile", f"{name!r} is not a valid profile name.", "Name a profile of the node."
        )


def _profile_type(path: str, kind: str, name: str | None) -> Iterator[Violation]:
    if kind not in PROFILES:
        yield violation(
            f"{path}.type", f"{kind!r} is not a valid profile type.", f"Use one of {', '.join(sorted(PROFILES))}."
        )
    elif (kind == "Localhost") != (name is not None):
        yield violation(
            f"{path}.localhostProfile",
            f"Type {kind} must be set {'with' if kind == 'Localhost' else 'without'} a localhostProfile.",
            "Set it only for Localhost.",
        )


def _sysctls(path: str, context: PodSecurityContext, spec: PodSpec) -> Iterator[Violation]:
    seen: set[str] = set()
    for index, sysctl in enumerate(context.sysctls or ()):
        where, name = f"{path}[{index}].name", sysctl.name.replace("/", ".")
        if not SYSCTL.matches(sysctl.name):
            yield violation(
                where, f"{sysctl.name!r} is not a valid kernel parameter: it must be {SYSCTL}.", "Correct the name."
            )
        elif sysctl.name in seen:
            yield violation(where, f"{sysctl.name} is a duplicate.", "Keep one of them.")
        elif spec.host_network and name.startswith("net."):
            yield violation(where, f"{sysctl.name} would change the node's network: hostNetwork is true.", "Remove it.")
        elif spec.host_ipc and (name.startswith(IPC_SYSCTLS) or name == "kernel.sem"):
            yield violation(where, f"{sysctl.name} would change the node: hostIPC is true.", "Remove it.")
        seen.add(sysctl.name)


@rule("K8S-22")
def container_security_is_valid(view: RuntimeView) -> Iterator[Violation]:
    """A container's security context has invalid ids or profiles, or privileges that contradict each other.

    Source: pkg/apis/core/validation/validation.go:8790-8840@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        for at in pod.containers:
            context, path = at.model.security_context, f"{at.path}.securityContext"
            if context is None:
                continue
            yield from _ids(path, context)
            yield from _seccomp(f"{path}.seccompProfile", context.seccomp_profile)
            yield from _app_armor(f"{path}.appArmorProfile", context.app_armor_profile)
            yield from _rights(path, context, pod.spec)


def _rights(path: str, context: SecurityContext, spec: PodSpec) -> Iterator[Violation]:
    if context.allow_privilege_escalation is False:
        added = (context.capabilities and context.capabilities.add) or ()
        if context.privileged or "CAP_SYS_ADMIN" in added:
            name = "privileged true" if context.privileged else "capability CAP_SYS_ADMIN"
            yield violation(
                f"{path}.allowPrivilegeEscalation",
                f"allowPrivilegeEscalation is false, with {name}: the two are mutually exclusive.",
                "Remove one of them.",
            )
    if context.proc_mount is not None and context.proc_mount not in {"Default", "Unmasked"}:
        yield violation(f"{path}.procMount", f"{context.proc_mount!r} is not a known value.", "Use Default.")
    elif context.proc_mount == "Unmasked" and spec.host_users is not False:
        yield violation(f"{path}.procMount", "Unmasked needs the pod's hostUsers to be false.", "Use Default.")


@rule("K8S-22")
def operating_system_fits(view: RuntimeView) -> Iterator[Violation]:
    """A pod for Windows sets fields that only Linux has, or a pod for Linux sets windowsOptions.

    Source: pkg/apis/core/validation/validation.go:4897-4906,5003-5113@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        system = pod.spec.os.name if pod.spec.os else None
        if system == "windows":
            yield from _foreign(pod.path, pod.spec, LINUX_POD, system)
        contexts: list[tuple[str, PodSecurityContext | SecurityContext | None]] = [
            (f"{pod.path}.securityContext", pod.spec.security_context),
            *((f"{at.path}.securityContext", at.model.security_context) for at in pod.containers),
        ]
        for path, context in contexts:
            if context is not None and system == "windows":
                yield from _foreign(path, context, type(context).model_fields.keys() - ANYWHERE, system)
            elif context is not None and system == "linux":
                yield from _foreign(path, context, {"windows_options"}, system)


def _foreign(path: str, model: ApiModel, names: Collection[str], system: str) -> Iterator[Violation]:
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if name in names and value is not None and value != ():
            yield violation(f"{path}.{field.alias}", f"This cannot be set on {system}.", "Remove it.")

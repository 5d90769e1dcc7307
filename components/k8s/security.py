"""Users and privileges of pods and containers. Meanings and defaults from Kubernetes' core/v1."""

from typing import Annotated

from .base import ApiModel, FrozenList, Int64, JsonObject, official_type

WindowsOptions = Annotated[JsonObject, official_type("IoK8sApiCoreV1WindowsSecurityContextOptions")]


class SeccompProfile(ApiModel):
    """Restricts the system calls of processes."""

    type: str
    """RuntimeDefault (the container runtime's profile), Unconfined (no profile) or Localhost (a file on the node)."""

    localhost_profile: str | None = None
    """With Localhost: path of the profile, relative to the kubelet's seccomp directory."""


class AppArmorProfile(ApiModel):
    """Restricts processes by AppArmor."""

    type: str
    """RuntimeDefault (the container runtime's profile), Unconfined (no profile) or Localhost (a profile loaded on the
    node)."""

    localhost_profile: str | None = None
    """With Localhost: name of the profile."""


class SELinuxOptions(ApiModel):
    """SELinux label of the processes. Default of each part: the container runtime's."""

    user: str | None = None
    """SELinux user."""
    role: str | None = None
    """SELinux role."""
    type: str | None = None
    """SELinux type."""
    level: str | None = None
    """SELinux level, such as `s0:c123,c456`."""


class Capabilities(ApiModel):
    """Linux capabilities to add to or drop from the container runtime's default set."""

    add: FrozenList[str] | None = None
    """Capabilities to add, such as `IPC_LOCK` for RDMA."""

    drop: FrozenList[str] | None = None
    """Capabilities to drop; `ALL` drops all."""


class Sysctl(ApiModel):
    """A kernel parameter of the pod."""

    name: str
    """Name of the parameter, such as `net.core.somaxconn`."""

    value: str
    """Value, always a string."""


class PodSecurityContext(ApiModel):
    """Security settings for all containers of a pod. A container's own settings override them."""

    run_as_user: Int64 | None = None
    """User id of the processes. Default: the image's user."""

    run_as_group: Int64 | None = None
    """Primary group id of the processes. Default: the container runtime's."""

    run_as_non_root: bool | None = None
    """Refuse to start containers whose user id is 0. Default false."""

    fs_group: Int64 | None = None
    """Group id that owns the volumes and is a supplemental group of all processes. Default: the ownership of volumes is
    not changed."""

    fs_group_change_policy: str | None = None
    """Always, or OnRootMismatch (change ownership only if the volume's root does not match fsGroup). Default Always."""

    supplemental_groups: FrozenList[Int64] | None = None
    """Additional group ids of the processes."""

    supplemental_groups_policy: str | None = None
    """Merge (also the image's groups of the user) or Strict (only groups set here). Default Merge."""

    seccomp_profile: SeccompProfile | None = None
    """Restricts the system calls of processes."""
    app_armor_profile: AppArmorProfile | None = None
    """Restricts processes by AppArmor."""
    se_linux_options: SELinuxOptions | None = None
    """SELinux label of the processes."""

    se_linux_change_policy: str | None = None
    """How volumes get the pod's SELinux label: MountOption (by a mount option) or Recursive (by relabeling every file).
    Default: MountOption where the cluster and the volume support it, otherwise Recursive."""

    sysctls: FrozenList[Sysctl] | None = None
    """Kernel parameters. Unsafe ones must be allowed by the node's kubelet."""

    windows_options: WindowsOptions | None = None
    """Settings for Windows. Must be absent if os.name is linux."""


class SecurityContext(ApiModel):
    """Security settings of one container. They override the pod's."""

    run_as_user: Int64 | None = None
    """User id of the process. Default: the pod's, otherwise the image's user."""

    run_as_group: Int64 | None = None
    """Primary group id of the process. Default: the pod's, otherwise the container runtime's."""

    run_as_non_root: bool | None = None
    """Refuse to start the container if its user id is 0. Default: the pod's, otherwise false."""

    privileged: bool | None = None
    """Give processes essentially the rights of root on the node. Default false."""

    allow_privilege_escalation: bool | None = None
    """Let a process gain more privileges than its parent. Always true if privileged or with CAP_SYS_ADMIN. Default
    true."""

    read_only_root_filesystem: bool | None = None
    """Mount the container's root file system read-only. Default false."""

    capabilities: Capabilities | None = None
    """Linux capabilities to add or drop. Default: the container runtime's set."""
    seccomp_profile: SeccompProfile | None = None
    """Restricts the system calls of the process. Default: the pod's."""
    app_armor_profile: AppArmorProfile | None = None
    """Restricts the process by AppArmor. Default: the pod's."""
    se_linux_options: SELinuxOptions | None = None
    """SELinux label of the process. Default: the pod's, otherwise the container runtime's."""

    proc_mount: str | None = None
    """Default (parts of /proc are masked or read-only) or Unmasked. Default: Default."""

    windows_options: WindowsOptions | None = None
    """Settings for Windows. Must be absent if the pod's os.name is linux."""

"""As whom, and with which rights, pods and containers run. Meanings and defaults from Kubernetes' core/v1."""

from typing import Annotated

from .base import ApiModel, FrozenList, Int64, JsonObject, official_type

WindowsOptions = Annotated[JsonObject, official_type("IoK8sApiCoreV1WindowsSecurityContextOptions")]


class SeccompProfile(ApiModel):
    """Which system calls are allowed."""

    type: str
    """RuntimeDefault, Unconfined or Localhost."""

    localhost_profile: str | None = None
    """For Localhost: the profile's file, below the kubelet's folder of them."""


class AppArmorProfile(ApiModel):
    """What AppArmor allows."""

    type: str
    """RuntimeDefault, Unconfined or Localhost."""

    localhost_profile: str | None = None
    """For Localhost: name of the profile that is loaded on the node."""


class SELinuxOptions(ApiModel):
    """Parts of the SELinux context. Default of each: the container runtime's."""

    user: str | None = None
    role: str | None = None
    type: str | None = None
    level: str | None = None


class Capabilities(ApiModel):
    """Linux capabilities, starting from the container runtime's."""

    add: FrozenList[str] | None = None
    """More: `IPC_LOCK` for RDMA."""

    drop: FrozenList[str] | None = None
    """Fewer: `ALL`."""


class Sysctl(ApiModel):
    """A kernel parameter of the pod."""

    name: str
    """`net.core.somaxconn`."""

    value: str
    """A string, also where it is a number."""


class PodSecurityContext(ApiModel):
    """For all containers of a pod; what a container says itself wins."""

    run_as_user: Int64 | None = None
    """Id of the user. Default: the image's."""

    run_as_group: Int64 | None = None
    """Id of the main group. Default: the image's."""

    run_as_non_root: bool | None = None
    """Whether user 0 is refused. Default false."""

    fs_group: Int64 | None = None
    """Id of the group that owns the volumes, and that every process is in. Default: volumes stay as they are."""

    fs_group_change_policy: str | None = None
    """Always, or OnRootMismatch: change owners only where the top folder's differs. Default Always."""

    supplemental_groups: FrozenList[Int64] | None = None
    """Ids of further groups."""

    supplemental_groups_policy: str | None = None
    """Merge (with the image's groups of the user) or Strict. Default Merge."""

    seccomp_profile: SeccompProfile | None = None
    app_armor_profile: AppArmorProfile | None = None
    se_linux_options: SELinuxOptions | None = None

    se_linux_change_policy: str | None = None
    """MountOption or Recursive: how volumes get the pod's SELinux label."""

    sysctls: FrozenList[Sysctl] | None = None
    """Kernel parameters; the node must allow the unsafe ones."""

    windows_options: WindowsOptions | None = None
    """For pods on Windows."""


class SecurityContext(ApiModel):
    """For one container."""

    run_as_user: Int64 | None = None
    """Id of the user. Default: the pod's, else the image's."""

    run_as_group: Int64 | None = None
    """Id of the main group. Default: the pod's, else the image's."""

    run_as_non_root: bool | None = None
    """Whether user 0 is refused. Default: the pod's, else false."""

    privileged: bool | None = None
    """Whether it has all rights of the node's root. Default false."""

    allow_privilege_escalation: bool | None = None
    """Whether a process can gain more rights than its parent. Default true."""

    read_only_root_filesystem: bool | None = None
    """Whether only volumes can be written to. Default false."""

    capabilities: Capabilities | None = None
    seccomp_profile: SeccompProfile | None = None
    app_armor_profile: AppArmorProfile | None = None
    se_linux_options: SELinuxOptions | None = None

    proc_mount: str | None = None
    """Default or Unmasked: whether parts of /proc are hidden. Default: Default."""

    windows_options: WindowsOptions | None = None
    """For containers on Windows."""

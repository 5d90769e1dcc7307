"""As whom, and with which rights, pods and containers run."""

from collections.abc import Mapping
from typing import Any

from .wire import ApiModel, Int64, Items


class SeccompProfile(ApiModel):
    """The seccomp profile."""

    type: str
    localhost_profile: str | None = None


class AppArmorProfile(ApiModel):
    """The AppArmor profile."""

    type: str
    localhost_profile: str | None = None


class SELinuxOptions(ApiModel):
    """SELinux labels."""

    level: str | None = None
    role: str | None = None
    type: str | None = None
    user: str | None = None


class Capabilities(ApiModel):
    """Linux capabilities on top of, or taken from, the container runtime's default."""

    add: Items[str] | None = None
    drop: Items[str] | None = None


class Sysctl(ApiModel):
    """A kernel parameter of the pod."""

    name: str
    value: str


class PodSecurityContext(ApiModel):
    """For all containers of a pod; a container's own wins."""

    run_as_user: Int64 | None = None
    run_as_group: Int64 | None = None
    run_as_non_root: bool | None = None
    fs_group: Int64 | None = None
    fs_group_change_policy: str | None = None
    supplemental_groups: Items[Int64] | None = None
    supplemental_groups_policy: str | None = None
    seccomp_profile: SeccompProfile | None = None
    app_armor_profile: AppArmorProfile | None = None
    se_linux_options: SELinuxOptions | None = None
    se_linux_change_policy: str | None = None
    sysctls: Items[Sysctl] | None = None
    windows_options: Mapping[str, Any] | None = None


class SecurityContext(ApiModel):
    """For one container."""

    run_as_user: Int64 | None = None
    run_as_group: Int64 | None = None
    run_as_non_root: bool | None = None
    privileged: bool | None = None
    allow_privilege_escalation: bool | None = None
    read_only_root_filesystem: bool | None = None
    capabilities: Capabilities | None = None
    seccomp_profile: SeccompProfile | None = None
    app_armor_profile: AppArmorProfile | None = None
    se_linux_options: SELinuxOptions | None = None
    proc_mount: str | None = None
    windows_options: Mapping[str, Any] | None = None

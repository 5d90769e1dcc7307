"""Pod templates."""

from typing import Annotated

from .containers import Container, EphemeralContainer, Quantities, ResourceRequirements
from .metadata import EmbeddedMetadata
from .scheduling import Affinity, Toleration, TopologySpreadConstraints
from .security import PodSecurityContext
from .volumes import LocalObjectReference, Volume
from .wire import ApiModel, Int32, Int64, Items, StringMap, unique


class HostAlias(ApiModel):
    """A line of the pod's /etc/hosts."""

    ip: str
    hostnames: Items[str] | None = None


class PodDNSConfigOption(ApiModel):
    """An option of the pod's resolver."""

    name: str | None = None
    value: str | None = None


class PodDNSConfig(ApiModel):
    """The pod's resolver, on top of what dnsPolicy makes."""

    nameservers: Items[str] | None = None
    searches: Items[str] | None = None
    options: Items[PodDNSConfigOption] | None = None


class PodOS(ApiModel):
    """The operating system of the pod's containers."""

    name: str


class PodReadinessGate(ApiModel):
    """A condition of the pod that must be true for it to be ready."""

    condition_type: str


class PodResourceClaim(ApiModel):
    """A resource claim of the pod, by name or made from a template."""

    name: str
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class PodSchedulingGate(ApiModel):
    """A gate that must be taken off before the pod is scheduled."""

    name: str


class PodSchedulingGroup(ApiModel):
    """The group that the pod is scheduled with."""

    pod_group_name: str | None = None


class PodSpec(ApiModel):
    """What a pod runs, and where."""

    containers: Annotated[Items[Container], unique("name", rule="CTR-33")]
    init_containers: Annotated[Items[Container], unique("name", rule="CTR-33")] | None = None
    ephemeral_containers: Annotated[Items[EphemeralContainer], unique("name", rule="CTR-33")] | None = None
    volumes: Annotated[Items[Volume], unique("name", rule="CTR-33")] | None = None
    resource_claims: Annotated[Items[PodResourceClaim], unique("name", rule="CTR-33")] | None = None
    resources: ResourceRequirements | None = None
    overhead: Quantities | None = None
    security_context: PodSecurityContext | None = None
    service_account_name: str | None = None
    service_account: str | None = None
    automount_service_account_token: bool | None = None
    image_pull_secrets: Items[LocalObjectReference] | None = None
    restart_policy: str | None = None
    termination_grace_period_seconds: Int64 | None = None
    active_deadline_seconds: Int64 | None = None
    node_selector: StringMap | None = None
    node_name: str | None = None
    affinity: Affinity | None = None
    tolerations: Items[Toleration] | None = None
    topology_spread_constraints: TopologySpreadConstraints | None = None
    scheduler_name: str | None = None
    scheduling_gates: Annotated[Items[PodSchedulingGate], unique("name", rule="CTR-33")] | None = None
    scheduling_group: PodSchedulingGroup | None = None
    priority_class_name: str | None = None
    priority: Int32 | None = None
    preemption_policy: str | None = None
    runtime_class_name: str | None = None
    os: PodOS | None = None
    readiness_gates: Items[PodReadinessGate] | None = None
    host_network: bool | None = None
    host_pid: bool | None = None
    host_ipc: bool | None = None
    host_users: bool | None = None
    share_process_namespace: bool | None = None
    hostname: str | None = None
    hostname_override: str | None = None
    set_hostname_as_fqdn: bool | None = None
    subdomain: str | None = None
    host_aliases: Items[HostAlias] | None = None
    dns_policy: str | None = None
    dns_config: PodDNSConfig | None = None
    enable_service_links: bool | None = None


class PodTemplate(ApiModel):
    """What each pod of a job is made from."""

    metadata: EmbeddedMetadata | None = None
    spec: PodSpec | None = None

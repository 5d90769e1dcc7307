"""Pod templates: which containers and volumes, and where they may land.

Shapes from the CRD of Trainer v2.3.0, meanings and defaults from Kubernetes' core/v1.
"""

from typing import Annotated

from .base import ApiModel, FrozenList, Int32, Int64, Quantities, StringMap, unique
from .containers import Container, EphemeralContainer, ResourceRequirements
from .metadata import EmbeddedMetadata
from .scheduling import Affinity, Toleration, TopologySpreadConstraint
from .security import PodSecurityContext
from .volumes import LocalObjectReference, Volume


class HostAlias(ApiModel):
    """A line of the pod's /etc/hosts."""

    ip: str
    """The address; one line each."""

    hostnames: FrozenList[str] | None = None
    """Its names."""


class PodDNSConfigOption(ApiModel):
    """An option of the resolver."""

    name: str | None = None
    """`ndots`, ..."""

    value: str | None = None
    """Its value, a string, where it has one."""


class PodDNSConfig(ApiModel):
    """The pod's resolver, on top of what dnsPolicy makes."""

    nameservers: FrozenList[str] | None = None
    """Addresses of name servers."""

    searches: FrozenList[str] | None = None
    """Domains that short names are looked up in."""

    options: FrozenList[PodDNSConfigOption] | None = None
    """Options of the resolver."""


class PodOS(ApiModel):
    """The operating system of the pod's containers."""

    name: str
    """linux or windows."""


class PodReadinessGate(ApiModel):
    """A further condition without which the pod isn't ready."""

    condition_type: str
    """Type of the condition."""


class PodResourceClaim(ApiModel):
    """Devices by dynamic resource allocation: one claim for all pods, or one for each by a template."""

    name: str
    """What containers call it by."""

    resource_claim_name: str | None = None
    """Name of a ResourceClaim that all pods share."""

    resource_claim_template_name: str | None = None
    """Name of a ResourceClaimTemplate that each pod's claim is made from."""


class PodSchedulingGate(ApiModel):
    """Something that must be taken off before the pod is scheduled."""

    name: str
    """Its name."""


class PodSchedulingGroup(ApiModel):
    """The group that the pod is scheduled with."""

    pod_group_name: str | None = None
    """Name of the PodGroup."""


# Built at once: validators of what has one are built from it, not around another.
class PodSpec(ApiModel, defer_build=False):
    """What a pod runs, and where."""

    containers: Annotated[FrozenList[Container], unique("name")]
    """What runs, side by side; at least one."""

    init_containers: Annotated[FrozenList[Container], unique("name")] | None = None
    """What runs before, one after the other; with restartPolicy Always also beside."""

    ephemeral_containers: Annotated[FrozenList[EphemeralContainer], unique("name")] | None = None
    """Not for templates: what somebody added for debugging."""

    volumes: Annotated[FrozenList[Volume], unique("name")] | None = None
    """What containers can mount. Trainer adds MPI's keys and hostfile."""

    resource_claims: Annotated[FrozenList[PodResourceClaim], unique("name")] | None = None
    """Devices by dynamic resource allocation."""

    resources: ResourceRequirements | None = None
    """CPU, memory and huge pages for all containers together. Default: the sum of theirs."""

    overhead: Quantities | None = None
    """What the runtime class takes for itself; set by the system."""

    security_context: PodSecurityContext | None = None
    """As whom containers run."""

    service_account_name: str | None = None
    """The service account. Default `default`."""

    service_account: str | None = None
    """Old name of serviceAccountName."""

    automount_service_account_token: bool | None = None
    """Whether containers get its token. Default: what the account says, else true."""

    image_pull_secrets: Annotated[FrozenList[LocalObjectReference], unique("name", absent={"name": ""})] | None = None
    """Secrets for registries."""

    restart_policy: str | None = None
    """OnFailure or Never. Trainer's default: OnFailure."""

    termination_grace_period_seconds: Int64 | None = None
    """Seconds from the demand to stop to the kill. Default 30."""

    active_deadline_seconds: Int64 | None = None
    """How long the pod may run, in seconds. Default: without limit."""

    node_selector: StringMap | None = None
    """Labels that the node must have."""

    node_name: str | None = None
    """The node, past the scheduler."""

    affinity: Affinity | None = None
    """Nodes and neighbours that it needs, or would like."""

    tolerations: FrozenList[Toleration] | None = None
    """Taints that don't keep it away."""

    topology_spread_constraints: (
        Annotated[FrozenList[TopologySpreadConstraint], unique("topology_key", "when_unsatisfiable")] | None
    ) = None
    """How evenly the pods spread."""

    scheduler_name: str | None = None
    """The scheduler. Default `default-scheduler`."""

    scheduling_gates: Annotated[FrozenList[PodSchedulingGate], unique("name")] | None = None
    """What must be taken off before it is scheduled."""

    scheduling_group: PodSchedulingGroup | None = None
    """The group that it is scheduled with."""

    priority_class_name: str | None = None
    """How important it is, by name of a PriorityClass. Default: the cluster's default class, else 0."""

    priority: Int32 | None = None
    """How important it is; set by the system from the class."""

    preemption_policy: str | None = None
    """PreemptLowerPriority or Never. Default: the class's."""

    runtime_class_name: str | None = None
    """The container runtime, by name of a RuntimeClass. Default: the node's."""

    os: PodOS | None = None
    """The containers' operating system."""

    readiness_gates: FrozenList[PodReadinessGate] | None = None
    """Further conditions without which it isn't ready."""

    host_network: bool | None = None
    """Whether it uses the node's network. Default false."""

    host_pid: bool | None = None
    """Whether it sees the node's processes. Default false."""

    host_ipc: bool | None = None
    """Whether it shares the node's memory segments and semaphores. Default false."""

    host_users: bool | None = None
    """Whether its user ids are the node's. Default true."""

    share_process_namespace: bool | None = None
    """Whether its containers see each other's processes. Default false."""

    hostname: str | None = None
    """Its host name. Indexed jobs set it."""

    hostname_override: str | None = None
    """Its host name whatever its DNS name is."""

    set_hostname_as_fqdn: bool | None = None
    """Whether its host name is its full DNS name. Default false."""

    subdomain: str | None = None
    """Its headless service. JobSet sets it."""

    host_aliases: Annotated[FrozenList[HostAlias], unique("ip")] | None = None
    """Lines for /etc/hosts; each address once."""

    dns_policy: str | None = None
    """ClusterFirst, ClusterFirstWithHostNet, Default or None. Default ClusterFirst."""

    dns_config: PodDNSConfig | None = None
    """More for the resolver."""

    enable_service_links: bool | None = None
    """Whether services are also environment variables. Default true."""


class PodTemplate(ApiModel):
    """What each pod of a job is made from."""

    metadata: EmbeddedMetadata | None = None
    """Labels and annotations of the pods."""

    spec: PodSpec | None = None
    """The pods."""

"""Pod templates: containers, volumes and scheduling.

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
    """Host names for an IP address, added to the pod's /etc/hosts."""

    ip: str
    """The IP address. Unique in the list."""

    hostnames: FrozenList[str] | None = None
    """Host names that resolve to the address."""


class PodDNSConfigOption(ApiModel):
    """A DNS resolver option of the pod's resolv.conf."""

    name: str | None = None
    """Name of the option, such as `ndots`."""

    value: str | None = None
    """Value of the option, if it has one; always a string."""


class PodDNSConfig(ApiModel):
    """DNS settings that are merged with those from dnsPolicy."""

    nameservers: FrozenList[str] | None = None
    """IP addresses of DNS servers, at most 3. Required if dnsPolicy is None."""

    searches: FrozenList[str] | None = None
    """Domains to search for unqualified host names, at most 32."""

    options: FrozenList[PodDNSConfigOption] | None = None
    """Resolver options. They override options of the same name."""


class PodOS(ApiModel):
    """The operating system of the pod's containers."""

    name: str
    """linux or windows."""


class PodReadinessGate(ApiModel):
    """A pod condition that must be True for the pod to be ready."""

    condition_type: str
    """Type of the condition."""


class PodResourceClaim(ApiModel):
    """A claim on devices (dynamic resource allocation). Set exactly one of `resource_claim_name` and
    `resource_claim_template_name`."""

    name: str
    """Name by which containers refer to the claim. Unique in the pod."""

    resource_claim_name: str | None = None
    """Name of a ResourceClaim in the pod's namespace. All pods of the template share it."""

    resource_claim_template_name: str | None = None
    """Name of a ResourceClaimTemplate in the pod's namespace. Each pod gets a claim of its own."""


class PodSchedulingGate(ApiModel):
    """A gate that keeps the pod from being scheduled until a controller removes it."""

    name: str
    """Name of the gate. Unique in the pod."""


class PodSchedulingGroup(ApiModel):
    """The group of pods with which the pod is scheduled."""

    pod_group_name: str | None = None
    """Name of the PodGroup, in the pod's namespace."""


# Built on import, so that the validators of its parents reuse this one instead of building their own.
class PodSpec(ApiModel, defer_build=False):
    """The containers of a pod and how it is scheduled."""

    containers: Annotated[FrozenList[Container], unique("name")]
    """Containers that run side by side; at least one. Names are unique among all containers of the pod."""

    init_containers: Annotated[FrozenList[Container], unique("name")] | None = None
    """Containers that run one after another before the others start. With restartPolicy Always one keeps running as a
    sidecar."""

    ephemeral_containers: Annotated[FrozenList[EphemeralContainer], unique("name")] | None = None
    """Not for templates: containers added to a running pod for debugging."""

    volumes: Annotated[FrozenList[Volume], unique("name")] | None = None
    """Volumes that containers can mount. Trainer adds the SSH keys and hostfile of MPI."""

    resource_claims: Annotated[FrozenList[PodResourceClaim], unique("name")] | None = None
    """Claims on devices that must be allocated before the pod starts (dynamic resource allocation)."""

    resources: ResourceRequirements | None = None
    """CPU, memory and huge pages for all containers together. Default: the sum of the containers' resources."""

    overhead: Quantities | None = None
    """Not for runtimes: resources used by the RuntimeClass itself, set by the API server."""

    security_context: PodSecurityContext | None = None
    """Security settings for all containers."""

    service_account_name: str | None = None
    """Name of the ServiceAccount. Default `default`."""

    service_account: str | None = None
    """Deprecated alias of serviceAccountName."""

    automount_service_account_token: bool | None = None
    """Mount the service account's token in the containers. Default: the service account's setting, otherwise true."""

    image_pull_secrets: Annotated[FrozenList[LocalObjectReference], unique("name", absent={"name": ""})] | None = None
    """Secrets with credentials for image registries, in the pod's namespace."""

    restart_policy: str | None = None
    """When exited containers are restarted: OnFailure or Never. Trainer's default: OnFailure."""

    termination_grace_period_seconds: Int64 | None = None
    """Seconds between the stop signal and the kill signal when the pod is deleted. Default 30."""

    active_deadline_seconds: Int64 | None = None
    """Seconds after its start at which the pod is failed and its containers are killed. Default: no limit."""

    node_selector: StringMap | None = None
    """Labels that a node must have for the pod to be scheduled there."""

    node_name: str | None = None
    """Name of the node. Bypasses the scheduler."""

    affinity: Affinity | None = None
    """Scheduling constraints and preferences by node labels and by other pods."""

    tolerations: FrozenList[Toleration] | None = None
    """Node taints that the pod tolerates."""

    topology_spread_constraints: (
        Annotated[FrozenList[TopologySpreadConstraint], unique("topology_key", "when_unsatisfiable")] | None
    ) = None
    """How evenly pods are spread over zones, hosts or other domains."""

    scheduler_name: str | None = None
    """Name of the scheduler. Default `default-scheduler`."""

    scheduling_gates: Annotated[FrozenList[PodSchedulingGate], unique("name")] | None = None
    """Gates that must all be removed before the pod is scheduled."""

    scheduling_group: PodSchedulingGroup | None = None
    """The group of pods with which the pod is scheduled."""

    priority_class_name: str | None = None
    """Name of a PriorityClass. Default: the cluster's default class, otherwise priority 0."""

    priority: Int32 | None = None
    """Not for runtimes: the priority, set by the API server from priorityClassName. Higher is more important."""

    preemption_policy: str | None = None
    """PreemptLowerPriority or Never: whether the pod may evict pods of lower priority. Default: the PriorityClass's."""

    runtime_class_name: str | None = None
    """Name of a RuntimeClass, which selects the container runtime. Default: the node's runtime."""

    os: PodOS | None = None
    """The operating system of the containers. Default: not declared."""

    readiness_gates: FrozenList[PodReadinessGate] | None = None
    """Pod conditions that must be True, beside ready containers, for the pod to be ready."""

    host_network: bool | None = None
    """Use the node's network namespace. Ports of the containers must then be free on the node. Default false."""

    host_pid: bool | None = None
    """Use the node's process namespace. Default false."""

    host_ipc: bool | None = None
    """Use the node's IPC namespace: shared memory and semaphores. Default false."""

    host_users: bool | None = None
    """Use the node's user namespace. With false, root in a container is an unprivileged user on the node. Default
    true."""

    share_process_namespace: bool | None = None
    """Share one process namespace between all containers. Mutually exclusive with hostPID. Default false."""

    hostname: str | None = None
    """Host name of the pod. Set by the job controller for Indexed jobs."""

    hostname_override: str | None = None
    """Host name inside the pod, whatever its DNS name is. At most 64 characters. Mutually exclusive with hostNetwork
    and setHostnameAsFQDN."""

    set_hostname_as_fqdn: bool | None = None
    """Use the pod's fully qualified domain name as its host name. Default false."""

    subdomain: str | None = None
    """Name of the headless Service that gives the pod its DNS name. Set by JobSet."""

    host_aliases: Annotated[FrozenList[HostAlias], unique("ip")] | None = None
    """Entries for the pod's /etc/hosts. Addresses must be unique."""

    dns_policy: str | None = None
    """ClusterFirst (cluster DNS), ClusterFirstWithHostNet (the same with hostNetwork), Default (the node's DNS) or None
    (only dnsConfig). Default ClusterFirst."""

    dns_config: PodDNSConfig | None = None
    """DNS settings that are merged with those from dnsPolicy."""

    enable_service_links: bool | None = None
    """Add environment variables for the Services of the namespace. Default true."""


class PodTemplate(ApiModel):
    """Template of the pods of a job."""

    metadata: EmbeddedMetadata | None = None
    """Labels and annotations of the pods."""

    spec: PodSpec | None = None
    """Spec of the pods."""

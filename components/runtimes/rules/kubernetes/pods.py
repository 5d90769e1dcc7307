"""What Kubernetes rejects in other fields of a pod: names, host namespaces, DNS."""

import ipaddress
from collections.abc import Iterator

from ....k8s.grammars import DNS_LABEL, DNS_SUBDOMAIN, QUALIFIED_NAME, SEARCH_DOMAIN
from ....k8s.pods import HostAlias, PodDNSConfig, PodSpec
from ....k8s.quantities import amount
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import RuntimeView

DNS_POLICIES = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
MAX_NAMESERVERS = 3
MAX_SEARCHES = 32
MAX_SEARCHES_LENGTH = 2048
MAX_HOSTNAME_LENGTH = 64
INT32_MAX = 2**31 - 1


@rule("K8S-22")
def pod_names_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """A pod has an invalid name of a runtime class, priority class, service account, node, scheduling gate or host.

    Source: pkg/apis/core/validation/validation.go:4255-4275,4820-4875@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        spec, path = pod.spec, pod.path
        for name, value, grammar in (
            ("serviceAccountName", spec.service_account_name, DNS_SUBDOMAIN),
            ("nodeName", spec.node_name, DNS_SUBDOMAIN),
            ("priorityClassName", spec.priority_class_name, DNS_SUBDOMAIN),
            ("hostname", spec.hostname, DNS_LABEL),
            ("subdomain", spec.subdomain, DNS_LABEL),
        ):
            if value and not grammar.matches(value):
                yield violation(
                    f"{path}.{name}", f"{value!r} is not a valid {name}: it must be {grammar}.", "Correct the name."
                )
        if spec.runtime_class_name is not None and not DNS_SUBDOMAIN.matches(spec.runtime_class_name):
            yield violation(
                f"{path}.runtimeClassName",
                f"{spec.runtime_class_name!r} is not a valid runtime class: it must be {DNS_SUBDOMAIN}.",
                "Correct the name.",
            )
        for index, gate in enumerate(spec.scheduling_gates or ()):
            yield from _qualified(f"{path}.schedulingGates[{index}].name", gate.name)
        for index, readiness in enumerate(spec.readiness_gates or ()):
            yield from _qualified(f"{path}.readinessGates[{index}].conditionType", readiness.condition_type)
        for index, alias in enumerate(spec.host_aliases or ()):
            yield from _host_alias(f"{path}.hostAliases[{index}]", alias)


def _qualified(path: str, name: str) -> Iterator[Violation]:
    if not QUALIFIED_NAME.matches(name):
        yield violation(path, f"{name!r} is not a valid gate name: it must be {QUALIFIED_NAME}.", "Correct the name.")


def _host_alias(path: str, alias: HostAlias) -> Iterator[Violation]:
    if not _is_address(alias.ip):
        yield violation(f"{path}.ip", f"{alias.ip!r} is not a valid IP address.", "Correct it.")
    for index, hostname in enumerate(alias.hostnames or ()):
        if not DNS_SUBDOMAIN.matches(hostname):
            yield violation(
                f"{path}.hostnames[{index}]",
                f"{hostname!r} is not a valid host name: it must be {DNS_SUBDOMAIN}.",
                "Correct it.",
            )


def _is_address(value: str) -> bool:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    return "%" not in value and not (isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped)


@rule("K8S-22")
def host_namespaces_go_together(view: RuntimeView) -> Iterator[Violation]:
    """A pod's settings for the node's namespaces contradict each other.

    hostUsers false excludes hostNetwork, hostPID, hostIPC and block devices. hostPID also excludes
    shareProcessNamespace.
    Source: pkg/apis/core/validation/validation.go:4041-4081,5736-5741@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        spec = pod.spec
        own_users = spec.host_users is False
        for place, other, excluded in (
            (f"{pod.path}.hostNetwork", "hostUsers false", own_users and spec.host_network),
            (f"{pod.path}.hostPID", "hostUsers false", own_users and spec.host_pid),
            (f"{pod.path}.hostIPC", "hostUsers false", own_users and spec.host_ipc),
            (f"{pod.path}.shareProcessNamespace", "hostPID", spec.host_pid and spec.share_process_namespace),
            *(
                (f"{at.path}.volumeDevices", "hostUsers false of the pod", own_users and at.model.volume_devices)
                for at in pod.containers
            ),
        ):
            if excluded:
                name = place.rpartition(".")[2]
                yield violation(place, f"{name} and {other} are mutually exclusive.", "Keep one of them.")


@rule("K8S-22")
def gated_pods_have_no_node(view: RuntimeView) -> Iterator[Violation]:
    """A pod has scheduling gates and a nodeName.

    The Jobs are created, but their pods are rejected.
    Source: pkg/apis/core/validation/validation.go ValidatePodCreate@kubernetes@v1.37.2 (executed).
    """
    for pod in view.pods:
        if pod.spec.node_name and pod.spec.scheduling_gates:
            yield violation(
                f"{pod.path}.nodeName", "nodeName and schedulingGates are mutually exclusive.", "Keep one of them."
            )


@rule("K8S-22")
def hostname_override_stands_alone(view: RuntimeView) -> Iterator[Violation]:
    """A pod's hostnameOverride is not a valid host name, or conflicts with hostNetwork or setHostnameAsFQDN.

    Source: pkg/apis/core/validation/validation.go:4120-4143@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        spec, path = pod.spec, f"{pod.path}.hostnameOverride"
        if spec.hostname_override is None:
            continue
        for name, given in (("setHostnameAsFQDN", spec.set_hostname_as_fqdn), ("hostNetwork", spec.host_network)):
            if given:
                yield violation(path, f"hostnameOverride and {name} are mutually exclusive.", "Keep one of them.")
        if len(spec.hostname_override) > MAX_HOSTNAME_LENGTH or not DNS_SUBDOMAIN.matches(spec.hostname_override):
            yield violation(
                path,
                f"{spec.hostname_override!r} is not a valid host name: it must be {DNS_SUBDOMAIN}, here at most "
                f"{MAX_HOSTNAME_LENGTH} characters.",
                "Correct it.",
            )


@rule("K8S-22")
def resolver_is_valid(view: RuntimeView) -> Iterator[Violation]:
    """A pod has an invalid dnsPolicy or dnsConfig, or dnsPolicy None without a name server.

    Source: pkg/apis/core/validation/validation.go:4221-4326@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        policy, config = pod.spec.dns_policy, pod.spec.dns_config
        if policy and policy not in DNS_POLICIES:
            yield violation(
                f"{pod.path}.dnsPolicy",
                f"{policy!r} is not a valid DNS policy.",
                f"Use one of {', '.join(DNS_POLICIES)}.",
            )
        if policy == "None" and not (config and config.nameservers):
            yield violation(
                f"{pod.path}.dnsConfig",
                "With dnsPolicy None, dnsConfig must have a name server.",
                "Set dnsConfig.nameservers.",
            )
        if config:
            yield from _dns_config(f"{pod.path}.dnsConfig", config)


def _dns_config(path: str, config: PodDNSConfig) -> Iterator[Violation]:
    servers, searches = config.nameservers or (), config.searches or ()
    if len(servers) > MAX_NAMESERVERS:
        yield violation(
            f"{path}.nameservers",
            f"There are {len(servers)} name servers; the maximum is {MAX_NAMESERVERS}.",
            f"Keep {MAX_NAMESERVERS}.",
        )
    for index, server in enumerate(servers):
        if not _is_address(server):
            yield violation(f"{path}.nameservers[{index}]", f"{server!r} is not a valid IP address.", "Correct it.")
    if len(searches) > MAX_SEARCHES or len(" ".join(searches)) > MAX_SEARCHES_LENGTH:
        yield violation(
            f"{path}.searches",
            f"There are {len(searches)} search domains with {len(' '.join(searches))} characters in all.",
            f"Keep at most {MAX_SEARCHES} with {MAX_SEARCHES_LENGTH} characters in all.",
        )
    for index, search in enumerate(searches):
        if search != "." and not SEARCH_DOMAIN.matches(search.removesuffix(".")):
            yield violation(
                f"{path}.searches[{index}]",
                f"{search!r} is not a valid search domain: it must be {SEARCH_DOMAIN}.",
                "Correct it.",
            )
    for index, option in enumerate(config.options or ()):
        if not option.name:
            yield violation(f"{path}.options[{index}].name", "The option has no name.", "Name it.")


@rule("K8S-22")
def pod_numbers_and_choices_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """A pod has an invalid deadline, overhead, preemption policy or operating system, or has ephemeral containers.

    Source: pkg/apis/core/validation/validation.go:4208-4219,4840-4890,7495-7510,9023-9040@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        yield from _numbers_and_choices(pod.path, pod.spec)


def _numbers_and_choices(path: str, spec: PodSpec) -> Iterator[Violation]:
    if spec.active_deadline_seconds is not None and not 1 <= spec.active_deadline_seconds <= INT32_MAX:
        yield violation(
            f"{path}.activeDeadlineSeconds",
            f"{spec.active_deadline_seconds} is not a valid deadline: it must be from 1 to {INT32_MAX}.",
            "Correct it, or remove it.",
        )
    for name, value in (spec.overhead or {}).items():
        if amount(value) < 0:
            yield violation(
                f"{path}.overhead[{name}]", f"{value} is negative.", "Remove overhead; the RuntimeClass sets it."
            )
    if spec.preemption_policy is not None and spec.preemption_policy not in {"PreemptLowerPriority", "Never"}:
        yield violation(
            f"{path}.preemptionPolicy",
            f"{spec.preemption_policy!r} is not a valid preemption policy.",
            "Use PreemptLowerPriority or Never.",
        )
    if spec.os and spec.os.name not in {"linux", "windows"}:
        yield violation(f"{path}.os.name", f"{spec.os.name!r} is not a supported operating system.", "Use linux.")
    if spec.ephemeral_containers:
        yield violation(f"{path}.ephemeralContainers", "A template cannot have ephemeral containers.", "Remove them.")


@rule("K8S-22")
def what_classes_say_has_a_class(view: RuntimeView) -> Iterator[Violation]:
    """A pod's priority, preemption policy or overhead differs from that of its PriorityClass or RuntimeClass.

    Only the class may set these fields. The Jobs are created, but their pods are rejected.
    Source: plugin/pkg/admission/priority/admission.go,runtimeclass/admission.go@kubernetes@v1.37.2 (executed).
    """
    for pod in view.pods:
        spec, path = pod.spec, pod.path
        classless = not spec.priority_class_name
        if classless and spec.priority:
            yield violation(
                f"{path}.priority",
                f"{spec.priority} is not set by a PriorityClass: the pods are rejected.",
                "Remove it, and set priorityClassName to a class with that value.",
            )
        if classless and spec.preemption_policy == "Never":
            yield violation(
                f"{path}.preemptionPolicy",
                "Never is not set by a PriorityClass: the pods are rejected.",
                "Remove it, and set priorityClassName to a class with that policy.",
            )
        if spec.overhead is not None and spec.runtime_class_name is None:
            yield violation(
                f"{path}.overhead",
                "It is not set by a RuntimeClass: the pods are rejected.",
                "Remove it; the RuntimeClass sets it.",
            )

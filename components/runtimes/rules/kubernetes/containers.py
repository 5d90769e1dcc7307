"""What Kubernetes rejects in containers: names, images, ports, restarts."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ....k8s.containers import ContainerResizePolicy
from ....k8s.grammars import DNS_LABEL, PORT_NAME
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import LocatedContainer, RuntimeView, sdk_container

PROTOCOLS = ("TCP", "UDP", "SCTP")
PULL_POLICIES = ("Always", "IfNotPresent", "Never")
MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
RESTART_POLICIES = ("Always", "OnFailure", "Never")
MAX_RESTART_RULES = 20
MAX_EXIT_CODES = 255


@rule("K8S-01")
def containers_have_images(view: RuntimeView) -> Iterator[Violation]:
    """A container has no image, or an image with surrounding whitespace.

    The CRD requires only a name. Without an image the Jobs are rejected; with whitespace, the pods are. A TrainJob can
    set only the image of the trainer's container, and does not have to (executed). SDK-04 reports this container in
    runtimes that the SDK sees.
    Source: pkg/apis/core/validation/validation.go:4011-4013,4566-4572@kubernetes@v1.37.2.
    """
    told = sdk_container(view)
    for at in view.containers:
        image = at.model.image
        if not image and at is not told:
            yield violation(f"{at.path}.image", f"Container {at.model.name!r} has no image.", "Set an image.")
        elif image and image != image.strip():
            yield violation(f"{at.path}.image", f"Image {image!r} has whitespace around its name.", "Remove them.")


@rule("K8S-02")
def container_names_are_dns_labels(view: RuntimeView) -> Iterator[Violation]:
    """A container's name is not a DNS label.

    Source: pkg/apis/core/validation/validation.go:4002-4006@kubernetes@v1.37.2.
    """
    for at in view.containers:
        if not DNS_LABEL.matches(at.model.name):
            yield violation(
                f"{at.path}.name",
                f"{at.model.name!r} is not a valid container name: it must be {DNS_LABEL}.",
                "Rename it.",
            )


@rule("K8S-03")
def pods_have_containers(view: RuntimeView) -> Iterator[Violation]:
    """The pods of a job have no containers.

    The CRD accepts an empty list, and a job template without a spec. The JobSet is rejected.
    Source: pkg/apis/core/validation/validation.go:4149-4151@kubernetes@v1.37.2; corpus: rejected already as a JobSet.
    """
    for job in view.jobs:
        if job.pod is None or not job.pod.spec.containers:
            path = f"{job.pod.path}.containers" if job.pod else f"{job.path}.template"
            yield violation(path, f"The pods of {job.name!r} have no container.", "Add one, with a name and an image.")


@rule("K8S-04")
def container_names_are_unique(view: RuntimeView) -> Iterator[Violation]:
    """An init container and a container have the same name.

    Source: pkg/apis/core/validation/validation.go:3946-3947@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        names = {container.name for container in pod.spec.containers}
        for at in pod.containers:
            if at.init and at.model.name in names:
                yield violation(
                    f"{at.path}.name",
                    f"{at.model.name!r} is already the name of a container of this pod.",
                    "Rename it.",
                )


@rule("K8S-18")
def ports_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """A port has an invalid number, name or protocol, or two ports have the same name.

    Source: pkg/apis/core/validation/validation.go:2794-2830@kubernetes@v1.37.2.
    """
    for at in view.containers:
        names: set[str] = set()
        for index, port in enumerate(at.model.ports or ()):
            path = f"{at.path}.ports[{index}]"
            if not 1 <= port.container_port <= 65535:
                yield violation(
                    f"{path}.containerPort",
                    f"{port.container_port} is not a valid port.",
                    "Use a number from 1 to 65535.",
                )
            if port.host_port and not 1 <= port.host_port <= 65535:
                yield violation(
                    f"{path}.hostPort", f"{port.host_port} is not a valid port.", "Use a number from 1 to 65535."
                )
            if port.name and not PORT_NAME.matches(port.name):
                yield violation(
                    f"{path}.name",
                    f"{port.name!r} is not a valid port name: it must be {PORT_NAME}.",
                    "Rename the port.",
                )
            elif port.name and port.name in names:
                yield violation(
                    f"{path}.name", f"{port.name!r} is already the name of another port.", "Rename one of them."
                )
            if port.protocol and port.protocol not in PROTOCOLS:
                yield violation(
                    f"{path}.protocol",
                    f"{port.protocol!r} is not a valid protocol.",
                    f"Use one of {', '.join(PROTOCOLS)}.",
                )
            names.add(port.name or "")


@rule("K8S-22")
def host_ports_are_free(view: RuntimeView) -> Iterator[Violation]:
    """Two ports of a pod use the same port of the node, or a port with hostNetwork has another hostPort.

    With hostNetwork each port is a port of the node, even without hostPort.
    Source: pkg/apis/core/validation/validation.go:3519-3546,4328-4355@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        taken: Counter[tuple[str, str, int]] = Counter()
        for at in pod.containers:
            if at.init:
                taken = Counter()
            for index, port in enumerate(at.model.ports or ()):
                path = f"{at.path}.ports[{index}].hostPort"
                number = port.host_port or (port.container_port if pod.spec.host_network else None)
                if not number:
                    continue
                key = (port.protocol or "TCP", port.host_ip or "", number)
                taken[key] += 1
                if taken[key] > 1:
                    yield violation(path, f"Port {number} of the node is used twice.", "Use another.")
                if pod.spec.host_network and not at.init and number != port.container_port:
                    yield violation(
                        path,
                        f"With hostNetwork, hostPort must equal containerPort: {number} is not {port.container_port}.",
                        "Remove hostPort.",
                    )


@rule("K8S-22")
def container_choices_are_known(view: RuntimeView) -> Iterator[Violation]:
    """A container has an unknown imagePullPolicy, terminationMessagePolicy or restart policy.

    Source: pkg/apis/core/validation/validation.go:3725-3838,4015-4027@kubernetes@v1.37.2.
    """
    for at in view.containers:
        for name, value, known in (
            ("imagePullPolicy", at.model.image_pull_policy, PULL_POLICIES),
            ("terminationMessagePolicy", at.model.termination_message_policy, MESSAGE_POLICIES),
            ("restartPolicy", at.model.restart_policy, RESTART_POLICIES),
        ):
            if value is not None and value not in known and (value or name == "restartPolicy"):
                yield violation(
                    f"{at.path}.{name}", f"{value!r} is not a valid {name}.", f"Use one of {', '.join(known)}."
                )
        yield from _restart_rules(at)


@rule("K8S-22")
def resize_policies_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """A container's resize policy has a resource other than cpu and memory, or a restart that the pod does not allow.

    Source: pkg/apis/core/validation/validation.go:3743-3780@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        for at in pod.containers:
            never = pod.spec.restart_policy == "Never" or (at.init and not at.sidecar)
            yield from _resize_policies(f"{at.path}.resizePolicy", at.model.resize_policy or (), never)


def _resize_policies(path: str, policies: Sequence[ContainerResizePolicy], never: bool) -> Iterator[Violation]:
    known = ("NotRequired",) if never else ("NotRequired", "RestartContainer")
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        resource, restart = policy.resource_name, policy.restart_policy
        if resource not in {"cpu", "memory"}:
            yield violation(f"{path}[{index}].resourceName", f"{resource!r} cannot be resized.", "Use cpu or memory.")
        if resource in seen:
            yield violation(f"{path}[{index}].resourceName", f"{resource} is a duplicate.", "Keep one of them.")
        if restart not in known:
            problem = f"{restart!r} is not a valid restart policy" + (
                " for pods that are never restarted." if never else "."
            )
            yield violation(f"{path}[{index}].restartPolicy", problem, f"Use {' or '.join(known)}.")
        seen.add(resource)


def _restart_rules(at: LocatedContainer) -> Iterator[Violation]:
    rules = at.model.restart_policy_rules or ()
    if rules and at.model.restart_policy is None:
        yield violation(f"{at.path}.restartPolicy", "restartPolicyRules need a restartPolicy.", "Set restartPolicy.")
    if len(rules) > MAX_RESTART_RULES:
        yield violation(
            f"{at.path}.restartPolicyRules",
            f"There are {len(rules)} rules; the maximum is {MAX_RESTART_RULES}.",
            "Merge some of them.",
        )
    for index, item in enumerate(rules):
        path = f"{at.path}.restartPolicyRules[{index}]"
        if item.action not in {"Restart", "RestartAllContainers"}:
            yield violation(f"{path}.action", f"{item.action!r} is not a valid action.", "Use Restart.")
        if item.exit_codes is None:
            yield violation(f"{path}.exitCodes", "The rule has no exit codes.", "Add exitCodes.")
        elif item.exit_codes.operator not in {"In", "NotIn"} or len(item.exit_codes.values or ()) > MAX_EXIT_CODES:
            yield violation(
                f"{path}.exitCodes",
                f"Operator {item.exit_codes.operator!r} with {len(item.exit_codes.values or ())} values is not valid.",
                f"Use In or NotIn, with at most {MAX_EXIT_CODES} values.",
            )

"""What the API server accepts and the kubelet cannot run: such pods never start, or cannot reach each other."""

from collections.abc import Iterator

from ....k8s.grammars import IMAGE, PORT_NAME
from ....k8s.quantities import amount
from ....validation.violation import Severity, Violation
from ..rule import rule, violation
from ..view import RuntimeView

MEDIA = ("", "Memory", "HugePages")


@rule("RUN-02")
def probes_find_their_ports(view: RuntimeView) -> Iterator[Violation]:
    """A readiness or startup probe names a port that its container does not declare.

    Kubernetes accepts it. The kubelet does not find the port and discards the probe's result, so the pod is never
    ready. Jobs that depend on it are never created.
    Source: pkg/probe/util.go ResolveContainerPort, pkg/kubelet/prober/worker.go doProbe@kubernetes@v1.37.2.
    """
    for at in view.containers:
        declared = {port.name for port in at.model.ports or ()}
        for name, probe in at.probes():
            actions = {"httpGet": probe.http_get, "tcpSocket": probe.tcp_socket}
            ports = {handler: action.port for handler, action in actions.items() if action and name != "livenessProbe"}
            for handler, port in ports.items():
                if isinstance(port, str) and port not in declared and PORT_NAME.matches(port):
                    yield violation(
                        f"{at.path}.{name}.{handler}.port",
                        f"Container {at.model.name!r} declares no port {port!r}: the probe would never succeed.",
                        "Write the port's number, or declare a port of this name.",
                    )


@rule("RUN-07")
def empty_dir_medium_is_valid(view: RuntimeView) -> Iterator[Violation]:
    """The medium of an emptyDir does not exist.

    Kubernetes accepts it. The kubelet cannot mount the volume, and the pod never starts.
    Source: pkg/volume/emptydir/empty_dir.go SetUpAt@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        for index, volume in enumerate(pod.spec.volumes or ()):
            medium = volume.empty_dir.medium if volume.empty_dir else None
            if medium is not None and medium not in MEDIA and not medium.startswith("HugePages-"):
                yield violation(
                    f"{pod.path}.volumes[{index}].emptyDir.medium",
                    f"{medium!r} is not a valid medium: the pods would never start.",
                    "Use Memory or HugePages, or remove it for the node's disk.",
                )


@rule("RUN-22", severity=Severity.WARNING)
def memory_volumes_fit_into_the_limit(view: RuntimeView) -> Iterator[Violation]:
    """An emptyDir in memory, such as /dev/shm, can grow beyond the memory limit of the containers that mount it.

    Its content counts against the limit of the container that writes it. Before the volume is full, the container is
    killed, and with it the training. If all containers have limits, the kubelet limits the volume to their sum.
    Source: pkg/volume/emptydir/empty_dir.go calculateEmptyDirMemorySize@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        for index, volume in enumerate(pod.spec.volumes or ()):
            source = volume.empty_dir
            size = source.size_limit if source and source.medium == "Memory" else None
            users = [
                at
                for at in pod.containers
                if not at.init and volume.name in {mount.name for mount in at.model.volume_mounts or ()}
            ]
            limits = [at.model.resources.limits for at in users if at.model.resources and at.model.resources.limits]
            bounds = [given["memory"] for given in limits if "memory" in given]
            if size is None or not users or len(bounds) < len(users):
                continue
            room = sum(map(amount, bounds))
            if amount(size) > room:
                names = " and ".join(repr(at.model.name) for at in users)
                yield violation(
                    f"{pod.path}.volumes[{index}].emptyDir.sizeLimit",
                    f"{volume.name!r} may take {size} of memory, more than the limit of {names}, "
                    f"{' and '.join(map(str, bounds))}.",
                    "Set a smaller sizeLimit, or a higher memory limit.",
                )


@rule("RUN-08", severity=Severity.WARNING)
def nodes_names_resolve(view: RuntimeView) -> Iterator[Violation]:
    """Pods of a distributed training use the node's name servers, which do not know the names of other pods.

    This is dnsPolicy Default, and also ClusterFirst, the default, for pods with hostNetwork.
    Source: pkg/kubelet/network/dns/dns.go getPodDNSType@kubernetes@v1.37.2.
    """
    for pod in view.pods if view.policy else ():
        policy = pod.spec.dns_policy or "ClusterFirst"
        if policy == "Default" or (pod.spec.host_network and policy == "ClusterFirst"):
            yield violation(
                f"{pod.path}.dnsPolicy",
                f"With dnsPolicy {policy}{' and hostNetwork' if pod.spec.host_network else ''} the pods use the "
                "DNS servers of their node, which cannot resolve other pods.",
                f"Set dnsPolicy to {'ClusterFirstWithHostNet' if pod.spec.host_network else 'ClusterFirst'}.",
            )


@rule("RUN-13", severity=Severity.WARNING)
def images_are_references(view: RuntimeView) -> Iterator[Violation]:
    """An image is not a valid reference, for example a URL or a placeholder.

    Kubernetes accepts any text. The kubelet does not, and the pod waits forever with InvalidImageName.
    Source: pkg/kubelet/images/image_manager.go applyDefaultImageTag@kubernetes@v1.37.2, which reads it by
    github.com/distribution/reference@v0.6.0.
    """
    for at in view.containers:
        image = (at.model.image or "").strip()
        if image and not IMAGE.matches(image):
            yield violation(
                f"{at.path}.image",
                f"{image!r} is not a valid image reference: it must be {IMAGE}.",
                "Write it like ghcr.io/team/train:1.2.",
            )


@rule("RUN-14", severity=Severity.WARNING)
def command_is_not_a_shell_line(view: RuntimeView) -> Iterator[Violation]:
    """A command is one string with spaces: a command line instead of the name of a program.

    Without a shell the string is not split. The container fails at each start, because there is no such program.
    Source: staging/src/k8s.io/api/core/v1/types.go Container.command@kubernetes@v1.37.2.
    """
    for at in view.containers:
        program = next(iter(at.model.command or ()), "")
        if " " in program.strip():
            yield violation(
                f"{at.path}.command[0]",
                f"{program!r} is run as the name of one program, including its spaces.",
                'Write each word as an item, or use ["sh", "-c", "..."].',
            )


@rule("RUN-15")
def root_conflicts_with_run_as_non_root(view: RuntimeView) -> Iterator[Violation]:
    """A container has runAsUser 0 and runAsNonRoot true.

    Both can also be set in the pod's security context. The kubelet does not start the container: it stays in
    CreateContainerConfigError.
    Source: pkg/kubelet/kuberuntime/security_context_others.go verifyRunAsNonRoot@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        for at in pod.containers:
            contexts = [given for given in (at.model.security_context, pod.spec.security_context) if given is not None]
            user = next((given.run_as_user for given in contexts if given.run_as_user is not None), None)
            never = next((given.run_as_non_root for given in contexts if given.run_as_non_root is not None), False)
            if user == 0 and never:
                yield violation(
                    f"{at.path}.securityContext",
                    f"Container {at.model.name!r} runs as user 0, but runAsNonRoot is true: it would never start.",
                    "Set runAsUser to another user, or runAsNonRoot to false.",
                )


EFA = "vpc.amazonaws.com/efa"

NO_EFA_PLUGIN = (
    "pytorch/pytorch",
    *(
        f"kubeflow/trainer/{name}"
        for name in ("deepspeed-runtime", "mlx-runtime", "torchtune-trainer", "xgboost-runtime")
    ),
)
"""Images without aws-ofi-nccl, as their names end before the tag: PyTorch's (Dockerfile@pytorch@01343dc, read) and
Trainer's (cmd/runtimes/*/Dockerfile, cmd/trainers/torchtune/Dockerfile@trainer@v2.3.0, read)."""


@rule("RUN-23", severity=Severity.WARNING)
def efa_is_used_by_the_image(view: RuntimeView) -> Iterator[Violation]:
    """A container requests EFA, and its image is known to have no NCCL plugin for EFA.

    NCCL uses EFA through libfabric and the plugin aws-ofi-nccl, which the image must include. Otherwise NCCL uses TCP,
    which is many times slower, and reports this only in its log.
    Source: read in cmd/runtimes/*/Dockerfile@trainer@v2.3.0 and in the README of aws/aws-ofi-nccl; EC2 User Guide, "Get
    started with EFA and NCCL for ML workloads on Amazon EC2".
    """
    for at in view.containers:
        limits = (at.model.resources.limits if at.model.resources else None) or {}
        name = (at.model.image or "").partition("@")[0]
        name = name[: name.rfind(":")] if name.rfind(":") > name.rfind("/") else name
        if EFA in limits and f"/{name}".endswith(tuple(f"/{image}" for image in NO_EFA_PLUGIN)):
            yield violation(
                f"{at.path}.image",
                f"{at.model.image} does not have aws-ofi-nccl: NCCL would use TCP, not EFA.",
                "Use an image with libfabric and aws-ofi-nccl, such as one of AWS' Deep Learning Containers.",
            )

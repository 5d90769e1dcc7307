"""What a container is asked, or told, while it lives. Meanings and defaults from Kubernetes' core/v1."""

from .base import ApiModel, FrozenList, Int32, Int64, IntOrString


class ExecAction(ApiModel):
    """A command in the container; status 0 is success."""

    command: FrozenList[str] | None = None
    """The command and its arguments, not run by a shell."""


class HTTPHeader(ApiModel):
    """A header of a request."""

    name: str
    value: str


class HTTPGetAction(ApiModel):
    """A GET request; 200 to 399 is success."""

    port: IntOrString
    """Number or name of the port."""

    path: str | None = None
    """Default `/`."""

    host: str | None = None
    """Default: the pod's address."""

    scheme: str | None = None
    """HTTP or HTTPS. Default HTTP."""

    http_headers: FrozenList[HTTPHeader] | None = None
    """Further headers."""


class TCPSocketAction(ApiModel):
    """A connection; that it opens is success."""

    port: IntOrString
    """Number or name of the port."""

    host: str | None = None
    """Default: the pod's address."""


class GRPCAction(ApiModel):
    """A call of gRPC's health service."""

    port: Int32
    """Number of the port."""

    service: str | None = None
    """Name of the service that is asked about. Default empty: the server."""


class SleepAction(ApiModel):
    """A pause."""

    seconds: Int64
    """How long."""


class Probe(ApiModel):
    """A question that the kubelet asks a container again and again, in exactly one of four ways."""

    exec: ExecAction | None = None
    http_get: HTTPGetAction | None = None
    tcp_socket: TCPSocketAction | None = None
    grpc: GRPCAction | None = None

    initial_delay_seconds: Int32 | None = None
    """Seconds from the container's start to the first question. Default 0."""

    period_seconds: Int32 | None = None
    """Seconds from one question to the next. Default 10."""

    timeout_seconds: Int32 | None = None
    """Seconds until no answer is a failure. Default 1."""

    success_threshold: Int32 | None = None
    """Successes in a row that are a success. Default 1; for liveness and startup it must be 1."""

    failure_threshold: Int32 | None = None
    """Failures in a row that are a failure. Default 3."""

    termination_grace_period_seconds: Int64 | None = None
    """Seconds that a container which failed has to end. Default: the pod's. Not for readiness."""


class LifecycleHandler(ApiModel):
    """What runs at a point of a container's life: exactly one of four."""

    exec: ExecAction | None = None
    http_get: HTTPGetAction | None = None
    sleep: SleepAction | None = None

    tcp_socket: TCPSocketAction | None = None
    """Not supported: it always fails."""


class Lifecycle(ApiModel):
    """What runs at the start and at the end of a container."""

    post_start: LifecycleHandler | None = None
    """Right after the start; a failure ends the container."""

    pre_stop: LifecycleHandler | None = None
    """Before the container is told to stop; it counts into the grace period."""

    stop_signal: str | None = None
    """The signal that tells it to stop: `SIGTERM`. Default: the image's."""

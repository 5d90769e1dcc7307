"""Probes and lifecycle hooks of containers. Meanings and defaults from Kubernetes' core/v1."""

from .base import ApiModel, FrozenList, Int32, Int64, IntOrString


class ExecAction(ApiModel):
    """Runs a command in the container. Exit code 0 is success."""

    command: FrozenList[str] | None = None
    """The command and its arguments. It is not run in a shell. The working directory is the container's root."""


class HTTPHeader(ApiModel):
    """A header of an HTTP request."""

    name: str
    """Name of the header."""
    value: str
    """Value of the header."""


class HTTPGetAction(ApiModel):
    """Sends an HTTP GET request. A status from 200 to 399 is success."""

    port: IntOrString
    """Number, 1 to 65535, or name of a port of the container."""

    path: str | None = None
    """Path of the request. Default `/`."""

    host: str | None = None
    """Host to connect to. Default: the pod's IP address."""

    scheme: str | None = None
    """HTTP or HTTPS. Certificates are not verified. Default HTTP."""

    http_headers: FrozenList[HTTPHeader] | None = None
    """Additional headers. Names may repeat."""


class TCPSocketAction(ApiModel):
    """Opens a TCP connection. Success if the connection is accepted."""

    port: IntOrString
    """Number, 1 to 65535, or name of a port of the container."""

    host: str | None = None
    """Host to connect to. Default: the pod's IP address."""


class GRPCAction(ApiModel):
    """Calls the standard gRPC health service."""

    port: Int32
    """Port number, 1 to 65535."""

    service: str | None = None
    """Name of the service in the health request. Default empty: the server as a whole."""


class SleepAction(ApiModel):
    """Waits."""

    seconds: Int64
    """Duration in seconds."""


class Probe(ApiModel):
    """A periodic check of a container by the kubelet. Set exactly one of `exec`, `http_get`, `tcp_socket` and
    `grpc`."""

    exec: ExecAction | None = None
    """Run a command in the container."""
    http_get: HTTPGetAction | None = None
    """Send an HTTP GET request."""
    tcp_socket: TCPSocketAction | None = None
    """Open a TCP connection."""
    grpc: GRPCAction | None = None
    """Call the gRPC health service."""

    initial_delay_seconds: Int32 | None = None
    """Seconds after the container's start before the first check. Default 0."""

    period_seconds: Int32 | None = None
    """Seconds between checks. Default 10."""

    timeout_seconds: Int32 | None = None
    """Seconds after which a check without an answer fails. Default 1."""

    success_threshold: Int32 | None = None
    """Consecutive successes after a failure that count as success. Default 1. Must be 1 for liveness and startup
    probes."""

    failure_threshold: Int32 | None = None
    """Consecutive failures that count as failure. Default 3."""

    termination_grace_period_seconds: Int64 | None = None
    """Seconds that the container has to stop after the probe fails. Not for readiness probes. Default: the pod's
    terminationGracePeriodSeconds."""


class LifecycleHandler(ApiModel):
    """An action at a point in a container's life. Set exactly one field."""

    exec: ExecAction | None = None
    """Run a command in the container."""
    http_get: HTTPGetAction | None = None
    """Send an HTTP GET request."""
    sleep: SleepAction | None = None
    """Wait for some seconds."""

    tcp_socket: TCPSocketAction | None = None
    """Deprecated and not supported by Kubernetes: it always fails."""


class Lifecycle(ApiModel):
    """Actions after a container starts and before it stops."""

    post_start: LifecycleHandler | None = None
    """Runs right after the container is created. If it fails, the container is terminated."""

    pre_stop: LifecycleHandler | None = None
    """Runs before the container is stopped. Its duration counts towards the grace period."""

    stop_signal: str | None = None
    """Signal that is sent to stop the container, such as `SIGTERM`. Requires the pod's os. Default: the image's
    signal."""

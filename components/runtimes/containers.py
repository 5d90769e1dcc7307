"""Containers: what runs, with which environment, resources, mounts and probes."""

from collections.abc import Mapping
from typing import Annotated

from .security import SecurityContext
from .wire import ApiModel, Int32, Int64, IntOrString, Items, Quantity, unique

Quantities = Mapping[str, Quantity]


class KeySelector(ApiModel):
    """A key of a ConfigMap or Secret."""

    key: str
    name: str | None = None
    optional: bool | None = None


class ObjectFieldSelector(ApiModel):
    """A field of the pod itself."""

    field_path: str
    api_version: str | None = None


class FileKeySelector(ApiModel):
    """A key of an environment file in a volume."""

    key: str
    path: str
    volume_name: str
    optional: bool | None = None


class ResourceFieldSelector(ApiModel):
    """A resource of a container."""

    resource: str
    container_name: str | None = None
    divisor: Quantity | None = None


class EnvVarSource(ApiModel):
    """Where an environment variable's value comes from."""

    config_map_key_ref: KeySelector | None = None
    field_ref: ObjectFieldSelector | None = None
    file_key_ref: FileKeySelector | None = None
    resource_field_ref: ResourceFieldSelector | None = None
    secret_key_ref: KeySelector | None = None


class EnvVar(ApiModel):
    """An environment variable."""

    name: str
    value: str | None = None
    value_from: EnvVarSource | None = None


class EnvSource(ApiModel):
    """A whole ConfigMap or Secret."""

    name: str | None = None
    optional: bool | None = None


class EnvFromSource(ApiModel):
    """All keys of a ConfigMap or Secret as environment variables."""

    prefix: str | None = None
    config_map_ref: EnvSource | None = None
    secret_ref: EnvSource | None = None


class ContainerPort(ApiModel):
    """A port that the container listens on."""

    container_port: Int32
    name: str | None = None
    protocol: str | None = None
    host_port: Int32 | None = None
    host_ip: str | None = None


class ResourceClaim(ApiModel):
    """A claim of the pod that the container uses."""

    name: str
    request: str | None = None


class ResourceRequirements(ApiModel):
    """What a container gets, and may use at most."""

    limits: Quantities | None = None
    requests: Quantities | None = None
    claims: Annotated[Items[ResourceClaim], unique("name", rule="CTR-33")] | None = None


class VolumeMount(ApiModel):
    """A volume of the pod in the container's file system."""

    name: str
    mount_path: str
    sub_path: str | None = None
    sub_path_expr: str | None = None
    read_only: bool | None = None
    recursive_read_only: str | None = None
    mount_propagation: str | None = None


class VolumeDevice(ApiModel):
    """A raw block volume in the container."""

    name: str
    device_path: str


class ExecAction(ApiModel):
    """A command in the container; 0 is success."""

    command: Items[str] | None = None


class HTTPHeader(ApiModel):
    """A header of a request."""

    name: str
    value: str


class HTTPGetAction(ApiModel):
    """A GET request; 200 to 399 is success."""

    port: IntOrString
    path: str | None = None
    host: str | None = None
    scheme: str | None = None
    http_headers: Items[HTTPHeader] | None = None


class TCPSocketAction(ApiModel):
    """A TCP connection; opened is success."""

    port: IntOrString
    host: str | None = None


class GRPCAction(ApiModel):
    """A call of the gRPC health service."""

    port: Int32
    service: str | None = None


class SleepAction(ApiModel):
    """A pause, in seconds."""

    seconds: Int64


class Probe(ApiModel):
    """A question that the kubelet asks the container again and again."""

    exec: ExecAction | None = None
    http_get: HTTPGetAction | None = None
    tcp_socket: TCPSocketAction | None = None
    grpc: GRPCAction | None = None
    initial_delay_seconds: Int32 | None = None
    period_seconds: Int32 | None = None
    timeout_seconds: Int32 | None = None
    success_threshold: Int32 | None = None
    failure_threshold: Int32 | None = None
    termination_grace_period_seconds: Int64 | None = None


class LifecycleHandler(ApiModel):
    """What runs at a point of a container's life."""

    exec: ExecAction | None = None
    http_get: HTTPGetAction | None = None
    tcp_socket: TCPSocketAction | None = None
    sleep: SleepAction | None = None


class Lifecycle(ApiModel):
    """What runs after a container's start and before its stop."""

    post_start: LifecycleHandler | None = None
    pre_stop: LifecycleHandler | None = None
    stop_signal: str | None = None


class ContainerResizePolicy(ApiModel):
    """Whether a container restarts when a resource of it is resized."""

    resource_name: str
    restart_policy: str


class ContainerRestartRuleOnExitCodes(ApiModel):
    """Exit codes that a restart rule is about."""

    operator: str
    values: Items[Int32] | None = None


class ContainerRestartRule(ApiModel):
    """What to do when the container ends so."""

    action: str
    exit_codes: ContainerRestartRuleOnExitCodes | None = None


class Container(ApiModel):
    """A container of a pod."""

    name: str
    image: str | None = None
    image_pull_policy: str | None = None
    command: Items[str] | None = None
    args: Items[str] | None = None
    working_dir: str | None = None
    env: Annotated[Items[EnvVar], unique("name", rule="CTR-33")] | None = None
    env_from: Items[EnvFromSource] | None = None
    ports: (
        Annotated[Items[ContainerPort], unique("container_port", "protocol", rule="CTR-33", absent={"protocol": "TCP"})]
        | None
    ) = None
    resources: ResourceRequirements | None = None
    resize_policy: Items[ContainerResizePolicy] | None = None
    volume_mounts: Annotated[Items[VolumeMount], unique("mount_path", rule="CTR-33")] | None = None
    volume_devices: Annotated[Items[VolumeDevice], unique("device_path", rule="CTR-33")] | None = None
    readiness_probe: Probe | None = None
    liveness_probe: Probe | None = None
    startup_probe: Probe | None = None
    lifecycle: Lifecycle | None = None
    security_context: SecurityContext | None = None
    restart_policy: str | None = None
    restart_policy_rules: Items[ContainerRestartRule] | None = None
    termination_message_path: str | None = None
    termination_message_policy: str | None = None
    stdin: bool | None = None
    stdin_once: bool | None = None
    tty: bool | None = None


class EphemeralContainer(Container):
    """A container for debugging that joins a running pod."""

    target_container_name: str | None = None

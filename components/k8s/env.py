"""Environment variables and where their values come from. Meanings and defaults from Kubernetes' core/v1."""

from .base import ApiModel, Quantity


class KeySelector(ApiModel):
    """A key of a ConfigMap or of a Secret."""

    key: str
    """Which of its keys."""

    name: str | None = None
    """Name of the object, in the pod's namespace."""

    optional: bool | None = None
    """Whether object and key may be missing. Default false: the container waits for them."""


class ObjectFieldSelector(ApiModel):
    """A field of the pod."""

    field_path: str
    """`metadata.name`, `metadata.labels['x']`, `spec.nodeName`, `status.podIP`, ..."""

    api_version: str | None = None
    """Version of the path. Default v1."""


class ResourceFieldSelector(ApiModel):
    """A resource of a container."""

    resource: str
    """`limits.cpu`, `requests.memory`, ..."""

    container_name: str | None = None
    """Whose. In environment variables by default the container's own."""

    divisor: Quantity | None = None
    """Unit of the value. Default 1."""


class FileKeySelector(ApiModel):
    """A key of a file of environment variables in an emptyDir."""

    volume_name: str
    """The volume."""

    path: str
    """The file, from the volume's root."""

    key: str
    """Which of its keys."""

    optional: bool | None = None
    """Whether file and key may be missing. Default false."""


class EnvVarSource(ApiModel):
    """Where a value comes from: exactly one of them."""

    config_map_key_ref: KeySelector | None = None
    secret_key_ref: KeySelector | None = None
    field_ref: ObjectFieldSelector | None = None
    resource_field_ref: ResourceFieldSelector | None = None
    file_key_ref: FileKeySelector | None = None


class EnvVar(ApiModel):
    """An environment variable, with a value or with a source of one."""

    name: str
    """Its name, unique in the container."""

    value: str | None = None
    """Its value, always a string; `$(NAME)` stands for an earlier variable. Default empty."""

    value_from: EnvVarSource | None = None
    """Where its value comes from."""


class EnvFromTarget(ApiModel):
    """A ConfigMap or Secret as a whole."""

    name: str | None = None
    """Its name, in the pod's namespace."""

    optional: bool | None = None
    """Whether it may be missing. Default false."""


class EnvFromSource(ApiModel):
    """All keys of a ConfigMap or of a Secret as environment variables."""

    prefix: str | None = None
    """What their names start with. Default nothing."""

    config_map_ref: EnvFromTarget | None = None
    secret_ref: EnvFromTarget | None = None

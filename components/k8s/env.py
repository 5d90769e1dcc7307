"""Environment variables and the sources of their values. Meanings and defaults from Kubernetes' core/v1."""

from .base import ApiModel, Quantity


class KeySelector(ApiModel):
    """One key of a ConfigMap or Secret."""

    key: str
    """The key to read."""

    name: str | None = None
    """Name of the ConfigMap or Secret, in the pod's namespace."""

    optional: bool | None = None
    """Start the container even if the object or key is missing. Default false: the container does not start until it
    exists."""


class ObjectFieldSelector(ApiModel):
    """A field of the pod."""

    field_path: str
    """Path of the field: `metadata.name`, `metadata.labels['x']`, `spec.nodeName`, `status.podIP`, ..."""

    api_version: str | None = None
    """API version in which the path is written. Default v1."""


class ResourceFieldSelector(ApiModel):
    """A resource limit or request of a container."""

    resource: str
    """The resource: `limits.cpu`, `requests.memory`, ..."""

    container_name: str | None = None
    """Name of the container. Default for environment variables: this container. Required for volumes."""

    divisor: Quantity | None = None
    """Unit in which the value is written, such as `1Mi`; the result is rounded up. Default 1."""


class FileKeySelector(ApiModel):
    """One variable of an environment file in an emptyDir volume."""

    volume_name: str
    """Name of the emptyDir volume."""

    path: str
    """Path of the file, relative to the volume's root. Must not contain '..'."""

    key: str
    """Name of the variable in the file."""

    optional: bool | None = None
    """Start the container even if the file or variable is missing. Default false."""


class EnvVarSource(ApiModel):
    """The source of a value. Set exactly one field."""

    config_map_key_ref: KeySelector | None = None
    """A key of a ConfigMap."""
    secret_key_ref: KeySelector | None = None
    """A key of a Secret."""
    field_ref: ObjectFieldSelector | None = None
    """A field of the pod."""
    resource_field_ref: ResourceFieldSelector | None = None
    """A resource limit or request of a container."""
    file_key_ref: FileKeySelector | None = None
    """A variable of an environment file in an emptyDir volume."""


class EnvVar(ApiModel):
    """An environment variable. Set at most one of `value` and `value_from`."""

    name: str
    """Name of the variable, unique in the container."""

    value: str | None = None
    """The value, always a string. `$(NAME)` is replaced by the variable NAME, if that is defined earlier. Default
    empty."""

    value_from: EnvVarSource | None = None
    """Where the value is read from, instead of `value`."""


class EnvFromTarget(ApiModel):
    """A ConfigMap or Secret."""

    name: str | None = None
    """Name of the object, in the pod's namespace."""

    optional: bool | None = None
    """Start the container even if the object is missing. Default false."""


class EnvFromSource(ApiModel):
    """Makes every key of a ConfigMap or Secret an environment variable. Set exactly one of the two."""

    prefix: str | None = None
    """Text to put before each key. Default: none."""

    config_map_ref: EnvFromTarget | None = None
    """The ConfigMap."""
    secret_ref: EnvFromTarget | None = None
    """The Secret."""

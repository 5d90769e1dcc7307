"""What Kubernetes rejects in containers' environment variables."""

import re
from collections.abc import Collection, Iterator

from ....k8s.env import EnvVar, FileKeySelector, KeySelector, ObjectFieldSelector, ResourceFieldSelector
from ....k8s.grammars import DATA_KEY, DNS_SUBDOMAIN, ENV_NAME, QUALIFIED_NAME, has_parent_reference
from ....k8s.quantities import amount
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import RuntimeView, source_names

ENV_FIELDS = frozenset(
    {
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.host",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    }
)
VOLUME_FIELDS = frozenset(
    {"metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations", "metadata.uid"}
)
RESOURCES = frozenset(
    f"{side}.{name}" for side in ("limits", "requests") for name in ("cpu", "memory", "ephemeral-storage")
)
HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")
CPU_DIVISORS = {amount("1m"), amount(1)}
OTHER_DIVISORS = {amount(f"1{suffix}") for suffix in ("", *"kMGTPE", *(f"{power}i" for power in "KMGTPE"))}


@rule("K8S-20")
def environment_is_valid(view: RuntimeView) -> Iterator[Violation]:
    """An environment variable has a value and a source, several sources, an empty source, or an unknown one.

    Source: pkg/apis/core/validation/validation.go:2833-3155,4083-4118@kubernetes@v1.37.2.
    """
    for pod in view.pods:
        folders = {volume.name for volume in pod.spec.volumes or () if source_names(volume) in ([], ["empty_dir"])}
        for at in pod.containers:
            for index, variable in enumerate(at.model.env or ()):
                yield from _variable(f"{at.path}.env[{index}]", variable, folders)
            for index, source in enumerate(at.model.env_from or ()):
                path = f"{at.path}.envFrom[{index}]"
                if source.prefix and not ENV_NAME.matches(source.prefix):
                    yield violation(
                        f"{path}.prefix",
                        f"{source.prefix!r} is not a valid prefix of variable names: it must be {ENV_NAME}.",
                        "Correct it.",
                    )
                references = [
                    (name, reference)
                    for name, reference in (("configMapRef", source.config_map_ref), ("secretRef", source.secret_ref))
                    if reference is not None
                ]
                if len(references) != 1:
                    yield violation(
                        path, f"It has {len(references)} sources.", "Set one of configMapRef and secretRef."
                    )
                for name, reference in references:
                    yield from _object_name(f"{path}.{name}.name", reference.name)


def _variable(path: str, variable: EnvVar, folders: Collection[str]) -> Iterator[Violation]:
    if not ENV_NAME.matches(variable.name):
        yield violation(
            f"{path}.name",
            f"{variable.name!r} is not a valid variable name: it must be {ENV_NAME}.",
            "Rename the variable.",
        )
    source = variable.value_from
    if source is None:
        return
    given = [
        name
        for name, reference in (
            ("fieldRef", source.field_ref),
            ("resourceFieldRef", source.resource_field_ref),
            ("configMapKeyRef", source.config_map_key_ref),
            ("secretKeyRef", source.secret_key_ref),
            ("fileKeyRef", source.file_key_ref),
        )
        if reference is not None
    ]
    if len(given) != 1:
        yield violation(
            f"{path}.valueFrom",
            f"{variable.name} has {' and '.join(given) or 'nothing'} in valueFrom.",
            "Set one of fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef and fileKeyRef.",
        )
    elif variable.value:
        yield violation(f"{path}.valueFrom", f"{variable.name} has both value and valueFrom.", "Keep one of them.")
    if source.field_ref:
        yield from field_problems(f"{path}.valueFrom.fieldRef", source.field_ref, ENV_FIELDS)
    if source.resource_field_ref:
        yield from resource_problems(f"{path}.valueFrom.resourceFieldRef", source.resource_field_ref)
    if source.config_map_key_ref:
        yield from _key(f"{path}.valueFrom.configMapKeyRef", source.config_map_key_ref)
    if source.secret_key_ref:
        yield from _key(f"{path}.valueFrom.secretKeyRef", source.secret_key_ref)
    if source.file_key_ref:
        yield from _file(f"{path}.valueFrom.fileKeyRef", source.file_key_ref, folders)


def field_problems(path: str, reference: ObjectFieldSelector, known: Collection[str]) -> Iterator[Violation]:
    """Yields the problems of a fieldRef."""
    if reference.api_version not in {None, "", "v1"}:
        yield violation(
            f"{path}.apiVersion", f"{reference.api_version!r} is not a version of the Pod API.", "Remove it."
        )
    subscripted = re.fullmatch(r"(metadata\.(?:labels|annotations))\['(.*)'\]", reference.field_path)
    if subscripted:
        key = subscripted[2] if subscripted[1].endswith("labels") else subscripted[2].lower()
        if not QUALIFIED_NAME.matches(key):
            yield violation(
                f"{path}.fieldPath",
                f"{subscripted[2]!r} is not a valid key: it must be {QUALIFIED_NAME}.",
                "Correct the key.",
            )
    elif reference.field_path not in known:
        yield violation(
            f"{path}.fieldPath",
            f"{reference.field_path!r} is not a known field.",
            f"Use one of {', '.join(sorted(known - {'spec.host'} if isinstance(known, frozenset) else known))}, "
            "metadata.labels['<key>'], metadata.annotations['<key>'].",
        )


def resource_problems(
    path: str, reference: ResourceFieldSelector, needs_container: bool = False
) -> Iterator[Violation]:
    """Yields the problems of a resourceFieldRef."""
    if needs_container and not reference.container_name:
        yield violation(f"{path}.containerName", "The source does not name a container.", "Set containerName.")
    elif reference.resource not in RESOURCES and not reference.resource.startswith(HUGE_PAGES):
        yield violation(
            f"{path}.resource",
            f"{reference.resource!r} is not a known resource.",
            f"Use one of {', '.join(sorted(RESOURCES))}.",
        )
    divisor = amount(reference.divisor or 0)
    known = CPU_DIVISORS if reference.resource.endswith(".cpu") else OTHER_DIVISORS
    if (
        divisor
        and divisor not in known
        and (reference.resource in RESOURCES or reference.resource.startswith(HUGE_PAGES))
    ):
        yield violation(
            f"{path}.divisor",
            f"{reference.divisor!r} is not a valid divisor for {reference.resource}.",
            "Use 1 or 1m for cpu; for others 1 or a unit such as 1Mi.",
        )


def _object_name(path: str, name: str | None) -> Iterator[Violation]:
    if not name or not DNS_SUBDOMAIN.matches(name.removesuffix("-")):
        yield violation(
            path, f"{name or ''!r} is not a valid object name: it must be {DNS_SUBDOMAIN}.", "Name the object."
        )


def _key(path: str, reference: KeySelector) -> Iterator[Violation]:
    if not reference.name or not DNS_SUBDOMAIN.matches(reference.name):
        yield violation(
            f"{path}.name",
            f"{reference.name or ''!r} is not a valid object name: it must be {DNS_SUBDOMAIN}.",
            "Name the object.",
        )
    if not DATA_KEY.matches(reference.key):
        yield violation(
            f"{path}.key", f"{reference.key!r} is not a valid key: it must be {DATA_KEY}.", "Correct the key."
        )


def _file(path: str, reference: FileKeySelector, folders: Collection[str]) -> Iterator[Violation]:
    if reference.volume_name not in folders:
        yield violation(
            f"{path}.volumeName",
            f"{reference.volume_name!r} is not an emptyDir volume of this pod.",
            f"Name one of {', '.join(sorted(map(repr, folders))) or 'the volumes, once there is one'}.",
        )
    if not ENV_NAME.matches(reference.key):
        yield violation(
            f"{path}.key", f"{reference.key!r} is not a valid key: it must be {ENV_NAME}.", "Correct the key."
        )
    if not reference.path or has_parent_reference(reference.path):
        yield violation(
            f"{path}.path", f"{reference.path!r} is not a valid path inside the volume.", "Correct the path."
        )

"""What Kubernetes rejects in requests and limits."""

from collections.abc import Iterator
from decimal import Decimal

from ....k8s.containers import ResourceRequirements
from ....k8s.grammars import DNS_LABEL, DNS_SUBDOMAIN, QUALIFIED_NAME
from ....k8s.quantities import amount
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import LocatedPod, RuntimeView

NATIVE = {"cpu", "memory", "ephemeral-storage"}
HUGE_PAGES = "hugepages-"


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _is_extended(name: str) -> bool:
    return not _is_native(name) and not name.startswith("requests.") and QUALIFIED_NAME.matches(f"requests.{name}")


def _requirements(view: RuntimeView) -> Iterator[tuple[str, LocatedPod, ResourceRequirements]]:
    for pod in view.pods:
        for at in pod.containers:
            if at.model.resources is not None:
                yield f"{at.path}.resources", pod, at.model.resources


@rule("K8S-08")
def requests_are_within_limits(view: RuntimeView) -> Iterator[Violation]:
    """A container requests more than its limit.

    The CRD of runtimes accepts it, but the Jobs are rejected.
    Source: pkg/apis/core/validation/validation.go:8296-8303@kubernetes@v1.37.2.
    """
    for path, _, resources in _requirements(view):
        limits = resources.limits or {}
        for name, value in (resources.requests or {}).items():
            if name in limits and not _is_fixed(name) and amount(value) > amount(limits[name]):
                yield violation(
                    f"{path}.requests[{name}]",
                    f"The container requests {name} {value}, more than its limit of {limits[name]}.",
                    "Raise the limit, or lower the request.",
                )


def _is_fixed(name: str) -> bool:
    """Whether request and limit must be equal."""
    return not _is_native(name) or name.startswith(HUGE_PAGES)


@rule("K8S-09")
def devices_are_whole_and_not_shared(view: RuntimeView) -> Iterator[Violation]:
    """Devices or huge pages are requested without an equal limit, or not as a whole number.

    The CRD of runtimes accepts it, but the Jobs are rejected. Huge pages also require cpu or memory, and a multiple of
    the page size.
    Source: pkg/apis/core/validation/validation.go:8258-8330,8387-8398,8545-8555@kubernetes@v1.37.2.
    """
    for path, _, resources in _requirements(view):
        limits, requests = resources.limits or {}, resources.requests or {}
        for name, value in requests.items():
            if not _is_fixed(name):
                continue
            if name not in limits:
                yield violation(
                    f"{path}.limits",
                    f"The container requests {name} {value} without a limit.",
                    f"Set the limit of {name} to {value} as well.",
                )
            elif amount(value) != amount(limits[name]):
                yield violation(
                    f"{path}.requests[{name}]",
                    f"The container requests {name} {value}, and its limit is {limits[name]}: they must be equal.",
                    "Remove the request; the default is the limit.",
                )
        for where, amounts in (("limits", limits), ("requests", requests)):
            for name, value in amounts.items():
                yield from _whole(f"{path}.{where}[{name}]", name, value)
        used = limits.keys() | requests.keys()
        if any(name.startswith(HUGE_PAGES) for name in used) and not used & {"cpu", "memory"}:
            yield violation(path, "Huge pages need a cpu or memory limit as well.", "Add a limit for cpu or memory.")


def _whole(path: str, name: str, value: int | str) -> Iterator[Violation]:
    number = amount(value)
    if number < 0:
        yield violation(path, f"{name} is {value}; it must not be negative.", "Set it to 0 or more.")
    elif _is_extended(name) and number % 1:
        yield violation(path, f"{name} is {value}; devices are counted in whole numbers.", "Set a whole number.")
    elif name.startswith(HUGE_PAGES):
        size = _page_size(name)
        if size is not None and (size <= 0 or number % size):
            yield violation(path, f"{name} is {value}: it must be a multiple of the size of a page.", "Set a multiple.")


def _page_size(name: str) -> Decimal | None:
    try:
        return amount(name.removeprefix(HUGE_PAGES))
    except ValueError:
        return None


@rule("K8S-22")
def resources_have_known_names(view: RuntimeView) -> Iterator[Violation]:
    """A container requests a resource with an invalid name, or a claim that the pod does not have.

    Without a domain, only cpu, memory, ephemeral-storage and hugepages-<size> are valid.
    Source: pkg/apis/core/validation/validation.go:3303-3359,7851-7886,8330-8385@kubernetes@v1.37.2.
    """
    for path, pod, resources in _requirements(view):
        for where, amounts in (("limits", resources.limits), ("requests", resources.requests)):
            for name in amounts or {}:
                if not _is_known(name):
                    yield violation(
                        f"{path}.{where}[{name}]",
                        f"{name!r} is not a resource of a container.",
                        "Use cpu, memory, ephemeral-storage, hugepages-<size> or a name with a domain, e.g. "
                        "nvidia.com/gpu.",
                    )
        known = {claim.name for claim in pod.spec.resource_claims or ()}
        for index, claim in enumerate(resources.claims or ()):
            if claim.name not in known:
                yield violation(
                    f"{path}.claims[{index}].name",
                    f"{claim.name!r} is not one of the pod's resourceClaims.",
                    f"Name one of {', '.join(sorted(map(repr, known))) or 'them, once there is one'}.",
                )
            if claim.request and not DNS_LABEL.matches(claim.request):
                yield violation(
                    f"{path}.claims[{index}].request",
                    f"{claim.request!r} is not a valid request: it must be {DNS_LABEL}.",
                    "Correct it.",
                )
    for pod in view.pods:
        yield from _pod_claims(pod)


def _is_known(name: str) -> bool:
    if not QUALIFIED_NAME.matches(name):
        return False
    if "/" not in name:
        return name in NATIVE or (name.startswith(HUGE_PAGES) and _page_size(name) is not None)
    return _is_native(name) or _is_extended(name)


def _pod_claims(pod: LocatedPod) -> Iterator[Violation]:
    for index, claim in enumerate(pod.spec.resource_claims or ()):
        path = f"{pod.path}.resourceClaims[{index}]"
        if not DNS_LABEL.matches(claim.name):
            yield violation(
                f"{path}.name", f"{claim.name!r} is not a valid claim name: it must be {DNS_LABEL}.", "Rename it."
            )
        sources = {
            "resourceClaimName": claim.resource_claim_name,
            "resourceClaimTemplateName": claim.resource_claim_template_name,
        }
        given = [name for name, value in sources.items() if value is not None]
        if len(given) != 1:
            yield violation(
                path, f"The claim has {' and '.join(given) or 'no source'}.", f"Set one of {' and '.join(sources)}."
            )
        for name in given:
            if not DNS_SUBDOMAIN.matches(sources[name] or ""):
                yield violation(
                    f"{path}.{name}",
                    f"{sources[name]!r} is not a valid object name: it must be {DNS_SUBDOMAIN}.",
                    "Correct it.",
                )

"""What Kubernetes rejects in pod-level resources."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from ....k8s.quantities import amount
from ....validation.violation import Violation
from ..rule import rule, violation
from ..view import LocatedContainer, LocatedPod, RuntimeView
from .resources import HUGE_PAGES

Amounts = Mapping[str, int | str]


@rule("K8S-22")
def pod_resources_are_valid(view: RuntimeView) -> Iterator[Violation]:
    """Pod-level resources have an unknown name, or their requests and limits contradict each other.

    Source: pkg/apis/core/validation/validation.go:4897-4921,8258-8330@kubernetes@v1.37.2.
    """
    for pod, path, limits, requests in _resources(view):
        if pod.spec.resources and pod.spec.resources.claims is not None:
            yield violation(f"{path}.claims", "Resources of a pod cannot have claims.", "Move them to the containers.")
        for where, amounts in (("limits", limits), ("requests", requests)):
            for name, value in amounts.items():
                if name not in {"cpu", "memory"} and not name.startswith(HUGE_PAGES):
                    yield violation(
                        f"{path}.{where}[{name}]", f"{name!r} cannot be set for a whole pod.", "Use cpu or memory."
                    )
                elif amount(value) < 0:
                    yield violation(f"{path}.{where}[{name}]", f"{name} is {value}.", "Set it to 0 or more.")
        for name in requests.keys() & limits.keys():
            if amount(requests[name]) > amount(limits[name]):
                yield violation(
                    f"{path}.requests[{name}]",
                    f"The pod requests {name} {requests[name]}, more than its limit of {limits[name]}.",
                    "Raise the limit, or lower the request.",
                )
        yield from _huge_pages(path, limits, requests)


def _huge_pages(path: str, limits: Amounts, requests: Amounts) -> Iterator[Violation]:
    for name, value in requests.items():
        if name.startswith(HUGE_PAGES) and (name not in limits or amount(limits[name]) > amount(value)):
            yield violation(
                f"{path}.limits[{name}]",
                f"The pod requests {name} {value}, and its limit is {limits.get(name, 'not set')}: they must be equal.",
                f"Set the limit to {value} as well.",
            )
    names = limits.keys() | requests.keys()
    if any(name.startswith(HUGE_PAGES) for name in names) and not names & {"cpu", "memory"}:
        yield violation(path, "Huge pages need a cpu or memory limit as well.", "Add a limit for cpu or memory.")


@rule("K8S-22")
def pod_resources_cover_containers(view: RuntimeView) -> Iterator[Violation]:
    """Pod-level resources are less than those of the containers.

    A missing request equals the limit, for containers and for the pod. Init containers count as far as they run at the
    same time.
    Source: pkg/apis/core/validation/validation.go:4923-5001, pkg/apis/core/v1/defaults.go:164-206,527-571,
    staging/src/k8s.io/component-helpers/resource/helpers.go AggregateContainerRequests@kubernetes@v1.37.2.
    """
    for pod, path, limits, requests in _resources(view):
        alone = [
            (at, name, value)
            for at in pod.containers
            for name, value in _own(at, "limits").items()
            if not at.init and name in limits and amount(value) > amount(limits[name])
        ]
        for at, name, value in alone:
            yield violation(
                f"{at.path}.resources.limits[{name}]",
                f"The container's limit of {name}, {value}, is more than the pod's, {limits[name]}.",
                "Lower it.",
            )
        told = {name for _, name, _ in alone} | requests.keys()
        unrequested = {name: value for name, value in limits.items() if name not in told}
        for where, amounts in (("requests", requests), ("limits", unrequested)):
            for name, value in amounts.items():
                if (asked := _asked(pod, name)) > amount(value) >= 0:
                    yield violation(
                        f"{path}.{where}[{name}]",
                        f"The pod's {name}, {value}, is less than the sum of its containers' requests, {asked}.",
                        "Raise it.",
                    )


def _resources(view: RuntimeView) -> Iterator[tuple[LocatedPod, str, Amounts, Amounts]]:
    """Yields each pod with pod-level resources: the pod, their path, limits and requests."""
    for pod in view.pods:
        if resources := pod.spec.resources:
            yield pod, f"{pod.path}.resources", resources.limits or {}, resources.requests or {}


def _own(at: LocatedContainer, which: str) -> Amounts:
    return getattr(at.model.resources, which, None) or {}


def _asked(pod: LocatedPod, name: str) -> Decimal:
    """The maximum amount of a resource that the containers request at the same time."""

    def request(at: LocatedContainer) -> Decimal:
        return amount(_own(at, "requests").get(name, _own(at, "limits").get(name, 0)))

    beside = most = Decimal(0)
    for at in pod.containers:
        if at.sidecar:
            beside += request(at)
        if at.init:
            most = max(most, beside + (0 if at.sidecar else request(at)))
    return max(most, beside + sum((request(at) for at in pod.containers if not at.init), Decimal(0)))

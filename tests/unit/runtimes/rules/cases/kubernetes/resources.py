"""What Kubernetes refuses in requests and limits."""

from typing import Any

from tests.unit.runtimes.rules.samples import HELPED, TORCH, Case, container, pod

MAIN = container(0)
RESOURCES = f"{MAIN}.resources"


def asking(limits: dict[str, Any] | None = None, requests: dict[str, Any] | None = None) -> dict[str, Any]:
    given = {"limits": limits, "requests": requests}
    return {RESOURCES: {name: amounts for name, amounts in given.items() if amounts is not None}}


CLAIMS = f"{pod(0)}.resourceClaims"
CLAIM = {"name": "gpu", "resourceClaimTemplateName": "big"}

CASES = [
    Case(
        "K8S-08",
        f"{RESOURCES}.requests[cpu]",
        TORCH,
        asking({"cpu": "1"}, {"cpu": "1001m"}),
        asking({"cpu": "1"}, {"cpu": "1000m"}),
    ),
    Case(
        "K8S-08",
        f"{RESOURCES}.requests[memory]",
        HELPED,
        asking({"memory": "1Gi"}, {"memory": "1.1Gi"}),
        asking({"memory": "1Gi"}, {"memory": "1G"}),
    ),
    Case(
        "K8S-09",
        f"{RESOURCES}.limits",
        HELPED,
        asking(None, {"nvidia.com/gpu": "1"}),
        asking({"nvidia.com/gpu": "1"}, None),
    ),
    Case(
        "K8S-09",
        f"{RESOURCES}.requests[nvidia.com/gpu]",
        HELPED,
        asking({"nvidia.com/gpu": "8"}, {"nvidia.com/gpu": "4"}),
        asking({"nvidia.com/gpu": 8}, {"nvidia.com/gpu": "8"}),
    ),
    Case(
        "K8S-09",
        f"{RESOURCES}.limits[nvidia.com/gpu]",
        TORCH,
        asking({"nvidia.com/gpu": "500m"}),
        asking({"nvidia.com/gpu": "1e0"}),
    ),
    Case("K8S-09", f"{RESOURCES}.limits[cpu]", TORCH, asking({"cpu": "-1"}), asking({"cpu": "0"})),
    Case(
        "K8S-09",
        f"{RESOURCES}.limits[hugepages-2Mi]",
        HELPED,
        asking({"hugepages-2Mi": "3Mi", "cpu": "1"}),
        asking({"hugepages-2Mi": "4Mi", "cpu": "1"}),
    ),
    Case(
        "K8S-09", RESOURCES, HELPED, asking({"hugepages-2Mi": "4Mi"}), asking({"hugepages-2Mi": "4Mi", "memory": "1Gi"})
    ),
    *(
        Case("K8S-22", f"{RESOURCES}.limits[{bad}]", HELPED, asking({bad: "1"}), asking({good: "1", "cpu": "1"}))
        for bad, good in (
            ("gpu", "nvidia.com/gpu"),
            ("a b", "cpu"),
            ("requests.acme.io/a", "acme.io/a"),
            ("storage", "ephemeral-storage"),
        )
    ),
    Case(
        "K8S-22",
        f"{RESOURCES}.claims[0].name",
        TORCH,
        {f"{RESOURCES}.claims": [{"name": "gpus"}], CLAIMS: [CLAIM]},
        {f"{RESOURCES}.claims": [{"name": "gpu"}], CLAIMS: [CLAIM]},
    ),
    Case(
        "K8S-22",
        f"{RESOURCES}.claims[0].request",
        TORCH,
        {f"{RESOURCES}.claims": [{"name": "gpu", "request": "A"}], CLAIMS: [CLAIM]},
        {f"{RESOURCES}.claims": [{"name": "gpu", "request": "a"}], CLAIMS: [CLAIM]},
    ),
    *(
        Case("K8S-22", f"{CLAIMS}[0]{path}", TORCH, {CLAIMS: [{**CLAIM, **bad}]}, {CLAIMS: [CLAIM]})
        for path, bad in (
            (".name", {"name": "GPU"}),
            ("", {"resourceClaimName": "one"}),
            (".resourceClaimTemplateName", {"resourceClaimTemplateName": "Big"}),
        )
    ),
    Case(
        "K8S-22",
        f"{CLAIMS}[0]",
        TORCH,
        {CLAIMS: [{"name": "gpu"}]},
        {CLAIMS: [{"name": "gpu", "resourceClaimName": "a"}]},
    ),
]

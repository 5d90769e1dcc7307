"""What Kubernetes refuses in the resources of a whole pod."""

from typing import Any

from tests.unit.runtimes.rules.samples import PLAIN, TORCH, Case, a_container, container, pod

MAIN = container(0)
RESOURCES = f"{MAIN}.resources"


def asking(limits: dict[str, Any] | None = None, requests: dict[str, Any] | None = None) -> dict[str, Any]:
    given = {"limits": limits, "requests": requests}
    return {RESOURCES: {name: amounts for name, amounts in given.items() if amounts is not None}}


WHOLE = f"{pod(0)}.resources"

PAGES = "hugepages-2Mi"
TWO, ASKED = {"limits": {"memory": "2Gi"}}, {"requests": {"memory": "2Gi"}}
KNOWN = {"limits": {"memory": "2Gi", "cpu": "1"}}

CASES = [
    *(
        Case(
            "K8S-22",
            f"{WHOLE}{path}",
            TORCH,
            {WHOLE: bad, **asking({"cpu": "2"}, {"cpu": "2"})},
            {WHOLE: good, **asking({"cpu": "2"}, {"cpu": "2"})},
        )
        for path, bad, good in (
            (".claims", {"claims": []}, {}),
            (".limits[nvidia.com/gpu]", {"limits": {"nvidia.com/gpu": "1"}}, {"limits": {"memory": "1Gi"}}),
            (".limits[memory]", {"limits": {"memory": -1}}, {"limits": {"memory": 1}}),
            (
                ".requests[memory]",
                {"limits": {"memory": "1Gi"}, "requests": {"memory": "2Gi"}},
                {"limits": {"memory": "2Gi"}, "requests": {"memory": "2Gi"}},
            ),
            (".requests[cpu]", {"requests": {"cpu": "1"}}, {"requests": {"cpu": "2"}}),
        )
    ),
    Case(
        "K8S-22",
        f"{RESOURCES}.limits[cpu]",
        TORCH,
        {WHOLE: {"limits": {"cpu": "1"}}, **asking({"cpu": "2"})},
        {WHOLE: {"limits": {"cpu": "2"}}, **asking({"cpu": "2"})},
    ),
    *(
        Case("K8S-22", f"{WHOLE}{path}", PLAIN, {WHOLE: bad}, {WHOLE: good})
        for path, bad, good in (
            ("", {"limits": {PAGES: "4Mi"}}, {"limits": {PAGES: "4Mi", "cpu": "1"}}),
            (
                f".limits[{PAGES}]",
                {"requests": {PAGES: "4Mi", "cpu": "1"}},
                {"requests": {PAGES: "4Mi", "cpu": "1"}, "limits": {PAGES: "4Mi"}},
            ),
            (
                f".limits[{PAGES}]",
                {"requests": {PAGES: "2Mi", "cpu": "1"}, "limits": {PAGES: "4Mi"}},
                {"requests": {"cpu": "1"}, "limits": {PAGES: "4Mi"}},
            ),
        )
    ),
    *(
        Case(
            "K8S-22",
            f"{WHOLE}.{where}[memory]",
            PLAIN,
            {WHOLE: {where: {"memory": "3Gi"}}, **more},
            {WHOLE: {where: {"memory": "4Gi"}}, **more},
        )
        for where in ("requests", "limits")
        for more in (
            {RESOURCES: {"requests": {"memory": "4Gi"}}},
            {RESOURCES: ASKED, f"{pod(0)}.containers[1]": a_container("side", resources=TWO)},
            {f"{pod(0)}.initContainers": [a_container("first", resources={"requests": {"memory": "4Gi"}})]},
            {
                RESOURCES: ASKED,
                f"{pod(0)}.initContainers": [a_container("beside", restartPolicy="Always", resources=TWO)],
            },
            {
                f"{pod(0)}.initContainers": [
                    a_container("beside", restartPolicy="Always", resources=TWO),
                    a_container("then", resources=TWO),
                    a_container("last", resources={"limits": {"memory": "1Gi"}}),
                ]
            },
        )
    ),
    Case(
        "K8S-22",
        f"{WHOLE}.requests[memory]",
        PLAIN,
        {WHOLE: {"requests": {"memory": "1Gi"}, "limits": {"memory": "8Gi"}}, RESOURCES: KNOWN},
        {WHOLE: {"requests": {"memory": "2Gi"}, "limits": {"memory": "8Gi"}}, RESOURCES: KNOWN},
    ),
]

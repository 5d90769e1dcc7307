"""What Kubernetes refuses in environment variables."""

from typing import Any

from tests.unit.runtimes.rules.samples import TORCH, Case, container, pod

MAIN = container(0)
ENV = f"{MAIN}.env"
FROM = f"{ENV}[0].valueFrom"
KEY = {"name": "conf", "key": "a"}
EMPTY_DIR = {f"{pod(0)}.volumes": [{"name": "files", "emptyDir": {}}]}


def var(source: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {ENV: [{"name": "A", "valueFrom": source, **fields}]}


CASES = [
    Case(
        "K8S-20",
        f"{ENV}[0].name",
        TORCH,
        {ENV: [{"name": "A=B", "value": "1"}]},
        {ENV: [{"name": "a.b-1 c", "value": "1"}]},
    ),
    Case("K8S-20", f"{ENV}[0].name", TORCH, {ENV: [{"name": "", "value": "1"}]}, {}),
    Case(
        "K8S-20",
        FROM,
        TORCH,
        var({"fieldRef": {"fieldPath": "metadata.name"}}, value="x"),
        var({"fieldRef": {"fieldPath": "metadata.name"}}, value=""),
    ),
    Case("K8S-20", FROM, TORCH, var({}), var({"secretKeyRef": KEY})),
    Case("K8S-20", FROM, TORCH, var({"secretKeyRef": KEY, "configMapKeyRef": KEY}), var({"configMapKeyRef": KEY})),
    *(
        Case("K8S-20", f"{FROM}.{path}", TORCH, var(bad), var(good))
        for path, bad, good in (
            (
                "fieldRef.fieldPath",
                {"fieldRef": {"fieldPath": "spec.nodename"}},
                {"fieldRef": {"fieldPath": "spec.nodeName"}},
            ),
            (
                "fieldRef.fieldPath",
                {"fieldRef": {"fieldPath": "metadata.labels"}},
                {"fieldRef": {"fieldPath": "metadata.labels['a/b']"}},
            ),
            (
                "fieldRef.fieldPath",
                {"fieldRef": {"fieldPath": "metadata.labels['a b']"}},
                {"fieldRef": {"fieldPath": "metadata.annotations['A']"}},
            ),
            (
                "fieldRef.apiVersion",
                {"fieldRef": {"fieldPath": "metadata.uid", "apiVersion": "v2"}},
                {"fieldRef": {"fieldPath": "metadata.uid", "apiVersion": "v1"}},
            ),
            (
                "resourceFieldRef.resource",
                {"resourceFieldRef": {"resource": "limits.gpu"}},
                {"resourceFieldRef": {"resource": "requests.hugepages-2Mi"}},
            ),
            (
                "resourceFieldRef.divisor",
                {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1Ki"}},
                {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}},
            ),
            (
                "resourceFieldRef.divisor",
                {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1m"}},
                {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Gi"}},
            ),
            ("secretKeyRef.name", {"secretKeyRef": {"key": "a"}}, {"secretKeyRef": KEY}),
            ("secretKeyRef.key", {"secretKeyRef": {**KEY, "key": "a b"}}, {"secretKeyRef": {**KEY, "key": ".a_b"}}),
            ("configMapKeyRef.name", {"configMapKeyRef": {**KEY, "name": "A"}}, {"configMapKeyRef": KEY}),
            (
                "configMapKeyRef.key",
                {"configMapKeyRef": {**KEY, "key": ".."}},
                {"configMapKeyRef": {**KEY, "key": ".a"}},
            ),
        )
    ),
    *(
        Case(
            "K8S-20",
            f"{FROM}.fileKeyRef.{name}",
            TORCH,
            {**EMPTY_DIR, **var({"fileKeyRef": {"volumeName": "files", "path": "a", "key": "A", name: bad}})},
            {**EMPTY_DIR, **var({"fileKeyRef": {"volumeName": "files", "path": "a", "key": "A"}})},
        )
        for name, bad in (("volumeName", "other"), ("path", "../a"), ("path", ""), ("key", "A=B"))
    ),
    *(
        Case("K8S-20", f"{MAIN}.envFrom[0]{path}", TORCH, {f"{MAIN}.envFrom": [bad]}, {f"{MAIN}.envFrom": [good]})
        for path, bad, good in (
            ("", {}, {"secretRef": {"name": "a"}}),
            ("", {"secretRef": {"name": "a"}, "configMapRef": {"name": "a"}}, {"configMapRef": {"name": "a"}}),
            (".prefix", {"prefix": "A=", "secretRef": {"name": "a"}}, {"prefix": "A_", "secretRef": {"name": "a"}}),
            (".secretRef.name", {"secretRef": {}}, {"secretRef": {"name": "a"}}),
            (".configMapRef.name", {"configMapRef": {"name": "A"}}, {"configMapRef": {"name": "a-"}}),
        )
    ),
]

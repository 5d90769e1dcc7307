"""The claims of a JobSet."""

from tests.unit.runtimes.rules.samples import JOBSET, TUNE, Case, a_container, container, pod

POLICIES = f"{JOBSET}.volumeClaimPolicies"
CLAIM = f"{POLICIES}[0].templates[0]"
NAME = f"{CLAIM}.metadata.name"


def mounted(name: str) -> dict[str, object]:
    """The claim by another name, wherever it stands."""
    return {NAME: name, **{f"{container(i)}.volumeMounts[1]": {"name": name, "mountPath": "/c"} for i in range(3)}} | {
        f"{pod(i)}.volumes": [{"name": "initializer", "emptyDir": {}}] for i in range(3)
    }


CASES = [
    Case("RUN-05", f"{POLICIES}[1].templates", TUNE, {f"{POLICIES}[1]": {"templates": []}}, {}),
    Case(
        "JSW-24",
        f"{POLICIES}[1].templates[0].metadata.name",
        TUNE,
        {f"{POLICIES}[1]": TUNE["spec"]["template"]["spec"]["volumeClaimPolicies"][0]},
        {},
    ),
    Case("JSW-25", NAME, TUNE, mounted("Data_1"), mounted("data-1")),
    Case("K8S-27", NAME, TUNE, mounted("data.v1"), mounted("data-v1")),
    Case("JSW-26", NAME, TUNE, mounted("w" * 51), mounted("w" * 50)),
    Case(
        "JSW-27",
        f"{POLICIES}[0].templates[1].metadata.name",
        TUNE,
        {
            f"{POLICIES}[0].templates[1]": {
                "metadata": {"name": "unused"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": 1}}},
            }
        },
        {
            f"{POLICIES}[0].templates[1]": {
                "metadata": {"name": "used"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": 1}}},
            },
            f"{pod(2)}.initContainers": [a_container("init", volumeMounts=[{"name": "used", "mountPath": "/used"}])],
        },
    ),
    Case(
        "JSW-28",
        f"{pod(2)}.volumes[0].name",
        TUNE,
        {f"{pod(2)}.volumes": [{"name": "initializer", "emptyDir": {}}]},
        {f"{pod(2)}.volumes": [{"name": "scratch", "emptyDir": {}}]},
    ),
    *(
        Case(
            "K8S-23", f"{CLAIM}.spec.{path}", TUNE, {f"{CLAIM}.spec.{changed}": bad}, {f"{CLAIM}.spec.{changed}": good}
        )
        for path, changed, bad, good in (
            ("accessModes", "accessModes", [], ["ReadWriteOnce"]),
            ("accessModes[0]", "accessModes", ["Shared"], ["ReadOnlyMany"]),
            ("accessModes", "accessModes", ["ReadWriteOncePod", "ReadWriteOnce"], ["ReadWriteOncePod"]),
            (
                "resources.requests[storage]",
                "resources",
                {"limits": {"storage": "1Gi"}},
                {"requests": {"storage": "1Gi"}},
            ),
            ("resources.requests[storage]", "resources.requests", {"storage": "0"}, {"storage": "1"}),
            ("storageClassName", "storageClassName", "Fast_Disks", "fast-disks"),
            ("volumeAttributesClassName", "volumeAttributesClassName", "Gold", "gold"),
            ("volumeMode", "volumeMode", "Raw", "Filesystem"),
            (
                "selector.matchLabels[tier]",
                "selector",
                {"matchLabels": {"tier": "a b"}},
                {"matchLabels": {"tier": "a"}},
            ),
        )
    ),
    Case("K8S-23", f"{CLAIM}.spec.accessModes", TUNE, {f"{CLAIM}.spec.accessModes": None}, {}),
    Case(
        "RUN-17",
        f"{CLAIM}.spec.volumeMode",
        TUNE,
        {f"{CLAIM}.spec.volumeMode": "Block"},
        {f"{CLAIM}.spec.volumeMode": "Filesystem"},
    ),
]


SOURCE, REFERENCE = f"{CLAIM}.spec.dataSource", f"{CLAIM}.spec.dataSourceRef"
COPY = {"kind": "PersistentVolumeClaim", "name": "seed"}
FILL = {"apiGroup": "acme.io", "kind": "Model", "name": "seed"}
CASES += [
    Case("K8S-23", path, TUNE, bad, good)
    for path, bad, good in (
        (f"{SOURCE}.name", {SOURCE: {**COPY, "name": ""}}, {SOURCE: COPY}),
        (f"{REFERENCE}.kind", {REFERENCE: {**COPY, "kind": "Model"}}, {SOURCE: {**COPY, "kind": "Model"}}),
        (f"{REFERENCE}.apiGroup", {REFERENCE: {**FILL, "apiGroup": "Acme"}}, {REFERENCE: FILL}),
        (SOURCE, {SOURCE: COPY, REFERENCE: FILL}, {SOURCE: COPY, REFERENCE: COPY}),
    )
]

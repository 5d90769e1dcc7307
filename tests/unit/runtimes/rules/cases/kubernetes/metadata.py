"""What Kubernetes refuses as names, labels and annotations."""

from tests.unit.runtimes.rules.samples import ANCESTOR, FRAMEWORK, JOBSET, TORCH, TUNE, Case, job, spec, warns

LABELS = {FRAMEWORK: "torch"}
STEP = {ANCESTOR: "trainer"}
CLAIM_LABELS = f"{JOBSET}.volumeClaimPolicies[0].templates[0].metadata.labels"

OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "b"}

CASES = [
    Case("K8S-21", "metadata.name", TORCH, {"metadata.name": "Torch_1"}, {"metadata.name": "torch.1"}),
    Case(
        "K8S-21",
        "metadata.labels[team]",
        TORCH,
        {"metadata.labels": {**LABELS, "team": "not valid!"}},
        {"metadata.labels": {**LABELS, "team": ""}},
    ),
    Case(
        "K8S-21",
        "metadata.annotations[a b]",
        TORCH,
        {"metadata.annotations": {"a b": ""}},
        {"metadata.annotations": {"Acme.io/B": "not valid!"}},
    ),
    Case(
        "K8S-21",
        "metadata.annotations",
        TORCH,
        {"metadata.annotations": {"a": "x" * 262_144}},
        {"metadata.annotations": {"a": "x" * 262_143}},
    ),
    Case(
        "K8S-21",
        "metadata.namespace",
        {**TORCH, "kind": "TrainingRuntime"},
        {"metadata.namespace": "Team_A"},
        {"metadata.namespace": "team-a"},
    ),
    warns("RUN-10", "metadata.namespace", TORCH, {"metadata.namespace": "team-a"}, {"metadata.namespace": ""}),
    Case(
        "K8S-21",
        "spec.template.metadata.labels[bad key!]",
        TORCH,
        {"spec.template.metadata.labels": {"bad key!": "a"}},
        {"spec.template.metadata.labels": {"good-key": "a"}},
    ),
    Case(
        "K8S-21",
        f"{job(0)}.template.metadata.labels[a/b/c]",
        TORCH,
        {f"{job(0)}.template.metadata.labels": {**STEP, "a/b/c": "a"}},
        {f"{job(0)}.template.metadata.labels": {**STEP, f"{'a' * 253}/{'b' * 63}": "a" * 63}},
    ),
    Case(
        "K8S-21",
        f"{spec(0)}.template.metadata.annotations[/a]",
        TORCH,
        {f"{spec(0)}.template.metadata.annotations": {"/a": ""}},
        {f"{spec(0)}.template.metadata.annotations": {"a": ""}},
    ),
    Case("K8S-21", f"{CLAIM_LABELS}[a]", TUNE, {CLAIM_LABELS: {"a": "b" * 64}}, {CLAIM_LABELS: {"a": "b" * 63}}),
    Case(
        "K8S-21",
        "metadata.generateName",
        TORCH,
        {"metadata.name": None, "metadata.generateName": "Torch-"},
        {"metadata.name": None, "metadata.generateName": "torch-"},
    ),
    Case(
        "K8S-21",
        "metadata.ownerReferences[0].kind",
        TORCH,
        {"metadata.ownerReferences": [{**OWNER, "kind": ""}]},
        {"metadata.ownerReferences": [OWNER]},
    ),
    Case(
        "K8S-21",
        "metadata.ownerReferences",
        TORCH,
        {"metadata.ownerReferences": [{**OWNER, "controller": True, "uid": uid} for uid in ("b", "c")]},
        {"metadata.ownerReferences": [{**OWNER, "controller": True}] * 2},
    ),
]


ANNOTATIONS = f"{spec(0)}.template.metadata.annotations"
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"


CASES += [
    Case("K8S-22", f"{ANNOTATIONS}[{key}]", TORCH, {ANNOTATIONS: {key: bad}}, {ANNOTATIONS: good})
    for key, bad, good in (
        (DELETION_COST, "high", {DELETION_COST: "-1"}),
        (DELETION_COST, "2147483648", {DELETION_COST: "2147483647"}),
        (f"{APP_ARMOR}main", "unconfined", {f"{APP_ARMOR}node": "unconfined"}),
        (f"{APP_ARMOR}node", "none", {f"{APP_ARMOR}node": "localhost/a"}),
        (SECCOMP, "localhost/../a", {SECCOMP: "localhost/a"}),
        ("container.seccomp.security.alpha.kubernetes.io/node", "none", {SECCOMP: "runtime/default"}),
    )
]

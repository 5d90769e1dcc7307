"""What Trainer's webhook refuses or warns about."""

from tests.unit.runtimes.rules.samples import FRAMEWORK, TORCH, TUNE, Case, a_container, container, job, pod, warns

SUPPORT = "trainer.kubeflow.org/support"
VALIDATION = "trainer.kubeflow.org/webhook-validation"
TORCH_LABEL = {FRAMEWORK: "torch"}

CASES = [
    Case("WHR-01", f"{job(0)}.replicas", TORCH, {f"{job(0)}.replicas": 2}, {f"{job(0)}.replicas": 1}),
    Case("WHR-01", f"{job(0)}.replicas", TUNE, {f"{job(0)}.replicas": 0}, {f"{job(0)}.replicas": 1}),
    Case(
        "WHR-02",
        f"{pod(0)}.containers",
        TORCH,
        {f"{container(0)}.name": "trainer"},
        {f"{pod(0)}.containers[1]": a_container("trainer")},
    ),
    Case(
        "WHR-02",
        f"{pod(1)}.containers",
        TUNE,
        {f"{container(1)}.name": "model"},
        {f"{container(1)}.name": "model-initializer"},
    ),
    warns(
        "WHR-03",
        f"metadata.labels[{SUPPORT}]",
        TORCH,
        {"metadata.labels": {**TORCH_LABEL, SUPPORT: "deprecated"}},
        {"metadata.labels": {**TORCH_LABEL, SUPPORT: "full"}},
    ),
    warns(
        "WHR-04",
        f"metadata.labels[{VALIDATION}]",
        TORCH,
        {"metadata.labels": {**TORCH_LABEL, VALIDATION: "disabled"}, f"{job(0)}.replicas": 2},
        {"metadata.labels": {**TORCH_LABEL, VALIDATION: "enabled"}},
    ),
    warns(
        "WHR-03",
        f"metadata.labels[{SUPPORT}]",
        TORCH,
        {"metadata.labels": {**TORCH_LABEL, SUPPORT: "deprecated"}},
        {"metadata.labels": {**TORCH_LABEL, SUPPORT: "deprecated"}, "kind": "TrainingRuntime"},
    ),
]

"""The ancestor label."""

from tests.unit.runtimes.rules.samples import (
    ANCESTOR,
    HELPED,
    JOBSET,
    MPI,
    PLAIN,
    TORCH,
    Case,
    a_container,
    a_job,
    container,
    job,
    spec,
    warns,
)

LABELS = f"{job(0)}.template.metadata.labels"
POD_LABELS = f"{spec(0)}.template.metadata.labels"
FAR = {f"{POD_LABELS}": {ANCESTOR: "trainer"}, f"{job(0)}.template.metadata": None}

CASES = [
    Case(
        "SIL-15",
        LABELS,
        TORCH,
        {f"{job(0)}.template.metadata": None},
        {LABELS: {ANCESTOR: "trainer", "team": "vision"}},
    ),
    Case(
        "SIL-15",
        LABELS,
        TORCH,
        {f"{job(0)}.template.metadata": None, f"{container(0)}.command": ["python", "train.py"]},
        {f"{container(0)}.command": ["python", "train.py"]},
    ),
    Case(
        "SIL-15",
        f"{job(1)}.template.metadata.labels",
        MPI,
        {f"{job(1)}.template.metadata": None},
        {},
    ),
    warns(
        "SIL-15",
        LABELS,
        PLAIN,
        {f"{job(0)}.template.metadata": None},
        {f"{job(0)}.template.metadata": None, f"{container(0)}.args": ["train"]},
    ),
    Case(
        "SIL-16",
        f"{job(1)}.template.metadata.labels[{ANCESTOR}]",
        TORCH,
        {f"{JOBSET}.replicatedJobs[1]": a_job("more", a_container(), step="trainer")},
        {f"{JOBSET}.replicatedJobs[1]": a_job("more", a_container())},
    ),
    Case(
        "SIL-17",
        f"{LABELS}[trainer.kubeflow.org/trainjob-ancestor]",
        TORCH,
        {LABELS: {"trainer.kubeflow.org/trainjob-ancestor": "trainer"}},
        {LABELS: {"trainer.kubeflow.org/team": "vision", ANCESTOR: "trainer"}},
    ),
    Case("SIL-17", f"{LABELS}[{ANCESTOR}]", PLAIN, {LABELS: {ANCESTOR: "trainr"}}, {LABELS: {ANCESTOR: "trainer"}}),
    Case("SIL-17", f"{POD_LABELS}[{ANCESTOR}]", TORCH, FAR, {POD_LABELS: {ANCESTOR: "trainer"}}),
    Case(
        "SIL-17",
        f"{POD_LABELS}[trainer.kubeflow.org/trainjob-ancester-step]",
        TORCH,
        {
            f"{job(0)}.template.metadata": None,
            POD_LABELS: {"trainer.kubeflow.org/trainjob-ancester-step": "trainer"},
        },
        {POD_LABELS: {"team": "vision"}},
    ),
    Case(
        "SIL-17",
        f"spec.template.metadata.labels[{ANCESTOR}]",
        TORCH,
        {f"{job(0)}.template.metadata": None, "spec.template.metadata.labels": {ANCESTOR: "trainer"}},
        {"spec.template.metadata.labels": {"team": "vision"}},
    ),
    warns(
        "SIL-17",
        f"{job(0)}.template.metadata.labels[{ANCESTOR}]",
        HELPED,
        {f"{job(0)}.template.metadata.labels": {ANCESTOR: "evaluator"}},
        {f"{job(0)}.template.metadata.labels": {"step": "evaluator"}},
    ),
    Case(
        "SIL-16",
        f"{job(2)}.template.metadata.labels[{ANCESTOR}]",
        MPI,
        {f"{JOBSET}.replicatedJobs[2]": a_job("watcher", a_container(), step="trainer")},
        {f"{JOBSET}.replicatedJobs[2]": a_job("watcher", a_container())},
    ),
]

"""Initializers of dataset and model."""

from tests.unit.runtimes.rules.samples import ANCESTOR, TUNE, container, job, pod, warns

UNLABELLED = {f"{job(0)}.template.metadata": None}

CASES = [
    warns(
        "TJC-14",
        f"{job(0)}.name",
        TUNE,
        {f"{job(0)}.name": "dataset", f"{job(2)}.dependsOn[0].name": "dataset"},
        {},
    ),
    warns(
        "TJC-15",
        f"{pod(0)}.containers",
        TUNE,
        {**UNLABELLED, f"{container(0)}.name": "dataset"},
        {},
    ),
    warns("TJC-16", f"{container(0)}.volumeMounts", TUNE, {f"{container(0)}.volumeMounts": None}, {}),
    warns(
        "TJC-17",
        f"{job(1)}.name",
        TUNE,
        {f"{job(1)}.name": "model", f"{job(2)}.dependsOn[1].name": "model"},
        {},
    ),
    warns(
        "TJC-17",
        f"{pod(1)}.containers",
        TUNE,
        {f"{job(1)}.template.metadata": None, f"{container(1)}.name": "model"},
        {},
    ),
    warns("TJC-17", f"{container(1)}.volumeMounts", TUNE, {f"{container(1)}.volumeMounts": []}, {}),
    warns("SIL-28", f"{job(0)}.template.metadata.labels", TUNE, UNLABELLED, {}),
    warns(
        "SIL-28",
        f"{job(1)}.template.metadata.labels",
        TUNE,
        {f"{job(1)}.template.metadata.labels": {"team": "vision"}},
        {f"{job(1)}.template.metadata.labels": {ANCESTOR: "model-initializer", "team": "vision"}},
    ),
    warns(
        "SIL-29",
        f"{job(2)}.dependsOn",
        TUNE,
        {f"{job(2)}.dependsOn": [{"name": "model-initializer", "status": "Complete"}]},
        {
            f"{job(1)}.dependsOn": [{"name": "dataset-initializer", "status": "Complete"}],
            f"{job(2)}.dependsOn": [{"name": "model-initializer", "status": "Complete"}],
        },
    ),
    warns(
        "SIL-29",
        f"{job(2)}.dependsOn",
        TUNE,
        {f"{job(2)}.dependsOn[0].status": "Ready"},
        {f"{job(2)}.dependsOn[0].status": "Complete"},
    ),
]

"""TrainJobs that Trainer rejects, or does not train as they read."""

from ...explain.pairs import runtime, train_job
from ..samples import Case, Sample, patches, pod_patch

IN_PATCH = "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]"

CASES = (
    Case(
        "TJC-18",
        f"{IN_PATCH}.name",
        Sample(train_job(runtimePatches=patches(pod_patch("worker"))), runtime()),
        Sample(train_job(runtimePatches=patches(pod_patch("node"))), runtime()),
    ),
)

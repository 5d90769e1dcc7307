"""A stack that is deployed under mocks."""

from typing import Any

from stacks.deploy import deploy
from stacks.settings.load import load_sections
from stacks.settings.resolve import ResolvedStack, resolve
from stacks.settings.stack_file import StackFile

from .monitor import PROJECT, Monitor, run

SECTIONS: dict[str, Any] = {
    "cluster": {"kubeconfig": ".local/kubeconfig", "context": "local"},
    "gpuNodePools": {
        "gpu": {"provider": "simulated", "nodes": 2, "gpusPerNode": 8},
        "old": {"provider": "existing", "nodes": ["a", "b"], "gpusPerNode": 4},
    },
    "jobset": {},
    "trainer": {},
    "runtimes": {
        "deepspeed-distributed": {"framework": "deepspeed", "nodePool": "gpu"},
        "mine": {"framework": "mlx", "nodePool": "old"},
    },
}

PREFIX = "urn:pulumi:test::training-platform::"

INSIDE = f"{PREFIX}training-platform:index:TrainingPlatform$"

TYPES = f"{INSIDE}training-platform:index"

JOBSET = [
    f"{TYPES}:JobSet$kubernetes:core/v1:Namespace::platform-jobset",
    f"{TYPES}:JobSet$kubernetes:helm.sh/v4:Chart::platform-jobset",
]

TRAINER = [
    f"{TYPES}:KubeflowTrainer$kubernetes:core/v1:Namespace::platform-trainer",
    f"{TYPES}:KubeflowTrainer$kubernetes:helm.sh/v4:Chart::platform-trainer",
]

RUNTIMES = [
    f"{TYPES}:TrainingRuntimes$kubernetes:trainer.kubeflow.org/v1alpha1:ClusterTrainingRuntime::platform-runtimes:{name}"
    for name in ("deepspeed-distributed", "mine")
]


def resolved(*without: str, **changed: Any) -> ResolvedStack:
    sections = {section: value for section, value in {**SECTIONS, **changed}.items() if section not in without}
    return resolve(load_sections(sections, StackFile("test", PROJECT), require_local_state=False))


def deployed(*without: str, preview: bool = False, **changed: Any) -> Monitor:
    return run(lambda: deploy(resolved(*without, **changed)), preview=preview)

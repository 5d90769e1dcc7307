"""Runtimes for torchtune. Trainer builds the command of their TrainJobs."""

from collections.abc import Iterator

from ....validation.violation import Severity, Violation
from ...api import FRAMEWORK
from ..rule import rule, violation
from ..view import RuntimeView
from .frameworks import trainer_container

TORCHTUNE = "torchtune"
MODELS = ("llama3_2/1B", "llama3_2/3B", "llama3_3/70B", "qwen2_5/1.5B")
"""Models that Trainer knows: pkg/constants/constants.go:281-312@trainer@v2.3.0."""

MANAGED = ("output_dir", "tokenizer.path", "checkpointer.checkpoint_dir")
"""Arguments that Trainer copies from the runtime's command into a TrainJob's:
pkg/runtime/framework/plugins/torch/torchtune.go:172-197@trainer@v2.3.0."""


def _tunes(view: RuntimeView) -> bool:
    at = trainer_container(view)
    return at is not None and tuple(at.model.command or ())[:2] == ("tune", "run")


@rule("TJC-28", severity=Severity.WARNING)
def torchtune_runtime_names_its_model(view: RuntimeView) -> Iterator[Violation]:
    """The name of a torchtune runtime is not `<prefix>-<model>-<size>` with a model that Trainer knows.

    A TrainJob whose command Trainer builds (`tune run`, the SDK's BuiltinTrainer) is rejected. One with its own command
    works (executed), so this is a warning.
    Source: pkg/runtime/framework/plugins/torch/torchtune.go:42-44,199-205@trainer@v2.3.0.
    """
    if view.framework != TORCHTUNE and not _tunes(view):
        return
    name = view.runtime.metadata.name or ""
    fields = name.split("-")
    model = f"{fields[1].replace('.', '_')}/{fields[2].upper()}" if len(fields) == 3 else None
    if model not in MODELS:
        yield violation(
            "metadata.name",
            f"Trainer reads the model from the runtime's name, but {name!r} "
            + ("does not have three parts separated by '-'." if model is None else f"names {model}, which is unknown."),
            "Name it <prefix>-<model>-<size>, such as torchtune-llama3.2-1b. Known models: "
            + ", ".join(known.replace("_", ".").replace("/", "-").lower() for known in MODELS)
            + ".",
        )


@rule("SIL-30", severity=Severity.WARNING)
def torchtune_command_has_its_paths(view: RuntimeView) -> Iterator[Violation]:
    """The command of a torchtune runtime lacks a path that Trainer copies into a TrainJob's command.

    The recipe's default is used instead, which is another directory than the initializers'.
    Source: pkg/runtime/framework/plugins/torch/torchtune.go:172-197@trainer@v2.3.0.
    """
    at = trainer_container(view)
    if at is None or (view.framework != TORCHTUNE and not _tunes(view)):
        return
    given = {argument.partition("=")[0] for argument in at.model.command or ()}
    missing = [key for key in MANAGED if key not in given]
    if missing:
        yield violation(
            f"{at.path}.command",
            f"The command does not set {', '.join(missing)}: Trainer copies these settings from the runtime's "
            "command only.",
            "Add them, e.g. output_dir=/workspace/output.",
        )


@rule("SDK-08", severity=Severity.WARNING)
def torchtune_is_labelled(view: RuntimeView) -> Iterator[Violation]:
    """A torchtune runtime has another framework label, or a runtime with the label `torchtune` has no torch policy.

    The SDK accepts BuiltinTrainer only for runtimes with this label, and CustomTrainer for all others. TrainJobs that
    are created without the SDK work.
    Source: kubeflow/trainer/backends/kubernetes/backend.py _get_trainjob_spec@kubeflow-sdk@0.5.0.
    """
    path = f"metadata.labels[{FRAMEWORK}]"
    if view.framework not in {None, TORCHTUNE} and _tunes(view):
        yield violation(
            path,
            f"The runtime runs torchtune, but is labeled {view.framework!r}: the SDK rejects BuiltinTrainer for it.",
            f"Label it {FRAMEWORK}={TORCHTUNE}.",
        )
    if view.framework == TORCHTUNE and view.policy != "torch" and view.jobs:
        yield violation(
            path,
            "The runtime is labeled torchtune, but has no torch policy, which completes the command of the SDK's "
            "TrainJobs.",
            "Set spec.mlPolicy.torch to {}, or change the label.",
        )

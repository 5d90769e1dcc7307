"""`python -m stacks validate`, up to the request to the cluster."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from components.cluster.client import ClusterClient, ClusterReadError
from components.training_validation.phases import Phase
from components.training_validation.plan import TrainingPlan
from components.training_validation.report import Outcome, PhaseResult, ValidationReport
from components.training_validation.run import ValidationRun
from stacks import validate
from stacks.__main__ import main

SEEN: list[tuple[str | None, str | None, str, str]] = []
"""Context and kubeconfig, owner and runtime of each run."""


@pytest.fixture(autouse=True)
def runs(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Runs that pass, but for the runtime `bad`, in place of those on a cluster."""
    (project / "Pulumi.yaml").write_text("name: training-platform\n")
    for name, target in {"dev": "{context: far-away, kubeconfig: here}", "layers": "{stack: acme/a/b}"}.items():
        (project / "stacks" / f"Pulumi.{name}.yaml").write_text(
            f"config:\n  training-platform:cluster: {target}\n"
            "  training-platform:runtimes:\n"
            "    good: {framework: torch, gpusPerNode: 1}\n    bad: {framework: jax, gpusPerNode: 1}\n"
            "    data: {framework: torchtune, gpusPerNode: 1}\n"
        )

    def run(self: ValidationRun, plan: TrainingPlan) -> ValidationReport:
        access = self.stack_context.access
        SEEN.append((access.context, access.kubeconfig, self.stack_context.owner, plan.name))
        outcome = Outcome.FAILED if plan.name == "bad" else Outcome.PASSED
        return ValidationReport(plan.name, None, dict.fromkeys(Phase, PhaseResult(outcome, 1.0, "seen")))

    monkeypatch.setattr(ValidationRun, "validate", run)
    monkeypatch.setattr(validate, "require_rights", lambda *_, **__: None)
    yield
    SEEN.clear()


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["stacks", "validate", *words])
    code = main()
    return code, *capsys.readouterr()


def test_all_runtimes_of_the_stack_are_validated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run(capsys, monkeypatch, "dev")
    assert code == 1
    assert out.startswith("good: passed\n")
    assert "\nbad: failed\n" in out
    owner = "training-platform/dev validate"
    assert [("far-away", "here", owner, "good"), ("far-away", "here", owner, "bad")] == SEEN


def test_one_runtime_is_validated_in_another_cluster(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("layers", "--runtime", "good", "--context", "other", "--kubeconfig", "file", "-o", "json")
    code, out, _ = run(capsys, monkeypatch, *words)
    assert code == 0
    assert [each["runtime"] for each in json.loads(out)] == ["good"]
    assert SEEN == [("other", "file", "training-platform/layers validate", "good")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("layers", "The stack names no context. Add `--context`.\n"),
        ("dev --runtime goo", "The stack has no runtime goo. Did you mean good?\n"),
    ],
)
def test_what_cannot_run_is_said(
    words: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, monkeypatch, *words.split()) == (2, "", message)


def test_runtime_that_cannot_be_validated_is_a_mistake(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, error = run(capsys, monkeypatch, "dev", "--runtime", "data")
    assert code == 1
    assert "Runtime `data` cannot be validated: its initializers download data." in error


@pytest.mark.parametrize(("stop", "code"), [(ClusterReadError("no answer"), 2), (KeyboardInterrupt(), 130)])
def test_run_that_stops_has_an_exit_code(
    stop: BaseException, code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> ValidationReport:
        raise stop

    monkeypatch.setattr(ValidationRun, "validate", stopped)
    assert run(capsys, monkeypatch, "dev")[0] == code


def test_interrupted_run_does_not_claim_that_the_train_job_is_deleted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> ValidationReport:
        raise KeyboardInterrupt  # for the second time, during the deletion

    monkeypatch.setattr(ValidationRun, "validate", interrupted)
    assert run(capsys, monkeypatch, "dev")[2] == "Interrupted. If a TrainJob is left, the next run deletes it.\n"


def test_missing_permissions_stop_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    asked: list[str] = []

    def request(_: ClusterClient, method: str, path: str, *__: object, **___: object) -> None:
        asked.append(f"{method} {path}")
        raise ClusterReadError("no answer")

    monkeypatch.setattr(ClusterClient, "request", request)
    assert run(capsys, monkeypatch, "dev")[0] == 2
    assert asked == ["POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews"]

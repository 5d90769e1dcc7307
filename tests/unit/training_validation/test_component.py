"""The hook that validates, and the report in the cluster."""

import json
import time
from types import SimpleNamespace
from typing import Any

import pulumi
import pytest

from components.cluster.client import ClusterReadError, Response
from components.cluster.context import StackContext
from components.cluster.hook_error import PreflightError
from components.cluster.ownership import marks
from components.runtimes import jax, torch
from components.training_validation.component import ValidationFailedError, report_of, validation_hook
from components.training_validation.phases import Phase
from components.training_validation.plan import TrainingPlan, plan_trainings
from components.training_validation.report import Outcome, PhaseResult, ValidationReport
from components.training_validation.run import ValidationRun
from components.training_validation.spec import ValidationSpec
from tests.unit.fake_hooks import Hook, run_at_once, run_hook

from .training_cluster import TrainingCluster

NAME = "training-validation-torch-distributed"


def report_with(outcome: Outcome) -> ValidationReport:
    return ValidationReport("torch-distributed", None, dict.fromkeys(Phase, PhaseResult(outcome, 1.0, "seen")))


class Played:
    """What the hook does in place of a run, and what it shows."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cluster = TrainingCluster()
        self.context = StackContext(self.cluster, "project/stack", "my-id")
        self.outcome: Outcome | Exception = Outcome.PASSED
        self.running: list[str] = []
        self.most_at_once = 0
        self.shown: list[tuple[str, str]] = []
        monkeypatch.setattr(pulumi, "ResourceHook", Hook)
        monkeypatch.setattr(ValidationRun, "validate", lambda _, plan: self._validate(plan))
        for level in ("info", "warn"):
            monkeypatch.setattr(pulumi.log, level, lambda text, level=level: self.shown.append((level, text)))

    def _validate(self, plan: TrainingPlan) -> ValidationReport:
        self.running.append(plan.name)
        time.sleep(0.05)  # long enough for another one to begin
        self.most_at_once = max(self.most_at_once, len(self.running))
        self.running.remove(plan.name)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return report_with(self.outcome)

    def hook(self, strict: bool = False) -> Any:
        plans = plan_trainings(ValidationSpec(), [torch(), jax()], (), marks(self.context))
        return validation_hook("v", {f"v:{plan.name}": plan for plan in plans}, self.context, strict=strict)


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Played:
    return Played(monkeypatch)


TORCH, JAX = SimpleNamespace(name="v:torch-distributed"), SimpleNamespace(name="v:jax-distributed")


def test_report_is_shown_and_written(played: Played) -> None:
    run_hook(played.hook(), TORCH)
    written = played.cluster.config_maps[NAME]
    assert written["metadata"]["annotations"] == marks(played.context)
    assert written["data"] == report_with(Outcome.PASSED).to_config_map_data()
    assert played.shown == [("info", str(report_with(Outcome.PASSED)))]


def test_report_of_the_next_run_replaces_the_old_one(played: Played) -> None:
    run_hook(played.hook(), TORCH)
    played.outcome = Outcome.FAILED
    run_hook(played.hook(), TORCH)
    assert json.loads(played.cluster.config_maps[NAME]["data"]["report.json"])["passed"] is False
    assert played.shown[1] == ("warn", f"Validation of {report_with(Outcome.FAILED)}")


def test_strict_validation_fails_after_its_report_was_written(played: Played) -> None:
    played.outcome = Outcome.FAILED
    with pytest.raises(ValidationFailedError, match="torch-distributed: failed"):
        run_hook(played.hook(strict=True), TORCH)
    assert json.loads(played.cluster.config_maps[NAME]["data"]["report.json"])["passed"] is False


def test_strict_validation_that_passes_does_not_fail(played: Played) -> None:
    run_hook(played.hook(strict=True), TORCH)


def test_runtimes_are_validated_one_after_the_other(played: Played) -> None:
    assert run_at_once(played.hook(), TORCH, JAX) == [None, None]
    assert played.most_at_once == 1
    assert len(played.cluster.config_maps) == 2


def test_nothing_runs_without_the_permissions(played: Played) -> None:
    played.cluster.denied = {("create", "trainjobs")}
    with pytest.raises(PreflightError, match="permissions are missing in namespace default"):
        run_hook(played.hook(), TORCH)
    assert played.most_at_once == 0


def test_config_map_of_another_owner_is_not_touched(played: Played) -> None:
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME}, "data": {"a": "b"}}
    played.cluster.config_maps[NAME] = other
    with pytest.raises(PreflightError, match=f"ConfigMap default/{NAME} already exists"):
        run_hook(played.hook(), TORCH)
    assert played.cluster.config_maps[NAME] == other
    assert played.most_at_once == 0


def test_report_that_cannot_be_written_is_shown(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = Response(404, {"message": 'namespaces "default" not found'})
    monkeypatch.setattr(played.cluster, "_post_configmaps", lambda *_: refused)
    with pytest.raises(PreflightError) as error:
        run_hook(played.hook(), TORCH)
    assert f'ConfigMap default/{NAME} cannot be written: namespaces "default" not found.' in str(error.value)
    assert "torch-distributed: passed\n" in str(error.value)


def test_lost_api_server_is_named(played: Played) -> None:
    played.outcome = ClusterReadError("the API server does not answer")
    with pytest.raises(PreflightError, match=r"did not end: the API server does not answer\."):
        run_hook(played.hook(), TORCH)


def test_report_is_read_from_the_config_map() -> None:
    report = report_with(Outcome.PASSED)
    assert report_of(report.to_config_map_data()) == report.to_output()
    assert report_of(None) is None
    assert report_of({}) is None
    assert report_of({"report.json": "edited by hand"}) is None

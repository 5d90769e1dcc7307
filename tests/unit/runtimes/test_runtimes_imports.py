"""What is loaded when."""

import subprocess
import sys
from pathlib import Path

import pytest

from .files import GOOD

SLOW = ("kubeflow_trainer_api", "yaml", "pulumi", "kubernetes")


def loaded_by(code: str) -> list[str]:
    """Which of the slow packages a fresh interpreter has loaded after `code`."""
    report = f"{code}\nimport sys\nprint([name for name in {SLOW} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    names: list[str] = eval(run.stdout)  # noqa: S307 - it is our own list
    return names


RARE = """
from components.k8s.volumes import Volume
Volume(name="a", flocker={"datasetName": "b"})
"""


@pytest.mark.parametrize(
    ("code", "slow"),
    [
        ("import components.runtimes", []),
        ("from components.runtimes import deepspeed\ndeepspeed().to_manifest()", []),
        ("from components.runtimes import torch\ntorch().check()", []),
        (RARE, ["kubeflow_trainer_api"]),
        ("import components.k8s.yaml_documents", ["yaml"]),
    ],
)
def test_importing_runtimes_loads_only_used_modules(code: str, slow: list[str]) -> None:
    assert loaded_by(code) == slow


UNUSED = ("components.runtimes.catalog", "components.runtimes.explain", "components.runtimes.pair_rules")


def test_the_linter_loads_nothing_that_a_runtime_does_not_need(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)
    code = f"""
import sys
from components.runtimes.__main__ import main
main(["check", {str(tmp_path)!r}])
print([name for name in {UNUSED} if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["0 errors, 0 warnings; 1 valid runtime.", "[]"]


@pytest.mark.parametrize(("kind", "loaded"), [("Other", "False"), ("TrainJob", "True")])
def test_rules_for_train_jobs_are_loaded_when_a_file_has_one(kind: str, loaded: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"kind: {kind}\n")
    code = f"""
import sys
from components.runtimes.__main__ import main
main(["check", {str(tmp_path / "a.yaml")!r}])
print({{name in sys.modules for name in ("components.runtimes.pair_rules", "components.runtimes.train_job_linter")}})
print(any(name.startswith("components.cluster") for name in sys.modules))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-2:] == [f"{{{loaded}}}", "False"]

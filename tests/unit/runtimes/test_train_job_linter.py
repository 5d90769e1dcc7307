"""TrainJobs in files: which runtime each is checked with, and what is reported."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.runtimes import ClusterTrainingRuntime
from components.runtimes.loader import RuntimesReport, read_files
from components.runtimes.placement import Placement
from components.runtimes.train_job import RuntimeRef
from components.runtimes.train_job_linter import (
    FoundRuntime,
    RuntimeSource,
    UnreadableRuntimeError,
    catalogue,
    check_train_jobs,
)
from components.validation.violation import Severity

from .files import GOOD, check, write

RESERVED = [{"name": "PET_NNODES", "value": "2"}]


def train_job(name: str = "train", runtime: Any = None, **trainer: Any) -> str:
    spec = {"runtimeRef": runtime or {"name": "torch"}, "trainer": trainer}
    manifest = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob"}
    return yaml.safe_dump({**manifest, "metadata": {"name": name}, "spec": spec}, sort_keys=False)


def source(runtime: str = "", pool: Placement | None = None, fix: str | None = None) -> RuntimeSource:
    """A source with one runtime, or none."""

    def find(reference: RuntimeRef, namespace: str) -> FoundRuntime | None:
        assert namespace == "default"
        if reference.name != "elsewhere" or not runtime:
            return None
        return FoundRuntime(ClusterTrainingRuntime.from_manifest(yaml.safe_load(runtime)), "there", pool)

    def names() -> Iterable[str]:
        return ["elsewhere"]

    return RuntimeSource("there", find, names, fix)


def checked(folder: Path, where: RuntimeSource, trainer: str = "2.3.0") -> RuntimesReport:
    report = read_files([folder])
    check_train_jobs(report, where, trainer)
    return report


def told(report: RuntimesReport) -> list[tuple[str, int, str, str, str]]:
    return [(Path(each.file).name, each.line, each.rule, each.severity, each.path) for each in report.violations]


def test_a_runtime_in_the_files_is_used_whatever_the_order(tmp_path: Path) -> None:
    write(tmp_path, a=train_job(env=RESERVED), b=GOOD, c=train_job("other"))
    report = checked(tmp_path, source())
    assert told(report) == [("a.yaml", 10, "TJC-25", "error", "spec.trainer.env[0]")]
    assert report.valid[1:] == [
        {
            "file": f"{tmp_path}/c.yaml",
            "kind": "TrainJob",
            "name": "other",
            "runtime": f"ClusterTrainingRuntime torch ({tmp_path}/b.yaml:1)",
        }
    ]


def test_a_training_runtime_is_found_in_the_namespace_of_the_train_job_only(tmp_path: Path) -> None:
    runtime = yaml.safe_load(GOOD)
    runtime |= {"kind": "TrainingRuntime", "metadata": runtime["metadata"] | {"namespace": "default"}}
    write(
        tmp_path,
        a=yaml.safe_dump(runtime),
        b=train_job(runtime={"name": "torch", "kind": "TrainingRuntime"}, env=RESERVED).replace(
            "name: train\n", "name: train\n  namespace: default\n", 1
        ),
        c=train_job("cluster", env=RESERVED),
    )
    assert [(file, rule, severity) for file, _, rule, severity, _ in told(checked(tmp_path, source()))] == [
        ("b.yaml", "TJC-25", "error"),
        ("c.yaml", "TJC-05", "error"),
    ]


def test_a_runtime_that_no_file_has_is_looked_for_in_the_source(tmp_path: Path) -> None:
    write(tmp_path, a=train_job(runtime={"name": "elsewhere"}, env=RESERVED))
    assert told(checked(tmp_path, source(GOOD))) == [("a.yaml", 10, "TJC-25", "error", "spec.trainer.env[0]")]


def test_runtimes_beside_the_files_are_used_and_not_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("jobs", "runtimes"):
        (tmp_path / folder).mkdir()
    write(tmp_path / "jobs", a=train_job(env=RESERVED))
    unlabelled = GOOD.replace("    trainer.kubeflow.org/framework: torch\n", "    team: a\n")
    write(tmp_path / "runtimes", a=unlabelled, b=GOOD.replace("image:", "imgae:"))
    assert check(tmp_path / "jobs", "--runtimes", tmp_path / "runtimes") == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "[" in line] == [
        f"{tmp_path}/jobs/a.yaml:10: error [TJC-25] spec.trainer.env[0]: "
        "Trainer sets PET_NNODES itself, and rejects a TrainJob that sets it."
    ]


def test_nodes_of_the_source_are_used(tmp_path: Path) -> None:
    write(tmp_path, a=train_job(runtime={"name": "elsewhere"}, numNodes=3))
    few = Placement(gpus_per_node=1, max_nodes=2)
    assert [each[2:] for each in told(checked(tmp_path, source(GOOD, few)))] == [
        ("PLC-07", "error", "spec.trainer.numNodes")
    ]
    assert told(checked(tmp_path, source(GOOD, Placement(gpus_per_node=1, max_nodes=3)))) == []


def test_a_runtime_that_a_complete_source_does_not_have_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, a=train_job(runtime={"name": "elsewher"}))
    (found,) = checked(tmp_path, source(GOOD)).violations
    assert (found.rule, found.severity, found.path) == ("TJC-05", Severity.ERROR, "spec.runtimeRef.name")
    assert found.message == "there has no ClusterTrainingRuntime elsewher: Trainer rejects the TrainJob."
    assert found.fix == "Did you mean elsewhere?"


def test_a_runtime_that_may_exist_elsewhere_is_a_warning(tmp_path: Path) -> None:
    write(tmp_path, a=train_job("Train", runtime={"name": "unknown"}))
    report = checked(tmp_path, source(fix="Look elsewhere."))
    assert told(report) == [
        ("a.yaml", 4, "TJC-01", "error", "metadata.name"),
        ("a.yaml", 7, "TJC-05", "warning", "spec.runtimeRef.name"),
    ]
    assert report.violations[1].message == (
        "The ClusterTrainingRuntime unknown is neither in the files nor in there: "
        "only what needs no runtime is checked."
    )
    assert report.violations[1].fix == "Look elsewhere."


def test_a_runtime_that_is_not_understood_is_a_warning_and_the_other_train_jobs_are_checked(tmp_path: Path) -> None:
    def find(reference: RuntimeRef, _: str) -> FoundRuntime | None:
        if reference.name == "newer":
            raise UnreadableRuntimeError("ClusterTrainingRuntime newer has fields that are not known: spec.new")
        return None

    write(tmp_path, a=train_job(runtime={"name": "newer"}), b=train_job("second", runtime={"name": "other"}))
    report = checked(tmp_path, source()._replace(find=find))
    assert told(report) == [
        ("a.yaml", 7, "TJC-05", "warning", "spec.runtimeRef.name"),
        ("b.yaml", 7, "TJC-05", "error", "spec.runtimeRef.name"),
    ]
    assert report.violations[0].message == (
        "ClusterTrainingRuntime newer has fields that are not known: spec.new: only what needs no runtime is checked."
    )


def test_a_runtime_with_errors_is_reported_once(tmp_path: Path) -> None:
    write(tmp_path, a=GOOD.replace("image:", "imgae:"), b=train_job())
    report = checked(tmp_path, source())
    assert [(file, severity) for file, _, _, severity, _ in told(report)] == [("a.yaml", "error")]
    assert [each["kind"] for each in report.valid] == ["TrainJob"]


def test_schema_errors_secrets_and_duplicates_of_train_jobs_are_reported(tmp_path: Path) -> None:
    secret = [{"name": "HF_TOKEN", "value": "hf_" + "a" * 34}]
    write(
        tmp_path,
        a=GOOD,
        b=train_job(numNode=2),
        c=train_job("secret", env=secret) + "---\n" + train_job("secret"),
        d=train_job("twice") + "spec: {runtimeRef: {name: torch}}\n",
    )
    assert [(file, rule, severity) for file, _, rule, severity, _ in told(checked(tmp_path, source()))] == [
        ("b.yaml", "CTR-36", "error"),
        ("c.yaml", "YAML-04", "warning"),
        ("c.yaml", "YAML-03", "warning"),
        ("d.yaml", "YAML-02", "error"),
    ]


def test_rules_follow_the_version_of_trainer(tmp_path: Path) -> None:
    job = train_job(numProcPerNode="auto")
    write(tmp_path, a=GOOD, b=job)
    assert told(checked(tmp_path, source(), "2.0.0")) == []
    assert told(checked(tmp_path, source(), "2.3.0")) != []


def test_a_kind_that_is_none_of_a_runtime_is_reported_once(tmp_path: Path) -> None:
    write(tmp_path, a=train_job(runtime={"name": "elsewhere", "kind": "Runtime"}))
    assert told(checked(tmp_path, source(GOOD))) == [("a.yaml", 8, "TJC-04", "error", "spec.runtimeRef.kind")]


def test_a_training_runtime_of_the_name_of_a_cluster_training_runtime(tmp_path: Path) -> None:
    write(tmp_path, a=train_job(runtime={"name": "elsewhere", "kind": "TrainingRuntime"}))
    (found,) = checked(tmp_path, source()).violations
    assert (found.rule, found.fix) == ("TJC-05", "Remove `kind`: elsewhere is a ClusterTrainingRuntime there.")


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("kind: trainjob", [("CTR-34", "kind", "Use 'TrainJob'.")]),
        ("kind: TrainingJob", [("CTR-34", "kind", "Use 'TrainJob'.")]),
        ("kind: [TrainJob]", [("CTR-34", "kind", "Use 'TrainJob'.")]),
        ("", [("CTR-35", "kind", "Set kind.")]),
    ],
)
def test_a_train_job_of_another_kind_or_none(kind: str, found: list[tuple[str, str, str]], tmp_path: Path) -> None:
    write(tmp_path, a=train_job().replace("kind: TrainJob", kind))
    assert [(each.rule, each.path, each.fix) for each in checked(tmp_path, source()).violations] == found


def test_another_groups_object_with_a_runtime_is_skipped(tmp_path: Path) -> None:
    write(tmp_path, a=train_job().replace("kind: TrainJob", "kind: Pipeline").replace("trainer.kubeflow.org", "a.io"))
    report = checked(tmp_path, source())
    assert (report.violations, [each.reason for each in report.skipped]) == ([], ["Pipeline is not a training runtime"])


def test_the_catalogue_has_upstreams_runtimes() -> None:
    found = catalogue().find(RuntimeRef(name="deepspeed-distributed"), "default")
    assert found is not None
    assert found.runtime.metadata.name == "deepspeed-distributed"
    assert catalogue().find(RuntimeRef(name="deepspeed-distributed", kind="TrainingRuntime"), "default") is None
    assert "torch-distributed" in [*catalogue().names()]
    assert catalogue().fix == "Pass its file too, or read it from a cluster with --context."


def test_the_command_counts_train_jobs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, a=GOOD, b=train_job(), c=train_job("other", env=RESERVED))
    assert check(tmp_path) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 error, 0 warnings; 1 valid runtime, 1 valid TrainJob."
    assert check(tmp_path, "--ignore", "TJC-25") == 0
    assert "0 errors" in capsys.readouterr().out
    assert check(tmp_path, "--format", "sarif") == 1
    driver = json.loads(capsys.readouterr().out)["runs"][0]["tool"]["driver"]
    assert [each["id"] for each in driver["rules"]] == ["TJC-25"]
    assert driver["rules"][0]["shortDescription"]["text"]


def test_unusable_arguments_for_train_jobs_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, a=train_job())
    assert check(tmp_path, "--trainer", "3.0.0") == 2
    assert capsys.readouterr().err == (
        "training-runtimes: --trainer: Trainer 3.0.0 is not known. Use 2.0.0, 2.2.0, 2.3.0.\n"
    )
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    assert check(tmp_path, "--context", "nowhere") == 2
    assert capsys.readouterr().err.startswith("training-runtimes: --context: the kubeconfig does not lead to a cluster")
    assert check(tmp_path, "--ignore", "TJC-999") == 2
    assert "there is no rule TJC-999" in capsys.readouterr().err


def test_without_the_client_of_clusters_only_context_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, a=train_job(runtime={"name": "torch-distributed"}))
    monkeypatch.setitem(sys.modules, "urllib3", None)
    monkeypatch.delitem(sys.modules, "components.cluster.transport", raising=False)
    assert check(tmp_path) == 0
    capsys.readouterr()
    assert check(tmp_path, "--context", "prod") == 2
    assert capsys.readouterr().err == (
        "training-runtimes: --context: components.runtimes.cluster_runtimes needs urllib3: "
        "pip install -r requirements.txt\n"
    )

"""`python -m stacks check`: every stack, warnings too, from any folder."""

import json
import sys
from copy import deepcopy
from pathlib import Path

import pytest

from components.runtimes import deepspeed, torch
from components.runtimes.rules.summaries import rule_summaries
from stacks.__main__ import main

HEAD = "config:\n  training-platform:cluster: {context: far-away}\n"
MANIFEST = torch(name="mine").to_manifest()
del MANIFEST["metadata"]["labels"]
UNLABELLED = f"  training-platform:runtimes:\n    mine: {{manifest: {json.dumps(MANIFEST)}}}\n"
"""A runtime with one warning."""


@pytest.fixture(autouse=True)
def stacks(project: Path) -> Path:
    folder = project / "stacks"
    (project / "Pulumi.yaml").write_text("name: training-platform\n")
    for base in folder.glob("*.yaml"):
        base.unlink()
    (folder / "Pulumi.good.yaml").write_text(HEAD)
    (folder / "Pulumi.warned.yaml").write_text(HEAD + UNLABELLED)
    (folder / "Pulumi.wrong.yaml").write_text(HEAD + "  training-platform:jobset: {replica: 2}\n")
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> "Run":
    return Run(capsys, monkeypatch)


class Run:
    """Runs the command with words, and returns its exit code and both outputs."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys, self.monkeypatch = capsys, monkeypatch

    def __call__(self, *words: str) -> tuple[int, str, str]:
        self.monkeypatch.setattr(sys, "argv", ["stacks", "check", *words])
        code = main()
        return code, *self.capsys.readouterr()


def test_all_stacks_are_checked_even_if_one_is_invalid(run: Run) -> None:
    code, printed, complained = run("--all")

    assert (code, complained) == (1, "")
    assert printed.splitlines()[-3:] == ["good is valid.", "warned is valid, 1 warning.", "wrong is invalid, 1 error."]
    assert "stacks/Pulumi.warned.yaml:4: warning [SDK-01] runtimes.mine.manifest.metadata.labels" in printed
    assert "stacks/Pulumi.wrong.yaml:3: error [STK-01] jobset.replica: `jobset` has no key `replica`." in printed


@pytest.mark.parametrize(
    ("words", "code"), [(["warned"], 0), (["--strict", "warned"], 1), (["--strict", "good"], 0), (["good", "wrong"], 1)]
)
def test_warnings_are_shown_and_fail_if_strict(words: list[str], code: int, run: Run) -> None:
    assert run(*words)[0] == code


def test_missing_stack_is_named_and_the_others_are_checked(run: Run) -> None:
    assert run("good", "nope", "warned.yaml") == (
        2,
        "good is valid.\n",
        "There is no stack file stacks/Pulumi.nope.yaml. Stacks: good, warned, wrong.\n"
        "warned.yaml is not a stack file: name a stack, or the path of stacks/Pulumi.<stack>.yaml, beside which is the "
        "project's Pulumi.yaml.\n",
    )


def test_command_without_stacks_is_rejected(run: Run) -> None:
    with pytest.raises(SystemExit) as caught:
        run()
    assert caught.value.code == 2


def test_paths_and_names_work_from_any_folder(
    run: Run, stacks: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(stacks)
    assert run("good", "Pulumi.wrong.yaml")[1].splitlines() == [
        "Pulumi.wrong.yaml:3: error [STK-01] jobset.replica: `jobset` has no key `replica`.",
        run("wrong")[1].splitlines()[1],
        "good is valid.",
        "wrong is invalid, 1 error.",
    ]
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    code, printed, _ = run(str(stacks / "Pulumi.good.yaml"), str(stacks / "Pulumi.warned.yaml"))
    assert (code, printed.splitlines()[-2:]) == (0, ["good is valid.", "warned is valid, 1 warning."])


def test_violation_in_a_file_inherited_by_two_stacks_is_reported_once(run: Run, stacks: Path) -> None:
    (stacks / "base.yaml").write_text("jobset: {replica: 2}\n")
    for name in ("one", "two"):
        (stacks / f"Pulumi.{name}.yaml").write_text(HEAD + "  training-platform:inherits: base\n")

    code, printed, _ = run("one", "two")
    assert code == 1
    assert printed.count("stacks/base.yaml:1: error [STK-01] jobset.replica") == 1
    assert printed.splitlines()[-2:] == ["one is invalid, 1 error.", "two is invalid, 1 error."]


def test_an_inherited_warning_has_its_line_in_the_inherited_file(run: Run, stacks: Path) -> None:
    (stacks / "base.yaml").write_text("\n" + UNLABELLED.replace("  training-platform:", "", 1))
    (stacks / "Pulumi.one.yaml").write_text(HEAD + "  training-platform:inherits: base\n")

    assert run("one")[1].startswith("stacks/base.yaml:3: warning [SDK-01] ")


def test_warnings_of_an_invalid_stack_are_shown_too(run: Run, stacks: Path) -> None:
    (stacks / "Pulumi.both.yaml").write_text(HEAD + UNLABELLED + "  training-platform:jobset: {replica: 2}\n")

    code, printed, _ = run("both")
    assert code == 1
    assert [line.partition(" [")[0] for line in printed.splitlines() if not line.startswith(" ")] == [
        "stacks/Pulumi.both.yaml:4: warning",
        "stacks/Pulumi.both.yaml:5: error",
        "both is invalid, 1 error, 1 warning.",
    ]


def test_warnings_of_an_invalid_manifest_are_shown_too(run: Run, stacks: Path) -> None:
    manifest = deepcopy(MANIFEST)
    (job,) = manifest["spec"]["template"]["spec"]["replicatedJobs"]
    job["template"]["spec"]["template"]["spec"]["restartPolicy"] = "Always"
    runtimes = f"  training-platform:runtimes:\n    mine: {{manifest: {json.dumps(manifest)}}}\n"
    (stacks / "Pulumi.both.yaml").write_text(HEAD + runtimes)

    code, printed, _ = run("both")
    assert code == 1
    assert "warning [SDK-01] runtimes.mine.manifest.metadata" in printed
    assert "error [K8S-10] runtimes.mine.manifest.spec.template" in printed
    assert printed.splitlines()[-1] == "both is invalid, 1 error, 1 warning."


def test_warnings_that_the_policies_refuse_are_errors(run: Run, stacks: Path) -> None:
    (stacks / "Pulumi.strict.yaml").write_text(
        HEAD + UNLABELLED + "  training-platform:policies: {warnings: refused}\n"
    )

    code, printed, _ = run("strict")
    assert code == 1
    assert printed.endswith("strict is invalid, 1 error.\n")


def test_json_has_violations_and_valid_stacks(run: Run) -> None:
    code, printed, _ = run("--format", "json", "good", "wrong")
    report = json.loads(printed)

    assert (code, report["valid"]) == (1, [{"file": "stacks/Pulumi.good.yaml", "name": "good"}])
    (violation,) = report["violations"]
    assert (violation["file"], violation["line"], violation["subject"]) == ("stacks/Pulumi.wrong.yaml", 3, "wrong")


def test_a_file_that_cannot_be_read_is_an_error_with_its_line(run: Run, stacks: Path) -> None:
    (stacks / "Pulumi.broken.yaml").write_text(HEAD + "\tx: 1\n")

    code, printed, _ = run("broken", "good")
    assert code == 1
    assert printed.startswith("stacks/Pulumi.broken.yaml:3: error [YAML-01] ")
    assert printed.endswith("broken is invalid, 1 error.\ngood is valid.\n")


def racing(accept: str = "") -> str:
    """A stack whose launcher does not wait for its workers."""
    manifest = deepspeed(name="race").to_manifest()
    del manifest["spec"]["template"]["spec"]["replicatedJobs"][1]["dependsOn"]
    return f"{HEAD}  training-platform:runtimes:\n    race: {{{accept}manifest: {json.dumps(manifest)}}}\n"


def test_a_launcher_that_does_not_wait_is_an_error_unless_accepted(run: Run, stacks: Path) -> None:
    (stacks / "Pulumi.race.yaml").write_text(racing())
    code, printed, _ = run("race")
    assert code == 1
    assert "error [SIL-36] runtimes.race.manifest.spec.template.spec.replicatedJobs[1].dependsOn: " in printed
    assert "If the launcher waits by itself, accept this: `accept: [SIL-36]` at `runtimes.race`." in printed

    (stacks / "Pulumi.race.yaml").write_text(racing("accept: [SIL-36], "))
    assert run("--strict", "race") == (0, "race is valid.\n", "")


def test_only_rules_can_be_accepted(run: Run, stacks: Path) -> None:
    (stacks / "Pulumi.race.yaml").write_text(racing("accept: [sil-36, whatever], "))
    code, printed, _ = run("race")
    assert code == 1
    assert (
        '[STK-22] runtimes.race.accept[0]: "sil-36" is not the id of a rule.\n    Fix: Did you mean SIL-36?' in printed
    )
    assert '"whatever" is not the id of a rule.' in printed
    assert "SIL-36" in rule_summaries()


def test_mistake_in_a_catalog_key_is_reported_once_at_that_key(run: Run, stacks: Path) -> None:
    runtime = "    mine: {framework: deepspeed, image: ' x', env: {A: $(B)}}\n"
    (stacks / "Pulumi.mpi.yaml").write_text(f"{HEAD}  training-platform:runtimes:\n{runtime}")

    first, *_, last = run("mpi")[1].splitlines()
    assert (
        first
        == "stacks/Pulumi.mpi.yaml:4: error [K8S-01] runtimes.mine.image: Image ' x' has whitespace around its name."
    )
    assert last == "mpi is invalid, 1 error."


TRAIN_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train}
spec:
  runtimeRef: {name: mine}
  trainer: {numNodes: 2, env: [{name: PET_NNODES, value: "2"}]}
"""


def test_train_jobs_are_checked_with_the_runtimes_of_each_stack(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/a.yaml").write_text(TRAIN_JOB)
    monkeypatch.chdir(tmp_path / "jobs")
    code, printed, complained = run("warned", "good", "wrong", "--train-job", "a.yaml")
    assert (code, complained) == (1, "")
    lines = printed.splitlines()
    assert "a.yaml:6: error [TJC-25] spec.trainer.env[0]: Trainer sets PET_NNODES itself" in printed
    assert any(line.startswith("a.yaml:5: warning [TJC-05]") and "stack good" in line for line in lines)
    assert lines[-6:] == [
        "warned is valid, 1 warning.",
        "0 of 1 TrainJob can be used with stack warned.",
        "good is valid.",
        "1 of 1 TrainJob can be used with stack good.",
        "wrong is invalid, 1 error.",
        "TrainJobs were not checked with stack wrong, because it is invalid.",
    ]


def test_valid_train_jobs_are_in_json(run: Run, tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/a.yaml").write_text(TRAIN_JOB.replace(', env: [{name: PET_NNODES, value: "2"}]', ""))
    code, printed, _ = run("warned", "--format", "json", "--train-job", str(tmp_path / "jobs"))
    assert code == 0
    assert [each.get("runtime") for each in json.loads(printed)["valid"]] == [
        None,
        "ClusterTrainingRuntime mine (stack warned)",
    ]


def test_a_missing_file_of_train_jobs_is_one_line(run: Run) -> None:
    assert run("good", "--train-job", "none.yaml") == (
        2,
        "",
        f"{Path('none.yaml').absolute()}: No such file or directory\n",
    )

"""`python -m components.runtimes`: what it prints, and its exit codes."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from components.k8s.yaml_documents import read_documents
from components.runtimes.__main__ import main
from components.runtimes.catalog import FACTORIES
from components.runtimes.rules import RULES
from components.runtimes.rules.summaries import reported_as

from .files import GOOD, OTHER, check, write

BAD = GOOD.replace("numNodes: 1", 'numNodes: "1"').replace("image:", "imgae:")
OLD = GOOD.replace("torch: {}", "torch: {numProcPerNode: auto}")


def test_valid_file_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, a=GOOD.replace("name: torch", "name: a"))

    assert check(tmp_path / "a.yaml") == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("0 errors, ")


def test_violations_are_printed_and_the_exit_code_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, a=BAD.replace("name: torch", "name: a"), b=OTHER)

    assert check(tmp_path / "a.yaml", tmp_path / "b.yaml") == 1
    container = "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0]"
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path}/b.yaml:1: skipped: ConfigMap is not a training runtime",
        f'{tmp_path}/a.yaml:9: error [CTR-34] spec.mlPolicy.numNodes: "1" is not an integer.',
        "    Fix: Write an integer, without quotes.",
        f"{tmp_path}/a.yaml:24: error [CTR-36] {container}.imgae: "
        "The API has no field imgae here: it rejects the field or drops it silently.",
        "    Fix: Did you mean image?",
        "2 errors, 0 warnings; 0 valid runtimes.",
    ]


def test_violations_are_printed_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, a=BAD.replace("name: torch", "name: a"), b=OTHER, c=GOOD.replace("name: torch", "name: c"))

    assert check("--format", "json", tmp_path) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["violations"][0] == {
        "rule": "CTR-34",
        "path": "spec.mlPolicy.numNodes",
        "message": '"1" is not an integer.',
        "fix": "Write an integer, without quotes.",
        "severity": "error",
        "file": f"{tmp_path}/a.yaml",
        "line": 9,
        "subject": "a",
    }
    assert printed["skipped"] == [
        {"file": f"{tmp_path}/b.yaml", "line": 1, "reason": "ConfigMap is not a training runtime"}
    ]
    assert printed["valid"] == [{"file": f"{tmp_path}/c.yaml", "kind": "ClusterTrainingRuntime", "name": "c"}]


def test_exit_code_for_warnings_is_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, old=OLD)

    assert check(tmp_path) == 1
    assert check("--adopt", tmp_path) == 0
    assert f"{tmp_path}/old.yaml:10: warning [CTR-36] spec.mlPolicy.torch.numProcPerNode: " in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [(), ("check",), ("look", "a.yaml"), ("check", "--format", "xml", "a.yaml")])
def test_invalid_arguments_are_rejected(arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)

    assert caught.value.code == 2


def test_missing_token_file_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path / "none.yaml") == 2
    assert capsys.readouterr().err == f"training-runtimes: {tmp_path}/none.yaml: No such file or directory\n"


def test_folder_without_yaml_has_nothing_to_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "runtime.json").write_text("{}")
    assert check(tmp_path) == 2
    assert capsys.readouterr().err == (f"training-runtimes: {tmp_path}: It contains no .yaml or .yml file\n")
    (tmp_path / "below" / "runtime.yml").write_text("{}")
    assert check(tmp_path) == 0


def test_the_hooks_run_the_linter_of_the_installed_package() -> None:
    hooks = yaml.safe_load(Path(".pre-commit-hooks.yaml").read_text())

    assert [hook["id"] for hook in hooks] == ["training-runtimes", "train-jobs"]
    for hook in hooks:
        # A TrainJob may need a runtime of another file.
        assert (hook["entry"], hook["types"], hook["require_serial"]) == ("training-runtimes check", ["yaml"], True)
    scripts = tomllib.loads(Path("pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {"training-runtimes": "training_platform.runtimes.__main__:main"}


SLOPPY = GOOD.replace("    trainer.kubeflow.org/framework: torch\n", "    team: a\n")
"""A runtime with one warning, SDK-01."""


@pytest.mark.parametrize(
    ("arguments", "code", "counts"),
    [
        ((), 0, "0 errors, 1 warning"),
        (("--strict",), 1, "0 errors, 1 warning"),
        (("--strict", "--ignore", "SDK-01"), 0, "0 errors, 0 warnings"),
        (("--strict", "--ignore", "CTR-36, SDK-01"), 0, "0 errors, 0 warnings"),
        (("--strict", "--ignore", "SDK-02"), 1, "0 errors, 1 warning"),
    ],
)
def test_warnings_fail_if_strict_and_rules_can_be_ignored(
    arguments: tuple[str, ...], code: int, counts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, a=SLOPPY)

    assert check(*arguments, tmp_path) == code
    assert capsys.readouterr().out.splitlines()[-1] == f"{counts}; 1 valid runtime."


def test_unknown_rule_cannot_be_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, a=GOOD)

    assert check("--ignore", "sdk-01", tmp_path) == 2
    assert capsys.readouterr().err.endswith(": --ignore: there is no rule sdk-01. Did you mean SDK-01?\n")


def test_ignoring_an_alias_ignores_the_rule() -> None:
    rule = next(rule for rule in RULES if len(rule.ids) > 1)

    assert reported_as([rule.ids[1], "YAML-01"]) == {rule.id, "YAML-01"}


def test_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path, **{f"a{number}": BAD * 20})
    command = [sys.executable, "-m", "components.runtimes", "check", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as linter:
        assert linter.stdout
        assert linter.stderr
        linter.stdout.close()

        assert linter.stderr.read() == b""
    assert linter.returncode == 1


@pytest.mark.parametrize("framework", FACTORIES)
def test_a_runtime_of_the_catalogue_is_printed_as_yaml(framework: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["print", framework, "--option", "gpusPerNode=2", "--option", 'env={A: "1e3", B: "y"}']) == 0
    printed = capsys.readouterr().out
    manifest = FACTORIES[framework](gpus_per_node=2, env={"A": "1e3", "B": "y"}).to_manifest()

    assert [document.content for document in read_documents(printed)] == [manifest]
    assert printed.startswith("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n")
    assert "- '" not in printed.split("replicatedJobs:\n")[1].splitlines()[0]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (
            ["gpus=8"],
            1,
            "  gpus: Unknown argument `gpus`. Fix: Did you mean `gpus_per_node`?",
        ),
        (["gpusPerNode"], 2, "--option gpusPerNode: write KEY=VALUE."),
        (["nodes={"], 2, "--option nodes={: Invalid YAML: "),
    ],
)
def test_invalid_options_are_rejected(
    options: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["print", "deepspeed", *(word for each in options for word in ("--option", each))]) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err

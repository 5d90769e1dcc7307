"""What a stack's file can be read as: the same words for whoever checks it and for whoever deploys it."""

import sys
from pathlib import Path

import pulumi
import pytest

from stacks.__main__ import main
from stacks.settings.stack_file import StackFile
from tools import go_build, pulumi_engine

CLUSTER = "config:\n  training-platform:cluster: {context: far-away}\n"

UNREADABLE = {
    "a key twice": (
        CLUSTER + "  training-platform:runtimes:\n    mine: {framework: torch, nodes: 2, nodes: 3}\n",
        "  line 4\n    `nodes` is a duplicate key.\n    Fix: Remove one of them.",
    ),
    "a section twice": (
        CLUSTER + "  training-platform:jobset: {}\n  training-platform:jobset: {replicas: 2}\n",
        "  line 4\n    `training-platform:jobset` is a duplicate key.\n    Fix: Remove one of them.",
    ),
    "a section twice, once without its namespace": (
        CLUSTER + "  training-platform:jobset: {}\n  jobset: {replicas: 2}\n",
        "  line 4\n    `training-platform:jobset` is a duplicate key.\n    Fix: Remove one of them.",
    ),
    "a tab": (
        CLUSTER + "\ttraining-platform:jobset: {}\n",
        "  line 3\n    Invalid YAML: a tab indents `training-platform:jobset`.\n    Fix: Replace the tab with spaces.",
    ),
    "a bracket that is not closed": (
        "config: {\n",
        "  line 2\n    Invalid YAML: the text ends inside of a bracket.\n    Fix: Close it with `}` or `]`.",
    ),
    "a misspelt `config`": (
        "encryptionsalt: x\n" + CLUSTER.replace("config", "confg", 1),
        "  line 2\n    There are no sections below `config:`.\n    Fix: Did you mean `config` by `confg`?",
    ),
    "an empty `config`": (
        "encryptionsalt: x\nconfig:\n",
        "  line 1\n    There are no sections below `config:`.\n    Fix: Write the sections below `config:`.",
    ),
    "a list": (
        "- config\n",
        "  line 1\n    There are no sections below `config:`.\n    Fix: Write the sections below `config:`.",
    ),
    "a second document": (
        CLUSTER + "---\nconfig: {}\n",
        "  line 4\n    A second YAML document starts here. Pulumi reads only the first one and ignores this one.\n"
        "    Fix: Move its keys into the first document, and remove the `---`.",
    ),
    "a key that is indented less": (
        CLUSTER + "  training-platform:jobset:\n    replicas: 2\n namespace: a\n",
        "  line 5\n    Invalid YAML: the indentation of `namespace` is not that of any key above it.\n"
        "    Fix: Indent it like the keys that it belongs to.",
    ),
    "an item of a list among keys": (
        CLUSTER + "  training-platform:runtimes:\n    mine:\n      framework: torch\n    - other: {}\n",
        "  line 6\n    Invalid YAML: `other` is an item of a list, among keys of a mapping.\n"
        "    Fix: Write a key instead of the `-`, or indent the items more than the key that has the list.",
    ),
    "an unknown alias": (
        CLUSTER + "  training-platform:jobset: *common\n",
        "  line 3\n    The alias *common has no anchor &common above it.\n"
        "    Fix: Add the anchor, or write out the value.",
    ),
    "a no-break space behind a colon": (
        CLUSTER + "  training-platform:jobset:\n    replicas:\u00a02\n",
        "  line 4\n    There is a no-break space (U+00A0), which looks like a space and is text to YAML.\n"
        "    Fix: Replace it with a space.",
    ),
    "a tag": (
        CLUSTER + "  training-platform:jobset: !vault x\n",
        "  line 3\n    The tag !vault is not supported.\n    Fix: Remove the tag, and write the value itself.",
    ),
    "a number of 5,000 digits": (
        CLUSTER + f"  training-platform:jobset: {{replicas: {'9' * 5000}}}\n",
        "  line 3\n    This number has 5,000 characters, more than 100.\n"
        "    Fix: Write a shorter number, or put it in quotes.",
    ),
    "5 MB": ("# " + "x" * 5_000_000, "    Larger than 4 MiB.\n    Fix: Write a readable YAML file there."),
    "nothing": ("# later\n", "    The file is empty.\n    Fix: Write the sections below `config:`."),
    "Latin 1": (CLUSTER + "# \xe9\n", "  line 3\n    The file is not UTF-8 text.\n    Fix: Save it as UTF-8."),
    "no file": (None, "    There is no such file.\n    Fix: Name a stack that is there: dev, prod."),
}


@pytest.fixture
def folder(project: Path) -> Path:
    (project / "Pulumi.yaml").write_text("name: training-platform\n")
    for stack in ("prod", "dev"):
        (project / "stacks" / f"Pulumi.{stack}.yaml").write_text(CLUSTER)
    return project


def run(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["stacks", command, "test"])
    code = main()
    return code, *capsys.readouterr()


@pytest.mark.parametrize(("text", "said"), UNREADABLE.values(), ids=UNREADABLE)
def test_commands_and_programs_report_the_same_unreadable_files(
    folder: Path, text: str | None, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (folder / "stacks" / "Pulumi.test.yaml").write_text(text, encoding="latin-1" if "\xe9" in text else "utf-8")
    message = f"stacks/Pulumi.test.yaml cannot be read. Nothing was changed.\n\n{said}"
    assert run("images", monkeypatch, capsys) == (1, "", f"{message}\n")
    monkeypatch.setattr(pulumi_engine, "PROJECT", folder)
    monkeypatch.setattr(go_build, "official_engine", lambda: pytest.fail("It goes on."))
    with pytest.raises(pulumi_engine.EngineError) as failed:
        pulumi_engine.run("preview", "test")
    assert str(failed.value) == message


def test_section_without_a_namespace_belongs_to_the_project(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "stacks" / "Pulumi.test.yaml").write_text(CLUSTER + "  jobset:\n    replica: 2\n")
    code, printed, complained = run("images", monkeypatch, capsys)
    assert (code, printed) == (1, "")
    assert complained.startswith(
        "1 mistake in stacks/Pulumi.test.yaml. Nothing was changed.\n\n  jobset.replica (line 4) [STK-01]"
    )


FOREIGN = [
    ("training-plattform:runtimes", "training-platform:runtimes"),
    ("Training-Platform:runtimes", "training-platform:runtimes"),
    ("training_platform:runtime", "training-platform:runtimes"),
    ("acme:jobset", "training-platform:jobset"),
]


@pytest.mark.parametrize(("key", "meant"), FOREIGN)
def test_section_with_a_misspelled_namespace_is_an_error(
    folder: Path, key: str, meant: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "stacks" / "Pulumi.test.yaml").write_text(f"{CLUSTER}  {key}: {{}}\n")
    assert run("images", monkeypatch, capsys) == (
        1,
        "",
        f"1 mistake in stacks/Pulumi.test.yaml. Nothing was changed.\n\n  {key} (line 3) [STK-01]\n"
        f"    `{key.partition(':')[0]}` is not this project's namespace, so this key is ignored.\n"
        f"    Fix: Did you mean `{meant}`?\n",
    )


@pytest.mark.parametrize("key", ["gcp:project", "aws:region", "kubernetes:cluster", "pulumi:tags", "acme:project"])
def test_keys_of_other_namespaces_are_ignored(
    folder: Path, key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "stacks" / "Pulumi.test.yaml").write_text(f"{CLUSTER}  {key}: mine\n")
    assert run("check", monkeypatch, capsys) == (0, "test is valid.\n", "")


def test_local_chart_need_not_exist_for_a_check(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stack = folder / "stacks" / "Pulumi.test.yaml"
    stack.write_text(CLUSTER + "  training-platform:jobset: {chart: .local/charts/jobset, version: 0.8.2}\n")
    assert run("check", monkeypatch, capsys)[0] == 0
    (folder / ".local" / "charts" / "jobset").mkdir(parents=True)
    assert "[STK-06]" in run("check", monkeypatch, capsys)[1]


def test_content_that_the_engine_ignores_is_an_error(folder: Path) -> None:
    file = folder / "stacks" / "Pulumi.test.yaml"
    StackFile("test", "training-platform").require_readable()  # no such file: a program under mocks has none
    file.write_text(CLUSTER)
    StackFile("test", "training-platform").require_readable()
    file.write_text(CLUSTER + "---\nconfig: {}\n")
    with pytest.raises(pulumi.RunError, match="A second YAML document starts here"):
        StackFile("test", "training-platform").require_readable()

"""Where tests are: beside the module that they test, and what several of them use in modules of its own."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FILES = sorted((ROOT / "tests").rglob("*.py"))


def imported(file: Path) -> Iterator[str]:
    """The names of all modules that a file imports, and of what it imports from them."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=module, names=names):
                yield module or ""
                yield from (name.name for name in names)


def is_test_module(name: str) -> bool:
    return name.rpartition(".")[2].startswith("test_")


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_module_imports_a_test_module(file: Path) -> None:
    assert [name for name in imported(file) if is_test_module(name)] == []


def test_an_import_of_a_test_module_is_found(tmp_path: Path) -> None:
    file = tmp_path / "test_a.py"
    file.write_text(
        "from . import test_b\nfrom .test_c import D\nimport tests.test_e\nfrom .helper import test_data_of\n"
    )
    assert [name for name in imported(file) if is_test_module(name)] == [
        "test_b",
        "test_c",
        "tests.test_e",
        "test_data_of",
    ]

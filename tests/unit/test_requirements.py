"""Locks: everything that is installed has a hash, one version, and no other source than the one pip asks anyway."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent.parent
INPUTS = {"program": "requirements.txt"} | {
    each: f"requirements/{each}.txt" for each in ("aks", "bench", "dev", "docs", "eks", "gke", "go", "sbom", "types")
}
"""Lock of each file of inputs."""


def requirements(text: str) -> list[Requirement]:
    """The requirements of an input or a lock, without the lines that are options."""
    joined = re.sub(r"\\\n\s*", "", text)
    lines = [line.split("--hash")[0].partition("#")[0].strip() for line in joined.splitlines()]
    return [Requirement(line) for line in lines if line and not line.startswith("-")]


def pinned_version(requirement: Requirement) -> str:
    (specifier,) = requirement.specifier
    assert specifier.operator == "=="
    return specifier.version


def pins(file: str) -> dict[tuple[str, str], str]:
    """Version by package and marker: for another Python a package may have another one."""
    found = requirements((ROOT / file).read_text())
    return {(canonicalize_name(each.name), str(each.marker or "")): pinned_version(each) for each in found}


def test_every_input_has_a_lock() -> None:
    assert {path.stem for path in (ROOT / "requirements").glob("*.in")} == INPUTS.keys()
    assert {path.name for path in (ROOT / "requirements").glob("*.txt")} == {f"{each}.txt" for each in INPUTS} - {
        "program.txt"
    }


@pytest.mark.parametrize("lock", INPUTS.values())
def test_every_package_of_a_lock_has_hashes(lock: str) -> None:
    packages = re.split(r"\n(?=[a-z0-9])", (ROOT / lock).read_text())[1:]
    assert len(packages) == len(requirements((ROOT / lock).read_text()))
    assert [each for each in packages if not re.search(r"--hash=sha256:[0-9a-f]{64}", each)] == []


@pytest.mark.parametrize("lock", INPUTS.values())
def test_a_lock_names_no_index_and_builds_nothing_from_source(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert re.findall(r"\w+://|(?m:^ *(?:-i|-f|--index-url|--extra-index-url|--find-links))", text) == []
    assert "--only-binary :all:" in text.splitlines()


@pytest.mark.parametrize("each", INPUTS)
def test_a_lock_has_every_version_of_its_input(each: str) -> None:
    asked, locked = pins(f"requirements/{each}.in"), pins(INPUTS[each])
    assert asked
    assert {name: locked.get(name) for name in asked} == asked


@pytest.mark.parametrize("lock", sorted({*INPUTS.values()} - {"requirements/go.txt"}))
def test_a_lock_has_the_program(lock: str) -> None:
    program, locked = pins("requirements.txt"), pins(lock)
    assert {name: locked.get(name) for name in program} == program


def test_a_package_has_one_version_in_all_locks() -> None:
    versions: dict[tuple[str, str], set[str]] = {}
    for lock in INPUTS.values():
        for package, version in pins(lock).items():
            versions.setdefault(package, set()).add(version)
    assert {package: found for package, found in versions.items() if len(found) > 1} == {}


def test_a_version_is_written_in_one_input() -> None:
    written = [name for each in INPUTS for name in pins(f"requirements/{each}.in")]
    assert sorted(written) == sorted(set(written))


def test_the_project_installs_nothing_without_a_hash() -> None:
    files = [ROOT / "Makefile", ROOT / ".ci" / "run", *(ROOT / "tools").rglob("*.py"), *(ROOT / "bench").rglob("*.py")]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text() for path in files}
    installing = {path: text for path, text in texts.items() if re.search(r"pip\b.*\binstall\b", text)}
    assert "Makefile" in installing
    assert [path for path, text in installing.items() if "--require-hashes" not in text] == []
    makefile = texts["Makefile"]
    assert len(re.findall(r"pip install", makefile)) == 1
    assert re.search(r"^PIP := -m pip install .*--require-hashes --only-binary :all:$", makefile, re.MULTILINE)

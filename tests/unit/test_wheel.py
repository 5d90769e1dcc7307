"""What the wheel is made of, beside what is there."""

import re
import tomllib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from hatchling.build import build_wheel
from packaging.requirements import Requirement

from components.gpu_node_pool.cloud_sdk import install_command
from components.validation.extras import EXTRAS

ROOT = Path(__file__).parent.parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
CLOUDS = ("aks", "eks", "gke")


def pins(file: str) -> dict[str, str]:
    """Exact versions that a file of inputs has, by package."""
    return dict(re.findall(r"^([\w-]+)==(.+)$", (ROOT / file).read_text(), re.MULTILINE))


def packages(extra: str) -> list[Requirement]:
    """What an extra brings, but for other extras."""
    asked = map(Requirement, PROJECT["project"]["optional-dependencies"][extra])
    return [each for each in asked if each.name != "training-platform"]


def test_the_wheel_has_every_file_of_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with ZipFile(tmp_path / build_wheel(str(tmp_path))) as wheel:
        packed = {name.partition("/")[2] for name in wheel.namelist() if name.startswith("training_platform/")}
    there = {
        path.relative_to(ROOT / "components").as_posix()
        for path in (ROOT / "components").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {"__init__.py", "py.typed", "gpu_node_pool/machines.json"} <= there
    assert packed == there


def test_the_versions_of_this_project_are_among_those_of_the_wheel() -> None:
    pinned = pins("requirements/program.in")
    asked = [*map(Requirement, PROJECT["project"]["dependencies"]), *packages("pulumi"), *packages("official-models")]
    assert {each.name for each in asked} == pinned.keys()
    assert [each.name for each in asked if pinned[each.name] not in each.specifier] == []


@pytest.mark.parametrize("cloud", CLOUDS)
def test_an_extra_brings_what_the_pools_of_a_cloud_need(cloud: str) -> None:
    (asked,) = packages(cloud)
    ((name, version),) = pins(f"requirements/{cloud}.in").items()
    assert asked.name == name
    assert version in asked.specifier


def test_a_cloud_brings_pulumi_and_pulumi_the_official_models() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    assert sorted(extras) == sorted([*CLOUDS, *EXTRAS])
    assert all("training-platform[pulumi]" in extras[cloud] for cloud in CLOUDS)
    assert "training-platform[official-models]" in extras["pulumi"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_brings_the_modules_that_it_is_asked_for(extra: str) -> None:
    names = {each.name.replace("-", "_") for each in packages(extra)}
    assert names == {*EXTRAS[extra]}


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("components.gpu_node_pool.cloud_sdk", "pip install -r requirements/gke.txt"),
        ("training_platform.gpu_node_pool.cloud_sdk", "pip install 'training-platform[gke]'"),
    ],
)
def test_what_to_install_is_said_for_the_program_that_runs(module: str, command: str) -> None:
    assert install_command("gke", module) == command

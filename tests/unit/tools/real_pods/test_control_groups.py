"""Control groups of both versions: where they are made, and that a kubelet finds its controllers there."""

from pathlib import Path

import pytest

from tools.real_pods import control_groups


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(control_groups, "ROOT", tmp_path)
    return tmp_path


def test_with_version_1_a_group_is_made_in_the_hierarchy_of_each_controller(root: Path) -> None:
    for name in ("cpu", "memory"):
        (root / name).mkdir()
        (root / name / "tasks").touch()
    (root / "unified").mkdir()
    (root / "unified" / "cgroup.procs").touch()

    control_groups.make("box/node")

    assert {path.relative_to(root) for path in root.glob("*/box/node")} == {
        Path("cpu/box/node"),
        Path("memory/box/node"),
    }
    assert sorted(control_groups.named("box")) == [root / "cpu/box", root / "memory/box"]


def unified(group: Path, controllers: str, passed_on: str) -> None:
    """A group of version 2, as the kernel shows it."""
    group.mkdir(parents=True, exist_ok=True)
    (group / "cgroup.procs").touch()
    (group / "cgroup.controllers").write_text(controllers)
    (group / "cgroup.subtree_control").write_text(passed_on)


def test_with_version_2_every_group_above_passes_its_controllers_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[tuple[Path, str]] = []
    unified(root, "cpuset cpu io memory pids", "memory")
    unified(root / "box", "cpuset cpu memory pids", "")

    def write(path: Path, text: str) -> None:
        written.append((path.relative_to(root), text))

    monkeypatch.setattr(Path, "write_text", write)
    control_groups.make("box/node")

    assert (root / "box/node").is_dir()
    assert written == [
        *((Path("cgroup.subtree_control"), f"+{name}") for name in ("cpu", "cpuset", "pids")),
        *((Path("box/cgroup.subtree_control"), f"+{name}") for name in ("cpu", "cpuset", "memory", "pids")),
    ]
    assert control_groups.named("box") == [root / "box"]

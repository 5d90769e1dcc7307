"""The platform as a user has it: a copy of the project in a folder of its own, and the commands of the README."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client, config, dynamic

from tools.workspace import copy_into


@dataclass(frozen=True)
class Platform:
    """One checkout with its own local cluster and state, and the programs that were built once for all."""

    project: Path

    @property
    def kubeconfig(self) -> Path:
        return self.project / ".local" / "kubeconfig"

    @property
    def stack_file(self) -> Path:
        return self.project / "stacks" / "Pulumi.local.yaml"

    def start(self, command: str, *arguments: str) -> subprocess.Popen[str]:
        """Start `python -m tools <command>`; its cluster goes when this test process does."""
        # Where these tests run in the background, a shell has made them deaf to Ctrl-C, and their children with them.
        return subprocess.Popen(
            ["/usr/bin/env", "--default-signal=INT", sys.executable, "-m", "tools", command, *arguments],
            cwd=self.project,
            env=os.environ | {"TRAINING_PLATFORM_OWNER": str(os.getpid())},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        process = self.start(command, *arguments)
        output, _ = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, output, "")

    def succeed(self, command: str, *arguments: str) -> str:
        """Run it, and fail the test with what it printed unless it succeeds."""
        done = self.run(command, *arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def edit(self, **sections: Any) -> None:
        """Write sections of the stack file; None takes one out."""
        content = yaml.safe_load(self.stack_file.read_text())
        for name, value in sections.items():
            key = f"training-platform:{name}"
            if value is None:
                content["config"].pop(key)
            else:
                content["config"][key] = value
        self.stack_file.write_text(yaml.safe_dump(content, sort_keys=False))

    def sections(self, *names: str) -> dict[str, Any]:
        """Sections of the stack file."""
        config = yaml.safe_load(self.stack_file.read_text())["config"]
        return {name: config[f"training-platform:{name}"] for name in names}

    def cluster(self) -> dynamic.DynamicClient:
        """A client for any kind of object."""
        return dynamic.DynamicClient(config.new_client_from_config(str(self.kubeconfig)))

    def names(self, api_version: str, kind: str) -> list[str]:
        """The names of all objects of a kind, sorted."""
        resource = self.cluster().resources.get(api_version=api_version, kind=kind)
        return sorted(item.metadata.name for item in resource.get().items)

    def revision(self) -> int:
        """The cluster's revision; it grows with every change of any object."""
        return int(
            client.CoreV1Api(config.new_client_from_config(str(self.kubeconfig)))
            .list_namespace()
            .metadata.resource_version
        )


def copy_project(folder: Path) -> Platform:
    project = folder / "training-platform"
    copy_into(project)
    return Platform(project)


def brought_up(folder: Path) -> Iterator[Platform]:
    """A platform that is up in a copy of the project, and down afterwards."""
    platform = copy_project(folder)
    platform.succeed("up")
    yield platform
    platform.run("down")


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Platform]:
    """A fresh checkout; whatever the test leaves running is stopped."""
    platform = copy_project(tmp_path)
    yield platform
    platform.run("down")


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """A platform that is up, for tests that only use it."""
    yield from brought_up(tmp_path_factory.mktemp("platform"))


@pytest.fixture(scope="session")
def changed_platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """A platform that is up, for tests that change it. Each brings it up again as it needs it."""
    yield from brought_up(tmp_path_factory.mktemp("changed"))

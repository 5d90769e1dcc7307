"""Copies of the project for measurements: with our program, or with a bare program as `__main__.py`."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from bench.mock_engine import PROJECT as PROJECT_NAME
from bench.mock_engine import STACK
from bench.timing import USER_ENVIRONMENT, seconds
from tools.workspace import copy_into


class CommandFailedError(Exception):
    """A measured command failed. The message is its output."""


@dataclass(frozen=True)
class Checkout:
    """A copy of the project, with its own stack and state."""

    folder: Path

    @classmethod
    def in_folder(cls, folder: Path) -> "Checkout":
        """A new copy in a folder. It shares the built programs."""
        copy_into(folder, "tests")
        return cls(folder)

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig of the cluster that it started."""
        return self.folder / ".local" / "kubeconfig"

    def configure(self, sections: Mapping[str, Any]) -> None:
        """Write the stack file."""
        content = {"config": {f"{PROJECT_NAME}:{name}": value for name, value in sections.items()}}
        (self.folder / "stacks" / f"Pulumi.{STACK}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))

    def sections(self, stack: str) -> dict[str, Any]:
        """The sections of a stack file."""
        config = yaml.safe_load((self.folder / "stacks" / f"Pulumi.{stack}.yaml").read_text())["config"]
        return {key.partition(":")[2]: value for key, value in config.items()}

    def program(self, file: Path, resources: Mapping[str, Any]) -> None:
        """Replace our program with another one and the resources that it registers."""
        shutil.copy(file, self.folder / "__main__.py")
        (self.folder / "resources.json").write_text(json.dumps(resources))

    def registered(self, sections: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What its program registers for these sections, without an engine."""
        (self.folder / "config.json").write_text(json.dumps(sections))
        left = self.folder / "registered.json"
        code = "import json, pathlib; from bench import mock_engine; "
        code += f"pathlib.Path({left.name!r}).write_text(json.dumps(mock_engine.from_file()))"

        self._run(sys.executable, "-c", code)
        found: list[dict[str, Any]] = json.loads(left.read_text())
        return found

    def tools(self, command: str, *arguments: str) -> str:
        """Run `python -m tools` and return its output. Raises CommandFailedError."""
        return self._run(sys.executable, "-m", "tools", command, *arguments)

    def timed(self, operation: str) -> float:
        """Seconds that an operation of the engine takes on its stack, from the command line."""
        return seconds(lambda: self.tools(operation, "--stack", STACK, "--yes"))

    def _run(self, *command: str) -> str:
        state = self.folder / ".local" / "state"
        state.mkdir(exist_ok=True)
        backend = {
            "PULUMI_BACKEND_URL": f"file://{state}",
            "PULUMI_CONFIG_PASSPHRASE": STACK,
            "PULUMI_HOME": str(self.folder / ".local" / "pulumi"),
            "TRAINING_PLATFORM_OWNER": str(os.getpid()),
            "NO_PROXY": "127.0.0.1,localhost",
        }
        return run(command, self.folder, backend)


def run(command: Sequence[str], folder: Path, variables: Mapping[str, str] = {}) -> str:
    """Run a command in a folder and return its output. Raises CommandFailedError."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | USER_ENVIRONMENT | dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise CommandFailedError(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


@contextmanager
def cluster() -> Iterator[Checkout]:
    """A checkout with a running cluster of its own and nothing deployed. The cluster is deleted afterwards."""
    with TemporaryDirectory(prefix="bench-") as folder:
        checkout = Checkout.in_folder(Path(folder) / PROJECT_NAME)
        checkout.tools("start")
        try:
            yield checkout
        finally:
            checkout.tools("down")

"""The stacks of three teams, deployed under mocks: GPU nodes, operators, runtimes."""

from pathlib import Path
from typing import Any

import yaml

from stacks.deploy import deploy
from stacks.settings.load import load_sections
from stacks.settings.resolve import ResolvedStack, resolve
from stacks.settings.stack_file import StackFile

from .monitor import Monitor, Outside, run

STACKS = Path(__file__).parent.parent.parent / "stacks"
PROVIDER = "pulumi:providers:kubernetes"


def resolved(stack: str, **changed: Any) -> ResolvedStack:
    """A stack of this project, with other sections."""
    config = yaml.safe_load((STACKS / f"Pulumi.{stack}.yaml").read_text())["config"]
    sections = {key.removeprefix("training-platform:"): value for key, value in config.items()} | changed
    return resolve(load_sections(sections, StackFile("test", "training-platform")))


def deployed(
    stack: str, outside: Outside | None = None, preview: bool = False, monitor: Monitor | None = None, **changed: Any
) -> Monitor:
    made = resolved(stack, **changed)
    return run(lambda: deploy(made), preview=preview, monitor=monitor or Monitor(outside))


def kinds(monitor: Monitor) -> list[str]:
    return sorted({each.type for each in monitor.registered.values()})

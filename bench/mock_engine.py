"""Runs a program without an engine: Pulumi's mocks answer its registrations in this process."""

import inspect
import json
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime import mocks

PROJECT = "training-platform"
STACK = "bench"

# Pulumi's mocks are not typed.
_run_and_wait: Any = mocks.test


class _Echo(mocks.Mocks):
    def __init__(self) -> None:
        self.registered: list[dict[str, Any]] = []

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        self.registered.append({"type": args.typ, "name": args.name, "inputs": args.inputs})
        return f"{args.name}-id", args.inputs

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[Any, Any], list[tuple[str, str]] | None]:
        raise AssertionError(f"unexpected function call: {args.token}")


def run(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Run `__main__.py` of this folder with this config, by section. Returns the registrations in order."""
    echo = _Echo()
    mocks.set_mocks(echo, project=PROJECT, stack=STACK)
    pulumi.runtime.set_all_config({f"{PROJECT}:{name}": json.dumps(value) for name, value in config.items()})
    main = runpy.run_path("__main__.py")["main"]

    def program() -> Any:
        made = main()
        return made if inspect.isawaitable(made) else None

    _run_and_wait(program)()
    return echo.registered


def from_file() -> list[dict[str, Any]]:
    """Run it with the config in `config.json`."""
    config: Mapping[str, Any] = json.loads(Path("config.json").read_text())
    return run(config)

"""The Pulumi engine: runs `__main__.py` for a stack, by the official CLI where there is one, else by the built engine.

An official CLI brings the Python language host. The engine that is built here has none, so the same program runs inline
in this process through the Automation API, on the same backend and state, for the same stack file.
"""

import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools import BIN, LOCAL, PROJECT, STATE, go_build
from tools.processes import is_alive

PROJECT_NAME = "training-platform"
LOCAL_STACK = "local"
PASSPHRASE = "local"  # noqa: S105 - of a stack without secrets, whose encryption salt is in stacks/Pulumi.local.yaml


NO_BACKEND = """Nothing says where the state of the stack {stack} is kept. Nothing was changed.
  Fix: `pulumi login`, or set PULUMI_BACKEND_URL (file:///a/folder, s3://..., https://api.pulumi.com with
  PULUMI_ACCESS_TOKEN); with a folder or a bucket PULUMI_CONFIG_PASSPHRASE as well."""

PROVIDER_WARNINGS = ("using pulumi-resource-kubernetes from $PATH", "is expected to have version")
"""What the engine says of the provider that is built here, and would say again for each that a stack has."""


class EngineError(Exception):
    """The engine ended with an error; the message says which, or that the engine has printed it itself."""


def environment(stack: str) -> dict[str, str]:
    """The variables with which the engine finds the stack's state.

    The local stack's is a folder of this checkout, which goes when its cluster does. For another stack the caller's own
    environment counts: `pulumi login`, or PULUMI_BACKEND_URL and the like, as in any Pulumi project.
    """
    if stack != LOCAL_STACK:
        return {}
    return {
        "PULUMI_BACKEND_URL": f"file://{STATE}",
        "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
        "PULUMI_HOME": str(LOCAL / "pulumi"),
    }


def run(operation: str, stack: str, confirmed: bool = False) -> None:
    """Run `up`, `preview`, `refresh` or `destroy` for the stack, showing what the engine shows.

    Args:
        operation: Which of the four.
        stack: Whose.
        confirmed: Whether to change it without a question. The local stack's changes need none.

    Raises:
        EngineError: The operation did not succeed, or was not confirmed.
    """
    os.chdir(PROJECT)  # where programs run
    _require_readable(stack)
    if operation != "preview" and stack != LOCAL_STACK and not confirmed:
        if operation == "up":
            run("preview", stack)
        _confirm(operation, stack)
    variables = environment(stack) | {"PULUMI_SKIP_UPDATE_CHECK": "true"}
    if stack == LOCAL_STACK:
        STATE.mkdir(parents=True, exist_ok=True)
        if unlock(stack) and operation in {"up", "preview"}:
            # What it was deleting is gone, and the state has it still: as Pulumi asks for after such an end.
            run("refresh", stack)
    official = go_build.official_engine()
    if official is None:
        go_build.build(go_build.ENGINE)
    with _temporary_directory() as scratch:
        variables |= {"TMPDIR": scratch}
        if official is not None:
            _run_official(official, operation, stack, variables)
        else:
            _run_inline(operation, stack, variables)


@contextmanager
def _temporary_directory() -> Iterator[str]:
    """A folder for what the engine leaves behind: the Kubernetes provider does a kubeconfig, credentials and all, for
    each of its runs. It goes afterwards; one of a process that was killed goes when the next one comes."""
    for left in LOCAL.glob("scratch-*"):
        pid = left.name.split("-")[1]
        if not (pid.isdecimal() and is_alive(int(pid))):
            shutil.rmtree(left, ignore_errors=True)
    LOCAL.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=LOCAL, prefix=f"scratch-{os.getpid()}-") as folder:
        yield folder


def unlock(stack: str) -> bool:
    """Take off the lock of an engine that was killed, if so; only the local stack's state is sure to be used here
    alone."""
    killed = False
    for lock in STATE.glob(f".pulumi/locks/organization/{PROJECT_NAME}/{stack}/*.json"):
        holder = _holder(lock)
        if holder is None or not is_engine(holder):
            lock.unlink()
            killed = True
            print("The engine was killed during its last operation. The state is refreshed first.")
    return killed


def _holder(lock: Path) -> int | None:
    """The process that holds a lock of the engine. None: the file is damaged, as a machine that stops may leave it."""
    try:
        return int(json.loads(lock.read_text())["pid"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def is_engine(pid: int) -> bool:
    """Whether a process of that number runs, and is an engine."""
    try:
        return is_alive(pid) and Path(f"/proc/{pid}/comm").read_text().startswith("pulumi")
    except OSError:
        return False


def _confirm(operation: str, stack: str) -> None:
    if not sys.stdin.isatty():
        raise EngineError(f"`{operation}` changes the stack {stack}, and nobody is there to confirm it: say YES=1.")
    if input(f"`{operation}` changes the stack {stack}. Type its name to go on: ") != stack:
        raise EngineError("Nothing was changed.")


def _require_readable(stack: str) -> None:
    """The engine's own message for a stack file that is missing or no YAML names neither the file nor what to do."""
    from stacks.settings.stack_file import StackFile, StackFileError

    try:
        StackFile(stack, PROJECT_NAME).config()
    except StackFileError as error:
        raise EngineError(str(error)) from error


def is_first_occurrence(line: str, said: set[str]) -> bool:
    """Whether a line of the engine's output is none of those that one run says many times, or `said` has it not yet,
    to which it is added."""
    about_it = {each for each in PROVIDER_WARNINGS if each in line}
    new = not about_it & said
    said |= about_it
    return new


def _options(operation: str, stack: str) -> dict[str, Any]:
    """What the engine is asked for besides, as the Automation API names it."""
    if operation == "destroy":
        return {"run_program": True}  # for what it looks at before anything is removed
    if operation == "refresh" and stack == LOCAL_STACK:
        return {"clear_pending_creates": True}  # what a killed engine was making is taken over by the next `up`
    return {}


def _run_official(pulumi: Path, operation: str, stack: str, variables: Mapping[str, str]) -> None:
    command = [operation, "--stack", stack, "--non-interactive", *([] if operation == "preview" else ["--yes"])]
    command += [f"--{option.replace('_', '-')}" for option in _options(operation, stack)]
    everything = os.environ | variables
    for arguments in (["stack", "select", "--create", stack], command):
        if subprocess.run([str(pulumi), *arguments], cwd=PROJECT, env=everything, check=False).returncode != 0:
            raise EngineError("The engine did not succeed: see above.")


def _run_inline(operation: str, stack: str, variables: Mapping[str, str]) -> None:
    import pulumi
    from pulumi import automation
    from pulumi.automation import errors

    from stacks.settings.errors import InvalidSettingsError

    mistakes: list[InvalidSettingsError] = []

    main = runpy.run_path(str(PROJECT / "__main__.py"))["main"]

    async def program() -> None:
        try:
            for name, value in (await main()).items():
                pulumi.export(name, value)
        except InvalidSettingsError as error:
            mistakes.append(error)
            raise

    said: set[str] = set()

    def show(line: str) -> None:
        # The engine reports what an inline program raises twice; a user's mistakes are told once, below.
        if not mistakes and is_first_occurrence(line, said):
            print(line, flush=True)

    os.environ["PATH"] = f"{BIN}{os.pathsep}{os.environ['PATH']}"  # where the engine finds its provider
    workspace = automation.LocalWorkspaceOptions(
        work_dir=str(PROJECT),
        env_vars=dict(variables),
        pulumi_command=automation.PulumiCommand(str(LOCAL)),
        pulumi_home=variables.get("PULUMI_HOME"),
    )
    try:
        target = automation.create_or_select_stack(stack, PROJECT_NAME, program, opts=workspace)
    except errors.CommandError as error:
        if "PULUMI_ACCESS_TOKEN" in str(error):
            raise EngineError(NO_BACKEND.format(stack=stack)) from error
        raise EngineError(str(error)) from error
    try:
        if operation == "destroy" and not (target.export_stack().deployment or {}).get("resources"):
            print("There is nothing to destroy.")  # the program, which runs for it, would first make what is to go
            return
        getattr(target, operation)(on_output=show, on_error=show, **_options(operation, stack))
    except errors.CommandError as error:
        raise EngineError(str(mistakes[0]) if mistakes else "The engine did not succeed: see above.") from error

"""Runs `__main__.py` for a stack with the Pulumi engine: the official CLI if there is one, or else the built engine.

An official CLI has the Python language host. The built engine has none, so the program runs inline in this process
through the Automation API, with the same backend, state and stack file.
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

from tools import BIN, LOCAL, PROJECT, STATE, go_build
from tools.processes import is_alive

PROJECT_NAME = "training-platform"
LOCAL_STACK = "local"
PASSPHRASE = "local"  # noqa: S105 - of a stack without secrets, whose encryption salt is in stacks/Pulumi.local.yaml


NO_BACKEND = """No backend is set for the state of stack {stack}. Nothing was changed.
  Fix: Run `pulumi login`, or set PULUMI_BACKEND_URL (file:///a/folder, s3://..., https://api.pulumi.com with
  PULUMI_ACCESS_TOKEN). For a folder or bucket, set PULUMI_CONFIG_PASSPHRASE as well."""

PROVIDER_WARNINGS = ("using pulumi-resource-kubernetes from $PATH", "is expected to have version")
"""Warnings of the engine about the built provider, which it repeats for each provider of a stack."""


class EngineError(Exception):
    """The engine failed. The message says why, or that the engine has printed it."""


def environment(stack: str) -> dict[str, str]:
    """The variables with which the engine finds the stack's state.

    The local stack's state is a folder of this checkout, which is deleted with its cluster. For other stacks the
    caller's environment applies, as in any Pulumi project: `pulumi login`, PULUMI_BACKEND_URL and so on.
    """
    if stack != LOCAL_STACK:
        return {}
    return {
        # Without `metadata=skip`, the engine also writes `local.json.attrs`, not atomically. If it is killed meanwhile,
        # the state cannot be loaded any more: "failed to load checkpoint: EOF" (gocloud.dev, blob/fileblob/attrs.go).
        "PULUMI_BACKEND_URL": f"file://{STATE}?metadata=skip",
        "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
        "PULUMI_HOME": str(LOCAL / "pulumi"),
    }


def run(operation: str, stack: str, confirmed: bool = False) -> None:
    """Run `up`, `preview`, `refresh` or `destroy` for a stack and show the engine's output.

    Args:
        operation: One of the four.
        stack: Name of the stack.
        confirmed: Whether to change it without asking. Changes of the local stack are never asked about.

    Raises:
        EngineError: The operation failed or was not confirmed.
    """
    os.chdir(PROJECT)  # as the engine does for a program
    _require_readable(stack)
    if operation != "preview" and stack != LOCAL_STACK and not confirmed:
        if operation == "up":
            run("preview", stack)
        _confirm(operation, stack)
    variables = environment(stack) | {"PULUMI_SKIP_UPDATE_CHECK": "true"}
    if stack == LOCAL_STACK:
        STATE.mkdir(mode=0o700, parents=True, exist_ok=True)
        if unlock(stack) and operation in {"up", "preview"}:
            # The state may still list objects that the killed engine had deleted.
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


def remove_left_folders() -> None:
    """Delete the temporary folders of processes that have ended, and of shells that read theirs from `env`."""
    for left in LOCAL.glob("scratch-*"):
        pid = left.name.split("-")[1]
        if not (pid.isdecimal() and is_alive(int(pid))):
            shutil.rmtree(left, ignore_errors=True)


@contextmanager
def _temporary_directory() -> Iterator[str]:
    """A temporary folder for the engine, because the provider leaves kubeconfigs with credentials there. It is deleted
    afterwards; that of a killed process is deleted by the next run."""
    remove_left_folders()
    LOCAL.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=LOCAL, prefix=f"scratch-{os.getpid()}-") as folder:
        yield folder


def unlock(stack: str) -> bool:
    """Remove the lock of a killed engine, if any. Returns whether there was one. Only for the local stack, whose state
    is used by this checkout alone."""
    killed = False
    for lock in STATE.glob(f".pulumi/locks/organization/{PROJECT_NAME}/{stack}/*.json"):
        holder = _holder(lock)
        if holder is None or not is_engine(holder):
            lock.unlink()
            killed = True
            print("The engine was killed during its last operation. The state is refreshed first.")
    return killed


def _holder(lock: Path) -> int | None:
    """The process that holds a lock of the engine. None: the file is damaged, for example by a crash of the machine."""
    try:
        return int(json.loads(lock.read_text())["pid"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def is_engine(pid: int) -> bool:
    """Whether a process with this pid runs and is an engine."""
    try:
        return is_alive(pid) and Path(f"/proc/{pid}/comm").read_text().startswith("pulumi")
    except OSError:
        return False


def _confirm(operation: str, stack: str) -> None:
    if not sys.stdin.isatty():
        raise EngineError(f"`{operation}` of stack {stack} needs a confirmation, and there is no terminal. Set YES=1.")
    if input(f"`{operation}` changes stack {stack}. Type its name to continue: ") != stack:
        raise EngineError("Nothing was changed.")


def _require_readable(stack: str) -> None:
    """Raise an EngineError with our message for an unreadable stack file. The engine's own names neither the file nor a
    fix."""
    from stacks.settings.stack_file import StackFile, StackFileError

    try:
        StackFile(stack, PROJECT_NAME).config()
    except StackFileError as error:
        raise EngineError(str(error)) from error


def is_first_occurrence(line: str, said: set[str]) -> bool:
    """Whether a line of the engine's output should be shown: it is not one of PROVIDER_WARNINGS, or that warning is not
    in `said` yet, to which it is added."""
    about_it = {each for each in PROVIDER_WARNINGS if each in line}
    new = not about_it & said
    said |= about_it
    return new


def _options(operation: str, stack: str) -> dict[str, bool]:
    """Further options of an operation, with the names of the Automation API."""
    # The hooks of the program check before anything is deleted.
    options = {"run_program": True} if operation == "destroy" else {}
    if operation == "refresh" and stack == LOCAL_STACK:
        options["clear_pending_creates"] = True  # the next `up` takes over what a killed engine was creating
    return options


def _run_official(pulumi: Path, operation: str, stack: str, variables: Mapping[str, str]) -> None:
    command = [operation, "--stack", stack, "--non-interactive", *([] if operation == "preview" else ["--yes"])]
    command += [f"--{option.replace('_', '-')}" for option in _options(operation, stack)]
    everything = os.environ | variables
    for arguments in (["stack", "select", "--create", stack], command):
        if subprocess.run([str(pulumi), *arguments], cwd=PROJECT, env=everything, check=False).returncode != 0:
            raise EngineError("The engine failed; see above.")


def _run_inline(operation: str, stack: str, variables: Mapping[str, str]) -> None:
    import pulumi
    from pulumi import automation
    from pulumi.automation import errors

    from stacks.settings.error_report import InvalidSettingsError

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
        # The engine reports an exception of an inline program twice. A user's mistakes are reported once, below.
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
            print("There is nothing to destroy.")  # the program would run, and first create what is to be destroyed
            return
        getattr(target, operation)(on_output=show, on_error=show, **_options(operation, stack))
    except errors.CommandError as error:
        raise EngineError(str(mistakes[0]) if mistakes else "The engine failed; see above.") from error

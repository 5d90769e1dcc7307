"""The images of trainings, built from Debian packages. No image registry is used."""

import hashlib
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.real_pods import IMAGES, image_archive

MIRROR = "http://deb.debian.org/debian"
MPI_PACKAGES = ("openssh-server", "openmpi-bin", "python3-mpi4py", "python-is-python3")
FRAMEWORK_PACKAGES = (
    "python3-torch",
    # What DeepSpeed imports beside it (its requirements/requirements.txt).
    *(
        f"python3-{name}"
        for name in ("cpuinfo", "einops", "msgpack", "numpy", "packaging", "psutil", "pydantic", "tqdm")
    ),
)
FRAMEWORK_HOOKS = (
    # MLX opens libmpi.so by that name. In Debian the link is in libopenmpi-dev, which brings a compiler.
    'cd "$1"/usr/lib/*-linux-gnu && ln -s libmpi.so.40 libmpi.so',
    # Debian's PyTorch 2.6 is built without libuv. USE_LIBUV=0 says so, but is not read in these two places.
    'cd "$1"/usr/lib/python3/dist-packages/torch/distributed && '
    'sed -i "s/multi_tenant=True/&, use_libuv=False/" elastic/rendezvous/static_tcp_rendezvous.py && '
    'sed -i "s/is_master=False/&, use_libuv=False/" rendezvous.py',
)
FOLDER = Path(__file__).parent
FILES = FOLDER / "image"
"""Files that are copied over the packages, as paths in the image."""

PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class ImageBuildError(Exception):
    """An image could not be built. The message names it and its log."""


@dataclass(frozen=True)
class Image:
    """An image with sshd, mpirun, Python and mpi4py, and the user mpiuser as in Trainer's MPI images.

    Attributes:
        name: Its name for pods. No registry serves it.
        suite: The Debian release of its packages.
        python: Its Python version, as wheels name it.
        packages: Debian packages, without their dependencies.
        requirements: File next to this one that pins its Python packages. None: it has none.
        hooks: Shell commands that change its files. `$1` is their folder.
        command: Default command of its containers.
    """

    name: str
    suite: str
    python: str
    packages: tuple[str, ...]
    requirements: str | None = None
    hooks: tuple[str, ...] = ()
    command: tuple[str, ...] = ("bash",)

    @property
    def archive(self) -> Path:
        """Path of the archive. The name contains a hash of everything that it is built from."""
        return IMAGES / f"{self._stem}-{self._digest()}.tar"

    @property
    def versions(self) -> Path:
        """File next to the archive with the version of every package in it."""
        return self.archive.with_suffix(".versions")

    @property
    def _stem(self) -> str:
        return self.name.rpartition("/")[2].replace(":", "-")

    def _digest(self) -> str:
        files = [file.read_bytes() for file in sorted(FILES.rglob("*")) if file.is_file()]
        pinned = [(FOLDER / self.requirements).read_bytes()] if self.requirements else []
        made_from = repr((self, self._command(Path("files"), Path("wheels"), Path("versions")))).encode()
        return hashlib.sha256(b"".join([made_from, *pinned, *files])).hexdigest()[:12]

    def _command(self, files: Path, wheels: Path, versions: Path) -> list[str]:
        """A command that prints the image's file system as a tar archive and writes the versions of its packages."""
        excluded = ("doc", "info", "locale", "man")
        return [
            "mmdebstrap",
            "--variant=minbase",
            *(f"--dpkgopt=path-exclude=/usr/share/{folder}/*" for folder in excluded),
            f"--include={','.join(self.packages)}",
            f"--customize-hook=sync-in {files} /",
            f"--customize-hook=sync-in {wheels} /usr/local/lib/python{self.python}/dist-packages",
            *(f"--customize-hook={hook}" for hook in self.hooks),
            '--customize-hook=chroot "$1" useradd --uid 1000 --shell /bin/bash mpiuser',
            '--customize-hook=chroot "$1" chown -R mpiuser: /home/mpiuser',
            f"--customize-hook=chroot \"$1\" dpkg-query --show --showformat '${{Package}} ${{Version}}\\n' >{versions}",
            self.suite,
            "-",
            MIRROR,
        ]

    def make(self) -> None:
        """Build the archive, unless it exists."""
        if self.archive.exists():
            return
        print(f"Building image {self.name} from packages of Debian {self.suite} ...", flush=True)
        IMAGES.mkdir(parents=True, exist_ok=True)
        for outdated in IMAGES.glob(f"{self._stem}-*"):
            shutil.rmtree(outdated) if outdated.is_dir() else outdated.unlink()
        layer, log, wheels = (self.archive.with_suffix(f".{kind}") for kind in ("layer", "log", "wheels"))
        wheels.mkdir()
        with layer.open("wb") as target, log.open("wb") as errors:
            if self.requirements:
                self._run(self._install(wheels, FOLDER / self.requirements), errors.fileno(), errors.fileno(), log)
            self._run(self._command(FILES, wheels, self.versions), target.fileno(), errors.fileno(), log)
        with self.versions.open("a") as versions:
            versions.write("".join(f"{path.stem.replace('-', ' ')}\n" for path in sorted(wheels.glob("*.dist-info"))))
        partial = self.archive.with_suffix(".partial")
        image_archive.write(partial, self.name, layer, {"Cmd": list(self.command), "Env": [PATH]})
        layer.unlink()
        shutil.rmtree(wheels)
        partial.replace(self.archive)

    def _install(self, wheels: Path, requirements: Path) -> list[str]:
        """A command that installs the Python packages into a folder, for the image's Python."""
        return [
            *(sys.executable, "-m", "pip", "install", "--no-deps", "--no-compile", "--require-hashes"),
            *("--disable-pip-version-check", "--target", str(wheels), "--requirement", str(requirements)),
            *("--python-version", self.python, "--platform", f"manylinux_2_35_{platform.machine()}"),
        ]

    def _run(self, command: list[str], output: int, errors: int, log: Path) -> None:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, check=False)
        if done.returncode != 0:
            last = "\n".join(log.read_text(errors="replace").splitlines()[-5:])
            program = Path(command[0]).name
            raise ImageBuildError(
                f"Image {self.name} could not be built. Last lines of {program}:\n{last}\nFull log: {log}"
            )


OPENMPI_4 = Image("localhost/openmpi:4", "bookworm", "3.11", MPI_PACKAGES, command=("sleep", "infinity"))
"""Open MPI 4.1, which Trainer supports. Its containers also hold the namespaces of pods."""

FRAMEWORKS = Image(
    "localhost/frameworks:1", "trixie", "3.13", MPI_PACKAGES + FRAMEWORK_PACKAGES, "frameworks.txt", FRAMEWORK_HOOKS
)
"""Open MPI 5, and PyTorch, DeepSpeed and MLX for CPUs."""

ALL = (OPENMPI_4, FRAMEWORKS)

"""The images that pods run: made from Debian packages, since no registry of images is asked for anything."""

import hashlib
import json
import platform
import subprocess
import tarfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from tools.pods import IMAGES

MIRROR = "http://deb.debian.org/debian"
PACKAGES = ("openssh-server", "openmpi-bin", "python3-mpi4py", "python-is-python3")
FILES = Path(__file__).parent / "image"
"""What is laid over the packages, as paths in the image."""

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
"""What images call the machines that the kernel calls otherwise."""

PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class ImageFailed(Exception):
    """An image could not be made; the message names it, and where its log is."""


@dataclass(frozen=True)
class Image:
    """An image with sshd, mpirun, Python and mpi4py, and the user mpiuser as in Trainer's MPI images.

    Attributes:
        openmpi: The major version of its Open MPI.
        suite: The Debian release that has it.
    """

    openmpi: int
    suite: str

    @property
    def name(self) -> str:
        """What pods call it. No registry is behind that name."""
        return f"localhost/openmpi:{self.openmpi}"

    @property
    def archive(self) -> Path:
        """Where it is kept. The name tells what it was made from."""
        return IMAGES / f"openmpi-{self.openmpi}-{self._digest()}.tar"

    def _digest(self) -> str:
        files = [file.read_bytes() for file in sorted(FILES.rglob("*")) if file.is_file()]
        return hashlib.sha256(b"".join([repr((self, self._command())).encode(), *files])).hexdigest()[:12]

    def _command(self) -> list[str]:
        """What prints the image's file system as a tar archive."""
        excluded = ("doc", "info", "locale", "man")
        return [
            "mmdebstrap",
            "--variant=minbase",
            *(f"--dpkgopt=path-exclude=/usr/share/{folder}/*" for folder in excluded),
            f"--include={','.join(PACKAGES)}",
            f"--customize-hook=sync-in {FILES} /",
            '--customize-hook=chroot "$1" useradd --uid 1000 --shell /bin/bash mpiuser',
            '--customize-hook=chroot "$1" chown -R mpiuser: /home/mpiuser',
            self.suite,
            "-",
            MIRROR,
        ]

    def make(self) -> None:
        """Make the archive, unless it is there."""
        if self.archive.exists():
            return
        print(f"Making the image {self.name} from packages of Debian {self.suite} ...", flush=True)
        IMAGES.mkdir(parents=True, exist_ok=True)
        for outdated in IMAGES.glob(f"openmpi-{self.openmpi}-*"):
            outdated.unlink()
        layer, log = self.archive.with_suffix(".layer"), self.archive.with_suffix(".log")
        with layer.open("wb") as target, log.open("wb") as errors:
            done = subprocess.run(self._command(), stdin=subprocess.DEVNULL, stdout=target, stderr=errors, check=False)
        if done.returncode != 0:
            last = "\n".join(log.read_text(errors="replace").splitlines()[-5:])
            raise ImageFailed(
                f"The image {self.name} could not be made; mmdebstrap said last:\n{last}\nThe whole log: {log}"
            )
        partial = self.archive.with_suffix(".partial")
        self._write(partial, layer)
        layer.unlink()
        partial.replace(self.archive)

    def _write(self, archive: Path, layer: Path) -> None:
        """Write the archive of an image with one layer, as `docker save` does."""
        with layer.open("rb") as tar_of_files:
            digest = hashlib.file_digest(tar_of_files, "sha256").hexdigest()
        config = {
            "architecture": ARCHITECTURES[platform.machine()],
            "os": "linux",
            # It does nothing until it is told what. As such it also holds the namespaces of pods.
            "config": {"Cmd": ["sleep", "infinity"], "Env": [PATH]},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        }
        manifest = [{"Config": "config.json", "RepoTags": [self.name], "Layers": ["layer.tar"]}]
        with tarfile.open(archive, "w") as tar:
            for name, value in (("config.json", config), ("manifest.json", manifest)):
                content = json.dumps(value).encode()
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, BytesIO(content))
            tar.add(layer, "layer.tar")


OPENMPI_4 = Image(4, "bookworm")
OPENMPI_5 = Image(5, "trixie")
IMAGES_OF_TESTS = (OPENMPI_4, OPENMPI_5)

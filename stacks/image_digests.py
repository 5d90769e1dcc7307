"""Digests of images and charts, which `crane` or `skopeo` reads from the registries with the user's logins."""

import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import yaml

from components.validation.printable import printable

from .image_copies import ImageCopy

TIMEOUT = 60
"""Seconds until a registry counts as one that does not answer."""

MAX_CONCURRENT = 8
"""Maximum number of references that are read at the same time."""

Command = Callable[[str], list[str]]
"""The command line that prints the digest of a reference."""

TOOLS: Mapping[str, Command] = {
    "crane": lambda reference: ["digest", reference],
    "skopeo": lambda reference: ["inspect", "--no-tags", "--format", "{{.Digest}}", f"docker://{reference}"],
}
"""The commands of crane and skopeo, by program. The first one on PATH is used."""


class DigestError(Exception):
    """Raised with all references whose digest could not be read, and the reasons."""


@dataclass(frozen=True)
class Pins:
    """Digests for `images.pins`."""

    digests: Mapping[str, str]
    """Digests by reference, as the stack pulls it."""

    def as_yaml(self) -> str:
        """The lines for the stack file."""
        return yaml.safe_dump({"pins": dict(self.digests)}, sort_keys=True, width=10_000).rstrip()


def read_digests(copies: Iterable[ImageCopy]) -> Pins:
    """Reads the digest of each image and chart that has none, from where the stack pulls it.

    Raises DigestError if neither crane nor skopeo is on PATH, or if a digest cannot be read.
    """
    program, command = _tool()
    wanted = [each.target for each in copies if each.digest is None]
    with ThreadPoolExecutor(MAX_CONCURRENT) as threads:
        found = dict(zip(wanted, threads.map(lambda each: _read([program, *command(each)]), wanted), strict=True))
    errors = [f"{reference}: {why}" for reference, (digest, why) in found.items() if digest is None]
    if errors:
        raise DigestError("The digests of these references cannot be read:\n\n  " + "\n  ".join(errors))
    return Pins({reference: digest for reference, (digest, _) in found.items() if digest})


def _tool() -> tuple[str, Command]:
    for name, command in TOOLS.items():
        if program := shutil.which(name):
            return program, command
    raise DigestError("Digests are read with crane or skopeo, and neither is on PATH. Install one of them.")


def _read(command: list[str]) -> tuple[str | None, str]:
    """The digest that a command prints, or None and the reason."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)  # noqa: S603 - no shell
    except subprocess.TimeoutExpired:
        return None, f"The registry did not answer within {TIMEOUT} seconds."
    digest = done.stdout.strip()
    if done.returncode == 0 and digest.startswith("sha256:"):
        return digest, ""
    lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
    return None, printable(lines[-1])

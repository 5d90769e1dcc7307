"""Parses image references as container runtimes do (github.com/distribution/reference@v0.6.0)."""

import re
from typing import NamedTuple, Self

DOCKER_HUB = "docker.io"

MAX_NAME = 255
"""Maximum length of registry and path together (NameTotalLengthMax)."""

_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_REGISTRY = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?")
_COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_PATH = re.compile(rf"{_COMPONENT}(?:/{_COMPONENT})*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_ALGORITHM = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*"
_DIGEST = re.compile(rf"{_ALGORITHM}:[0-9a-fA-F]{{32,}}")


class ImageReference(NamedTuple):
    """The parts of a reference. Charts in OCI registries have references too."""

    registry: str
    """Host and port, in lower case. `docker.io` if the reference names none."""

    path: str
    """Path in the registry: `library/busybox` for `busybox`."""

    tag: str | None
    digest: str | None

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parses a reference. None if it is invalid."""
        named, at, digest = text.partition("@")
        before, colon, tag = named.rpartition(":")
        if not colon or "/" in tag:
            before, colon, tag = named, "", ""
        registry, path = _split(before)
        sound = (
            len(before) <= MAX_NAME
            and _REGISTRY.fullmatch(registry)
            and _PATH.fullmatch(path)
            and (not colon or _TAG.fullmatch(tag))
            and (not at or _DIGEST.fullmatch(digest))
        )
        return cls(registry.lower(), path, tag or None, digest or None) if sound else None

    @property
    def name(self) -> str:
        """Registry and path, without tag and digest."""
        return f"{self.registry}/{self.path}"

    def is_in(self, registry: str) -> bool:
        """Whether it is in a registry, or below a path in a registry: `ghcr.io`, `mirror.example.com/ghcr`."""
        host, slash, path = registry.partition("/")
        host = DOCKER_HUB if host.lower() == _INDEX else host.lower()
        return f"{self.name}/".startswith(f"{host}{slash}{path}/")


_INDEX = "index.docker.io"


def _split(name: str) -> tuple[str, str]:
    """Splits a name into registry and path. A first part without a dot, a port or an upper-case letter belongs to the
    path, on Docker Hub."""
    registry, slash, path = name.partition("/")
    is_registry = registry == "localhost" or any(mark in registry for mark in ".:") or registry != registry.lower()
    if not slash or not is_registry:
        registry, path = DOCKER_HUB, name
    if registry.lower() == _INDEX:
        registry = DOCKER_HUB
    if registry == DOCKER_HUB and "/" not in path:
        path = f"library/{path}"
    return registry, path

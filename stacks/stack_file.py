"""The file of a stack, and the one that it inherits from: what stands where."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pulumi

from components.runtimes.documents import Document, UnreadableYaml, read_documents

FOLDER = Path("stacks")
"""Where stack files are, in the project's folder, in which programs run."""


class UnreadableFile(ValueError):
    """A file that nothing can be read from. Its message says why."""


@dataclass(frozen=True, order=True)
class Place:
    """Where a key stands, in the order of reading: first the stack's own file."""

    inherited: bool
    """Whether it is in the file that the stack's own inherits from."""

    file: str
    """That file, in the project."""

    line: int
    """The line, the first being 1."""

    def __str__(self) -> str:
        """`line 3`, or with the file before it where that is not the stack's own."""
        return f"{self.file}, line {self.line}" if self.inherited else f"line {self.line}"


class StackFile:
    """The file `stacks/Pulumi.<stack>.yaml`, and what it inherits from, as far as they can be read."""

    def __init__(self, stack: str, project: str) -> None:
        self.name = f"{FOLDER}/Pulumi.{stack}.yaml"
        """Its path in the project."""
        self._prefix = f"{project}:"
        self._own = _readable(Path(self.name))
        self._base: tuple[str, Document] | None = None

    @classmethod
    def of_running(cls) -> Self:
        """That of the stack which the engine runs."""
        return cls(pulumi.get_stack(), pulumi.get_project())

    def sections(self) -> Mapping[str, Any]:
        """The sections as they stand in the file. Raises UnreadableFile.

        Programs get theirs from the engine; this is for commands that run without one.
        """
        content = _read(Path(self.name)).content
        config = content.get("config") if isinstance(content, Mapping) else None
        if not isinstance(config, Mapping):
            raise UnreadableFile("it has no `config`")
        mine = ((key, value) for key, value in config.items() if str(key).startswith(self._prefix))
        return {str(key).removeprefix(self._prefix): value for key, value in mine}

    def inherit(self, base: str) -> Mapping[str, Any]:
        """The sections of `stacks/<base>.yaml`, whose lines count from then on. Raises UnreadableFile."""
        file = FOLDER / f"{base}.yaml"
        document = _read(file)
        if not isinstance(document.content, Mapping):
            raise UnreadableFile("it is no mapping of sections")
        if "inherits" in document.content:
            raise UnreadableFile("it inherits itself, and there is one level")
        self._base = str(file), document
        return document.content

    def has(self, section: str) -> bool:
        """Whether the stack's own file says something of a section."""
        return self._own is not None and self._own.find(f"config.{self._prefix}{section}")[1] == ""

    def place(self, path: str) -> Place | None:
        """Where `jobset.replicas` stands, or what is nearest around it. None where the file cannot be read."""
        line, missing = self._own.find(f"config.{self._prefix}{path}") if self._own else (0, path)
        if self._base:
            file, document = self._base
            inherited, missing_there = document.find(path)
            if len(missing_there) < len(missing):
                return Place(True, file, inherited)
        return Place(False, self.name, line) if self._own else None


def _readable(file: Path) -> Document | None:
    try:
        return _read(file)
    except UnreadableFile:
        return None


def _read(file: Path) -> Document:
    try:
        document = next(read_documents(file.read_text(encoding="utf-8")), None)
    except OSError as error:
        raise UnreadableFile(str(error.strerror)) from None
    except UnreadableYaml as error:
        raise UnreadableFile(f"line {error.line}: {error}".rstrip(".")) from None
    except ValueError:
        raise UnreadableFile("it is no text in UTF-8") from None
    if document is None:
        raise UnreadableFile("nothing stands in it")
    return document

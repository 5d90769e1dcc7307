"""Reads a stack file and the file that it inherits from, with the lines of all keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

import pulumi

from components.k8s.regular_file import MAX_STACK_FILE, read_regular_file
from components.k8s.yaml_documents import Document, YamlError, read_documents
from components.validation.printable import printable

FOLDER = Path("stacks")
"""Folder of the stack files, in the project's folder."""

_BELOW = "Write the sections below `config:`."


class StackFileError(pulumi.RunError):
    """Raised for a file that cannot be read. Pulumi prints its message without a traceback."""

    def __init__(self, file: str | Path, why: str, fix: str, line: int | None = None) -> None:
        place = f"  line {line}\n" if line else ""
        file, why, fix = map(printable, (file, why, fix))
        super().__init__(f"{file} cannot be read. Nothing was changed.\n\n{place}    {why}\n    Fix: {fix}")
        self.reason = f"line {line}: {why}" if line else why
        """The reason, for messages about the file that inherits it."""
        self.file, self.line, self.why, self.fix = file, line, why, fix


@dataclass(frozen=True, order=True)
class SourceLocation:
    """File and line of a key. The stack's own file comes first in the sort order."""

    inherited: bool
    """Whether it is in the inherited file."""

    file: str
    """Path of the file in the project."""

    line: int
    """The line, counted from 1."""

    def __str__(self) -> str:
        """`line 3`, with the file's name if the key is inherited."""
        return f"{self.file}, line {self.line}" if self.inherited else f"line {self.line}"


class StackFile:
    """The file `stacks/Pulumi.<stack>.yaml` and the file that it inherits from."""

    def __init__(self, stack: str, project: str) -> None:
        self.stack = stack
        """Name of the stack."""
        self.name = f"{FOLDER}/Pulumi.{stack}.yaml"
        """Path of the file in the project."""
        self._prefix = f"{project}:"
        self._own: Document | None = None
        self._problem: StackFileError | None = None
        try:
            self._own = _read(Path(self.name))
        except StackFileError as error:
            self._problem = error
        self._base: tuple[str, Document] | None = None

    @classmethod
    def of_running(cls) -> Self:
        """The file of the running stack."""
        return cls(pulumi.get_stack(), pulumi.get_project())

    def require_readable(self) -> None:
        """Raises StackFileError if the file exists and cannot be read, or has content that the engine ignores."""
        if self._problem and Path(self.name).exists():
            raise self._problem

    def config(self) -> Mapping[str, Any]:
        """The config of the file, with the namespaces of keys. Raises StackFileError. For commands that run without an
        engine; programs get their config from the engine."""
        if not Path(self.name).exists():
            there = ", ".join(sorted(file.name.split(".")[1] for file in FOLDER.glob("Pulumi.*.yaml")))
            raise StackFileError(self.name, "There is no such file.", f"Name a stack that is there: {there or 'none'}.")
        document = _read(Path(self.name))
        content = document.content if isinstance(document.content, Mapping) else {}
        if not isinstance(content.get("config"), Mapping):
            near = "".join(get_close_matches("config", content.keys() - {"config"}, n=1))
            fix = f"Did you mean `config` by `{near}`?" if near else _BELOW
            raise StackFileError(self.name, "There are no sections below `config:`.", fix, document.line_of(near))
        config: dict[str, Any] = {}
        for key, value in content["config"].items():
            whole = key if ":" in key else self._prefix + key  # Pulumi's own rule
            if whole in config:
                raise _repeated(self.name, whole, document.line_of(f"config.{key}"))
            config[whole] = value
        return config

    def inherit(self, base: str) -> Mapping[str, Any]:
        """Reads the sections of `stacks/<base>.yaml`, and uses its lines in `place`. Raises StackFileError."""
        file = FOLDER / f"{base}.yaml"
        document = _read(file)
        if not isinstance(document.content, Mapping):
            raise StackFileError(file, "The file is not a mapping of sections.", "Write sections at its top level.")
        if "inherits" in document.content:
            raise StackFileError(
                file, "The file has an `inherits` of its own, and only one level is supported.", "Take out `inherits`."
            )
        self._base = str(file), document
        return document.content

    def has(self, section: str) -> bool:
        """Whether the stack's own file has a section."""
        return self._find(section)[1] == ""

    def place(self, path: str) -> SourceLocation | None:
        """File and line of a key such as `jobset.replicas`, or of its nearest parent. None if the file cannot be
        read."""
        line, missing = self._find(path)
        if self._base:
            file, document = self._base
            inherited, missing_there = document.find(path)
            if len(missing_there) < len(missing):
                return SourceLocation(True, file, inherited)
        return SourceLocation(False, self.name, line) if self._own else None

    def _find(self, path: str) -> tuple[int, str]:
        """The line of a path in the stack's own file, or of its nearest parent, and the missing part of the path."""
        if not self._own:
            return 0, path
        as_it_is = self._own.find(f"config.{path}")
        is_there = not as_it_is[1].endswith(path)
        return as_it_is if is_there else self._own.find(f"config.{self._prefix}{path}")


def _read(file: Path) -> Document:
    try:
        documents = [*read_documents(read_regular_file(file, MAX_STACK_FILE).decode())]
    except OSError as error:
        raise StackFileError(file, f"{error.strerror}.", "Write a readable YAML file there.") from None
    except YamlError as error:
        raise StackFileError(file, str(error), error.fix, error.line) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise StackFileError(file, "The file is not UTF-8 text.", "Save it as UTF-8.", line) from None
    if not documents:
        raise StackFileError(file, "The file is empty.", _BELOW)
    if len(documents) > 1:
        why = "A second YAML document starts here. Pulumi reads only the first one and ignores this one."
        raise StackFileError(
            file, why, "Move its keys into the first document, and remove the `---`.", documents[1].line
        )
    for line, key in documents[0].duplicate_keys():
        raise _repeated(file, key, line)
    return documents[0]


def _repeated(file: str | Path, key: str, line: int) -> StackFileError:
    return StackFileError(file, f"`{key}` is a duplicate key.", "Remove one of them.", line)

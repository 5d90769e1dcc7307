"""The file of a stack, and the one that it inherits from: what stands where."""

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
"""Where stack files are, in the project's folder, in which programs run."""

_BELOW = "Write the sections below `config:`."


class StackFileError(pulumi.RunError):
    """A file that nothing can be read from. Its message is all that is to be said of it: Pulumi prints no traceback."""

    def __init__(self, file: str | Path, why: str, fix: str, line: int | None = None) -> None:
        place = f"  line {line}\n" if line else ""
        file, why, fix = map(printable, (file, why, fix))
        super().__init__(f"{file} cannot be read. Nothing was changed.\n\n{place}    {why}\n    Fix: {fix}")
        self.reason = f"line {line}: {why}" if line else why
        """Why not, for another file's message."""
        self.file, self.line, self.why, self.fix = file, line, why, fix


@dataclass(frozen=True, order=True)
class SourceLocation:
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
        self._own: Document | None = None
        self._problem: StackFileError | None = None
        try:
            self._own = _read(Path(self.name))
        except StackFileError as error:
            self._problem = error
        self._base: tuple[str, Document] | None = None

    @classmethod
    def of_running(cls) -> Self:
        """That of the stack which the engine runs."""
        return cls(pulumi.get_stack(), pulumi.get_project())

    def require_readable(self) -> None:
        """Raises StackFileError where the file is there and cannot be read, or has more than the engine reads of it."""
        if self._problem and Path(self.name).exists():
            raise self._problem

    def config(self) -> Mapping[str, Any]:
        """All of its config, each key with its namespace. Raises StackFileError.

        Programs get theirs from the engine; this is for what runs without one, or before it.
        """
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
        """The sections of `stacks/<base>.yaml`, whose lines count from then on. Raises StackFileError."""
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
        """Whether the stack's own file says something of a section."""
        return self._find(section)[1] == ""

    def place(self, path: str) -> SourceLocation | None:
        """Where `jobset.replicas` stands, or what is nearest around it. None where the file cannot be read."""
        line, missing = self._find(path)
        if self._base:
            file, document = self._base
            inherited, missing_there = document.find(path)
            if len(missing_there) < len(missing):
                return SourceLocation(True, file, inherited)
        return SourceLocation(False, self.name, line) if self._own else None

    def _find(self, path: str) -> tuple[int, str]:
        """Where it stands in the stack's own file, or what is nearest, and what is not there of the path."""
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

"""Where in a stack's file a key stands."""

from pathlib import Path

from components.runtimes.documents import Document, UnreadableYaml, read_documents


class StackFile:
    """The file `stacks/Pulumi.<stack>.yaml`, as far as it can be read.

    It is read for line numbers only: what is in it comes from the engine.
    """

    def __init__(self, stack: str, project: str) -> None:
        self.name = f"stacks/Pulumi.{stack}.yaml"
        """Its path in the project, whose folder programs run in."""
        self._project = project
        self._document = _read(Path(self.name))

    def line(self, path: str) -> int | None:
        """Line of `jobset.replicas`, or of what is nearest around it. None where the file cannot be read."""
        return self._document.line_of(f"config.{self._project}:{path}") if self._document else None


def _read(file: Path) -> Document | None:
    try:
        return next(read_documents(file.read_text(encoding="utf-8")), None)
    except (OSError, UnicodeDecodeError, UnreadableYaml):
        return None

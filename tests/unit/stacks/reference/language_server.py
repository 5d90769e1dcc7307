"""A client of the YAML language server, which speaks the Language Server Protocol 3.17 on its standard streams."""

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple, Self


class Mistake(NamedTuple):
    """What an editor underlines."""

    line: int
    text: str
    message: str


class LanguageServer:
    """A running server. Documents are not written: it receives the content of new ones in a folder."""

    def __init__(self, script: Path, root: Path, folder: Path) -> None:
        self._folder = folder
        self._documents = 0
        self._asked = 0
        self._diagnostics: dict[str, list[Any]] = {}
        command = ["node", str(script), "--stdio"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self._ask("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": {}})
        self._tell("initialized", {})
        options = {"validate": True, "completion": True, "schemaStore": {"enable": False}}
        self._tell("workspace/didChangeConfiguration", {"settings": {"yaml": options}})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def mistakes(self, text: str) -> list[Mistake]:
        """What is underlined in a document with this content, with the message."""
        uri = self._open(text)
        while uri not in self._diagnostics:
            self._receive()
        lines = text.splitlines()
        return [
            Mistake(start["line"], lines[start["line"]][start["character"] : end["character"]], each["message"])
            for each in self._diagnostics[uri]
            for start, end in [(each["range"]["start"], each["range"]["end"])]
        ]

    def completions(self, text: str) -> list[str]:
        """What is offered at the end of this content."""
        uri = self._open(text)
        lines = text.split("\n")
        position = {"line": len(lines) - 1, "character": len(lines[-1])}
        found = self._ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": position})
        return [each["label"] for each in found["items"]]

    def _open(self, text: str) -> str:
        self._documents += 1
        uri = (self._folder / f"document-{self._documents}.yaml").as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._tell("textDocument/didOpen", {"textDocument": document})
        return uri

    def _ask(self, method: str, parameters: Any) -> Any:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": parameters})
        while True:
            message = self._receive()
            if message.get("id") == self._asked and "method" not in message:
                return message["result"]

    def _tell(self, method: str, parameters: Any) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))
        self._process.stdin.flush()

    def _receive(self) -> Any:
        """The next message. Its diagnostics are kept, and its questions answered."""
        assert self._process.stdout
        length = 0
        while header := self._process.stdout.readline().strip():
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message = json.loads(self._process.stdout.read(length))
        match message:
            case {"method": "textDocument/publishDiagnostics", "params": {"uri": uri, "diagnostics": diagnostics}}:
                self._diagnostics[uri] = diagnostics
            case {"method": "workspace/configuration", "id": asked, "params": {"items": items}}:
                self._send({"id": asked, "result": [None for _ in items]})
            case {"method": _, "id": asked}:
                self._send({"id": asked, "result": None})
        return message

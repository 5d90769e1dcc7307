"""YAML as Kubernetes reads it, with the line of everything in it.

kubectl reads it by sigs.k8s.io/yaml, whose scalars are not PyYAML's: `y` and `on` are true, `1e3` is a number, `12:30`
and dates are strings, and every key is a string.
"""

import base64
import math
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentStartEvent, NodeEvent
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ..validation.errors import yaml_repr
from ..validation.printable import printable
from .bounds import MAX_DEPTH, MAX_NODES, NO_TEXT, TOO_DEEP, TOO_MANY, is_text
from .yaml_errors import FIX, MISLEADS, explain_syntax, invisible_character

try:
    from yaml import CSafeLoader as _Parser
except ImportError:  # PyYAML was built without libyaml
    from yaml import SafeLoader as _Parser  # type: ignore[assignment]

TAG = "tag:yaml.org,2002:"
_TRUE = {"y", "yes", "true", "on"}
_BOOLEANS = r"y|Y|n|N|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|true|True|TRUE|false|False|FALSE"
PLAIN_SCALARS = (
    ("bool", _BOOLEANS, [*"yYnNtTfFoO"]),
    ("null", r"~|null|Null|NULL|", [*"~nN", ""]),
    ("int", r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+|[1-9][0-9_]*|0)", [*"-+0123456789"]),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", [*"-+.0123456789"]),
    ("merge", r"<<", ["<"]),
)

MAX_TEXT_NODES = 1_000_000
"""Maximum number of values and keys in all documents of a text."""

MAX_ALIASED_CHARACTERS = 16_000_000
"""Maximum number of characters in the scalars of one document. A scalar behind an alias counts each time it is used."""

MAX_DIGITS = 100
"""Maximum number of characters of one number."""

MAX_REPARSED_CHARACTERS = 200_000
"""Invalid texts up to this length are parsed again by PyYAML's own parser, whose messages are better. It needs seconds
for a megabyte."""


class YamlError(ValueError):
    """A text that cannot be read as YAML."""

    def __init__(self, line: int, message: str, fix: str) -> None:
        super().__init__(printable(message))
        self.line = line
        """Line of the error, starting at 1."""

        self.fix = printable(fix)
        """What to do about it."""


@dataclass(frozen=True)
class Document:
    """One document of a YAML text."""

    content: Any
    """The document as plain data."""

    node: Node
    """The document as parsed nodes, with their positions in the text."""

    @property
    def line(self) -> int:
        """Line at which the document starts, counted from 1."""
        return _line(self.node)

    def items(self) -> Iterator["Document"]:
        """The document itself, or the items of a List as kubectl and the API server print it."""
        listed = dict(_entries(self.node)).get("items")
        kind = self.content.get("kind") if isinstance(self.content, dict) else None
        if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(listed, SequenceNode):
            yield self
            return
        # The API server omits from items what their list implies: apiVersion and kind.
        common = {"apiVersion": self.content.get("apiVersion"), "kind": kind.removesuffix("List")}
        for content, node in zip(self.content["items"], listed.value, strict=True):
            told = common if common["kind"] and isinstance(content, dict) else {}
            yield Document({**told, **content} if told else content, node)

    def duplicate_keys(self) -> Iterator[tuple[int, str]]:
        """The line and name of each key that occurs more than once in a mapping. YAML parsers silently keep the last
        one."""
        for node in _values(self.node):
            seen = set()
            for key, _ in node.value if isinstance(node, MappingNode) else ():
                if key.value in seen:
                    yield _line(key), key.value
                seen.add(key.value if isinstance(key, ScalarNode) else id(key))

    def line_of(self, path: str) -> int:
        """The line of a path such as `spec.containers[0].name`, or of its nearest existing parent."""
        return self.find(path)[0]

    def find(self, path: str) -> tuple[int, str]:
        """The line of a path, or of its nearest existing parent, and the rest of the path, which does not exist."""
        node, line = self.node, self.line
        while path:
            name, rest = _first_part(path)
            if isinstance(node, SequenceNode) and name.isdigit() and int(name) < len(node.value):
                node = node.value[int(name)]
                line = _line(node)
            elif found := next(((key, value) for key, value in _keys(node) if _is_named(key, name)), None):
                line, node = _line(found[0]), found[1]
            else:
                break
            path = rest
        return line, path


def read_documents(text: str) -> Iterator[Document]:
    """The documents of a YAML text that are not empty. Raises YamlError at the first error."""
    try:
        yield from _read(text)
    except yaml.MarkedYAMLError as error:
        raise YamlError(*explain_syntax(error, text)) from None
    except yaml.reader.ReaderError as error:
        position = error.position if error.position >= 0 else 0
        raise YamlError(text.count("\n", 0, position) + 1, f"Invalid text: {error.reason}.", FIX) from None


def _read(text: str) -> Iterator[Document]:
    """Parse with libyaml, which is many times faster. An invalid text is parsed again for PyYAML's better messages."""
    try:
        _check_size(yaml.parse(text, Loader=_FastLoader))
    except UnicodeEncodeError as error:
        raise YamlError(error.object.count("\n", 0, error.start) + 1, NO_TEXT, "Remove it.") from None
    except yaml.YAMLError:
        if len(text) > MAX_REPARSED_CHARACTERS:
            raise
        try:
            yield from _documents(_Loader(text))
        except RecursionError:
            raise YamlError(1, TOO_DEEP, "Nest less deeply.") from None
        raise  # PyYAML accepts escapes of half a character, libyaml does not
    else:
        yield from _documents(_FastLoader(text))


def _check_size(events: Iterator[Any]) -> None:
    """Raise YamlError for a text that is nested too deeply, is too large or has unknown aliases. Nothing is built from
    it before."""
    depth = count = 0
    anchors: set[str] = set()
    for event in events:
        line = event.start_mark.line + 1
        if isinstance(event, DocumentStartEvent):
            anchors = set()
        elif isinstance(event, AliasEvent) and event.anchor not in anchors:
            message = f"The alias *{event.anchor} has no anchor &{event.anchor} above it."
            raise YamlError(line, message, "Add the anchor, or write out the value.")
        elif isinstance(event, NodeEvent) and event.anchor:
            anchors.add(event.anchor)
        count += isinstance(event, NodeEvent)
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise YamlError(line, TOO_DEEP, "Nest less deeply.")
        if count > MAX_TEXT_NODES:
            message = f"The file has more than {MAX_TEXT_NODES:,} values and keys."
            raise YamlError(line, message, "Split the file.")


def _documents(loader: Any) -> Iterator[Document]:
    while loader.check_node() and (node := loader.get_node()):
        merges = _check_values(node)
        # Merging changes the nodes.
        content = loader.construct_document(deepcopy(node) if merges else node)
        if content is not None:
            yield Document(content, node)


def _check_values(node: Node) -> bool:
    """Whether a document has merge keys. Raises YamlError if its aliases make it endless or far too large."""
    characters = 0
    merges = False
    for count, value in enumerate(_values(node), start=1):
        for scalar in (value, *(key for key, _ in _keys(value))):
            if isinstance(scalar, ScalarNode):
                characters += len(scalar.value)
                merges |= scalar.tag == f"{TAG}merge"
                if not is_text(scalar.value):
                    raise YamlError(_line(scalar), NO_TEXT, "Remove it.")
                if not scalar.style and not scalar.value.isascii() and (found := invisible_character(scalar.value)):
                    message = f"There is {found}, which {MISLEADS}."
                    raise YamlError(_line(scalar), message, "Replace it with a space.")
        if count > MAX_NODES:
            raise YamlError(_line(node), TOO_MANY, "Split the document, or use fewer aliases.")
        if characters > MAX_ALIASED_CHARACTERS:
            message = f"The document has more than {MAX_ALIASED_CHARACTERS:,} characters, aliases counted as often as "
            raise YamlError(_line(node), f"{message}they are used.", "Use fewer aliases.")
    return merges


def _first_part(path: str) -> tuple[str, str]:
    """The first key or index of a path and the rest of it."""
    if bracketed := re.match(r"\[([^]]*)\]\.?", path):
        return bracketed[1], path[bracketed.end() :]
    name = path.partition("[")[0].partition(".")[0]
    return name, path[len(name) :].removeprefix(".")


def _values(node: Node) -> Iterator[Node]:
    """A node and all nodes below it, each as often as aliases repeat it."""
    left = [node]
    while left:
        yield (here := left.pop())
        if isinstance(here, SequenceNode):
            left += here.value
        elif isinstance(here, MappingNode):
            left += (value for _, value in here.value)


def _entries(node: Node) -> Iterator[tuple[str, Node]]:
    yield from ((key.value, value) for key, value in _keys(node))


def _keys(node: Node) -> Iterator[tuple[ScalarNode, Node]]:
    if isinstance(node, MappingNode):
        yield from ((key, value) for key, value in node.value if isinstance(key, ScalarNode))


def _is_named(key: ScalarNode, name: str) -> bool:
    """Whether `name`, a part of a printable path, refers to this key."""
    return bool(key.value == name or printable(key.value) == name)


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1


class _Kubernetes:
    """Reads scalars and keys as sigs.k8s.io/yaml does, for both parsers."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's way to have none of its own

    def construct_boolean(self: Any, node: ScalarNode) -> bool:
        return str(self.construct_scalar(node)).lower() in _TRUE

    def construct_integer(self: Any, node: ScalarNode) -> int:
        return int(_converted(node, "integer", self.construct_yaml_int))

    def construct_float(self: Any, node: ScalarNode) -> float:
        number = float(_converted(node, "number", self.construct_yaml_float))
        if not math.isfinite(number):
            message = f"{yaml_repr(node.value)} is not a finite number: JSON and the API server have no other."
            raise YamlError(_line(node), message, "Write a smaller number.")
        return number

    def construct_binary(self: Any, node: ScalarNode) -> str:
        return str(_converted(node, "text in base64", _decoded))

    def construct_other(self: Any, node: Node) -> Any:
        tag = node.tag.replace(TAG, "!!", 1)
        message = f"The tag {tag} is not supported."
        raise YamlError(_line(node), message, "Remove the tag, and write the value itself.")

    def construct_mapping(self: Any, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        self.flatten_mapping(node)
        node.value = [(self._string(key), value) for key, value in node.value]
        read: dict[Any, Any] = yaml.constructor.SafeConstructor.construct_mapping(self, node, deep)
        return read

    def _string(self: Any, key: Node) -> Node:
        if not isinstance(key, ScalarNode) or key.tag == f"{TAG}str":
            return key
        return ScalarNode(f"{TAG}str", yaml_repr(self.construct_object(key)), key.start_mark, key.end_mark)


def _decoded(node: ScalarNode) -> str:
    return base64.b64decode("".join(node.value.split()), validate=True).decode()


def _converted(node: Node, kind: str, convert: Callable[[Any], object]) -> Any:
    """The converted value of a scalar. Raises YamlError if it is not of its `kind`."""
    if isinstance(node, ScalarNode) and kind != "text in base64" and len(node.value) > MAX_DIGITS:
        message = f"This number has {len(node.value):,} characters, more than {MAX_DIGITS}."
        raise YamlError(_line(node), message, "Write a shorter number, or put it in quotes.")
    try:
        return convert(node)
    except (ValueError, IndexError):
        raise YamlError(_line(node), f"{yaml_repr(node.value)} is not a valid {kind}.", FIX) from None


class _Loader(_Kubernetes, yaml.SafeLoader):
    pass


class _FastLoader(_Kubernetes, _Parser):
    pass


for _loader in (_Loader, _FastLoader):
    for _tag, _pattern, _first in PLAIN_SCALARS:
        _loader.add_implicit_resolver(TAG + _tag, re.compile(rf"(?:{_pattern})$"), _first)
    _loader.add_constructor(TAG + "bool", _loader.construct_boolean)
    _loader.add_constructor(TAG + "int", _loader.construct_integer)
    _loader.add_constructor(TAG + "float", _loader.construct_float)
    _loader.add_constructor(TAG + "binary", _loader.construct_binary)
    for _tag in ("timestamp", "set", "omap", "pairs"):
        _loader.add_constructor(TAG + _tag, _loader.construct_other)
    _loader.add_constructor(None, _loader.construct_other)

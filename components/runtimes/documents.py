"""YAML as Kubernetes reads it, with the line of everything in it.

kubectl reads it by sigs.k8s.io/yaml, whose scalars are not PyYAML's: `y` and `on` are true, `1e3` is a number, `12:30`
and dates are strings, and every key is a string.
"""

import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from .refusal import shown

try:
    from yaml import CSafeLoader as _Parser
except ImportError:  # PyYAML was built without libyaml
    from yaml import SafeLoader as _Parser  # type: ignore[assignment]

_TAG = "tag:yaml.org,2002:"
_TRUE = {"y", "yes", "true", "on"}
_BOOLEANS = r"y|Y|n|N|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|true|True|TRUE|false|False|FALSE"
_PLAIN_SCALARS = (
    ("bool", _BOOLEANS, [*"yYnNtTfFoO"]),
    ("null", r"~|null|Null|NULL|", [*"~nN", ""]),
    ("int", r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+|[1-9][0-9_]*|0)", [*"-+0123456789"]),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", [*"-+.0123456789"]),
    ("merge", r"<<", ["<"]),
)

# Aliases can make a small text mean more than fits into memory; kubectl refuses such texts too.
_MOST_VALUES = 100_000


class UnreadableYaml(ValueError):
    """A text that no manifest can be read from."""

    def __init__(self, line: int, message: str, fix: str) -> None:
        super().__init__(message)
        self.line = line
        """Where, from 1."""

        self.fix = fix
        """What to do about it."""


@dataclass(frozen=True)
class Document:
    """One document of a YAML text."""

    content: Any
    """What it says."""

    node: Node
    """The same, with its places in the text."""

    @property
    def line(self) -> int:
        """Where it starts, from 1."""
        return _line(self.node)

    def items(self) -> Iterator["Document"]:
        """Itself; or, where it is a List as kubectl or the API server print it, what that lists."""
        listed = dict(_entries(self.node)).get("items")
        kind = self.content.get("kind") if isinstance(self.content, dict) else None
        if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(listed, SequenceNode):
            yield self
            return
        # The API server leaves out of an item what the list says of all: of ClusterTrainingRuntimeList, the kind.
        common = {"apiVersion": self.content.get("apiVersion"), "kind": kind.removesuffix("List")}
        for content, node in zip(self.content["items"], listed.value, strict=True):
            told = common if common["kind"] and isinstance(content, dict) else {}
            yield Document({**told, **content} if told else content, node)

    def repeated_keys(self) -> Iterator[tuple[int, str]]:
        """Keys that stand twice in one mapping, and where the second time. The last one counts, without a word."""
        for node in _values(self.node):
            seen = set()
            for key, _ in node.value if isinstance(node, MappingNode) else ():
                if key.value in seen:
                    yield _line(key), key.value
                seen.add(key.value if isinstance(key, ScalarNode) else id(key))

    def line_of(self, path: str) -> int:
        """Where `spec.containers[0].name` stands, or what is nearest around it."""
        return self.find(path)[0]

    def find(self, path: str) -> tuple[int, str]:
        """Where it stands or what is nearest around it, and the rest of the path, which is not there."""
        node, line = self.node, self.line
        while path:
            name, rest = _first_part(path)
            if isinstance(node, SequenceNode) and name.isdigit() and int(name) < len(node.value):
                node = node.value[int(name)]
                line = _line(node)
            elif name in dict(_entries(node)):
                line = next(_line(key) for key, _ in node.value if key.value == name)
                node = dict(_entries(node))[name]
            else:
                break
            path = rest
        return line, path


def read_documents(text: str) -> Iterator[Document]:
    """The documents of a YAML text that say something. Raises UnreadableYaml where it can't be read on."""
    try:
        try:
            # libyaml's parser takes a fraction of the time. What is wrong is told in PyYAML's own words.
            documents: Iterable[Document] = [*_documents(_FastLoader(text))]
        except (yaml.YAMLError, UnreadableYaml, RecursionError):
            documents = _documents(_Loader(text))
        yield from documents
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = f"This is no YAML: {' '.join(filter(None, (error.context, error.problem)))}."
        fix = "Write spaces in place of the tab." if r"'\t'" in str(error.problem) else _FIX
        raise UnreadableYaml(mark.line + 1 if mark else 1, message, fix) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise UnreadableYaml(line, f"This is no text: {error.reason}.", _FIX) from None
    except RecursionError:
        raise UnreadableYaml(1, "This is nested too deeply.", _FIX) from None


def _documents(loader: Any) -> Iterator[Document]:
    while loader.check_node() and (node := loader.get_node()):
        if len([*islice(_values(node), _MOST_VALUES)]) == _MOST_VALUES:
            message = "The aliases in this document make it endless, or far too large."
            raise UnreadableYaml(_line(node), message, "Write out what they stand for.")
        # Merging writes into the nodes.
        content = loader.construct_document(deepcopy(node))
        if content is not None:
            yield Document(content, node)


_FIX = "Correct the YAML."


def _first_part(path: str) -> tuple[str, str]:
    """The first key or index of a path and the rest of it."""
    if bracketed := re.match(r"\[([^]]*)\]\.?", path):
        return bracketed[1], path[bracketed.end() :]
    name = path.partition("[")[0].partition(".")[0]
    return name, path[len(name) :].removeprefix(".")


def _values(node: Node) -> Iterator[Node]:
    """A node and all below it, each as often as aliases repeat it."""
    left = [node]
    while left:
        yield (here := left.pop())
        if isinstance(here, SequenceNode):
            left += here.value
        elif isinstance(here, MappingNode):
            left += (value for _, value in here.value)


def _entries(node: Node) -> Iterator[tuple[str, Node]]:
    if isinstance(node, MappingNode):
        yield from ((key.value, value) for key, value in node.value if isinstance(key, ScalarNode))


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1


class _Kubernetes:
    """How scalars and keys are read, whoever parses."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's way to have none of its own

    def construct_boolean(self: Any, node: ScalarNode) -> bool:
        return str(self.construct_scalar(node)).lower() in _TRUE

    def construct_mapping(self: Any, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        self.flatten_mapping(node)
        node.value = [(self._string(key), value) for key, value in node.value]
        read: dict[Any, Any] = yaml.constructor.SafeConstructor.construct_mapping(self, node, deep)
        return read

    def _string(self: Any, key: Node) -> Node:
        if not isinstance(key, ScalarNode) or key.tag == f"{_TAG}str":
            return key
        return ScalarNode(f"{_TAG}str", shown(self.construct_object(key)), key.start_mark, key.end_mark)


class _Loader(_Kubernetes, yaml.SafeLoader):
    pass


class _FastLoader(_Kubernetes, _Parser):
    pass


for _loader in (_Loader, _FastLoader):
    for _tag, _pattern, _first in _PLAIN_SCALARS:
        _loader.add_implicit_resolver(_TAG + _tag, re.compile(rf"(?:{_pattern})$"), _first)
    _loader.add_constructor(_TAG + "bool", _loader.construct_boolean)

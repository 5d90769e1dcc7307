"""Kubernetes' formats of names, labels and paths (k8s.io/apimachinery/pkg/util/validation@v0.37.2)."""

import re
from dataclasses import dataclass

MAX_MANAGER_LENGTH = 63

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"


@dataclass(frozen=True)
class NameFormat:
    """A format that a string must have."""

    words: str
    """The format in words, to follow "must be"."""

    pattern: str
    max_length: int

    def matches(self, value: str) -> bool:
        """Whether a value has this format."""
        return len(value) <= self.max_length and re.fullmatch(self.pattern, value) is not None

    def __str__(self) -> str:
        """The format in words."""
        return self.words


DNS_LABEL = NameFormat(
    "1 to 63 lowercase letters, digits or '-', beginning and ending with a letter or digit", _LABEL, max_length=63
)
DNS_LABEL_1035 = NameFormat(
    "1 to 63 lowercase letters, digits or '-', beginning with a letter and ending with a letter or digit",
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    max_length=63,
)
DNS_SUBDOMAIN = NameFormat(
    "a DNS name of at most 253 lowercase letters, digits, '-' or '.', each part beginning and ending with a letter or "
    "digit",
    rf"{_LABEL}(\.{_LABEL})*",
    max_length=253,
)
SEARCH_DOMAIN = NameFormat(
    "a DNS name of at most 253 lowercase letters, digits, '-', '_' or '.'",
    r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*",
    max_length=253,
)
LABEL_VALUE = NameFormat(
    "empty, or at most 63 letters, digits, '-', '_' or '.', beginning and ending with a letter or digit",
    f"({_QUALIFIED})?",
    max_length=63,
)
PORT_NAME = NameFormat(
    "1 to 15 lowercase letters, digits or single '-', with at least one letter and no '-' at either end",
    "(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]*[a-z0-9])?",
    max_length=15,
)
ENV_NAME = NameFormat("printable ASCII characters without '='", "[ -<>-~]+", max_length=1 << 20)
DATA_KEY = NameFormat(
    "1 to 253 letters, digits, '-', '_' or '.', not '.' itself and not beginning with '..'",
    r"(?!\.$)(?!\.\.)[-._a-zA-Z0-9]+",
    max_length=253,
)
HEADER_NAME = NameFormat("letters, digits or '-'", "[-A-Za-z0-9]+", max_length=1 << 20)
DOMAIN_PATH = NameFormat(
    'a domain followed by a path, such as "acme.io/foo"',
    rf"{_LABEL}(\.{_LABEL})*/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+",
    max_length=1 << 20,
)
_HOST = "[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?"
_FOLDER = "[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*"
IMAGE = NameFormat(
    "lowercase parts separated by '/', with an optional registry before and an optional tag and digest after",
    rf"(({_HOST}(\.{_HOST})*|\[[0-9a-fA-F:]+\])(:[0-9]+)?/)?{_FOLDER}(/{_FOLDER})*"
    r"(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?",
    max_length=4096,
)
SYSCTL = NameFormat(
    "at most 253 lowercase letters, digits, '-' or '_', in parts separated by '.' or '/'",
    r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?",
    max_length=253,
)


class _QualifiedName(NameFormat):
    def matches(self, value: str) -> bool:
        prefix, slash, name = value.rpartition("/")
        return super().matches(name) and (not slash or DNS_SUBDOMAIN.matches(prefix))


QUALIFIED_NAME = _QualifiedName(
    "at most 63 letters, digits, '-', '_' or '.', beginning and ending with a letter or digit, optionally preceded by "
    "a DNS name and '/'",
    _QUALIFIED,
    max_length=63,
)


def has_parent_reference(path: str) -> bool:
    """Whether a path contains the element '..'."""
    return ".." in path.split("/")


def escapes_directory(path: str) -> bool:
    """Whether a path is absolute or contains the element '..'."""
    return path.startswith("/") or has_parent_reference(path)


def is_manager(name: str) -> bool:
    """Whether a value is valid for `managedBy`."""
    return DOMAIN_PATH.matches(name) and len(name) <= MAX_MANAGER_LENGTH

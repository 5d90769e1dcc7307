"""Detects values that look like tokens or passwords. Everyone who can read a repository can read them in its files."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

FieldPath = tuple[int | str, ...]
"""Keys and indexes, the outermost first."""

TOKEN_PATTERNS = {
    "a token of Hugging Face": r"\bhf_[A-Za-z0-9]{30,}",
    "a token of GitHub": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})",
    "a token of GitLab": r"\bglpat-[\w-]{20,}",
    "a token of Slack": r"\bxox[abeoprs]-[\w-]{10,}",
    "a token of Pulumi": r"\bpul-[0-9a-f]{40}\b",
    "an access key of AWS": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "an API key of Google": r"\bAIza[\w-]{35}",
    "an API key of NVIDIA": r"\bnvapi-[\w-]{40,}",
    "an API key of OpenAI or Anthropic": r"\bsk-[A-Za-z0-9_-]{20,}",
    "a signed token (JWT)": r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*",
    "an address with a password": r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*://[^/\s:@]+:[^/\s@]+@",
}
"""Patterns of tokens, from their issuers' documentation. A search takes linear time: where a pattern repeats a
character class, it cannot start inside of it (or it matches immediately)."""

_LOOK = re.compile("|".join(f"(?P<k{index}>{pattern})" for index, pattern in enumerate(TOKEN_PATTERNS.values())))

_SECRET_NAMES = {
    "env": r"(?:^|_)(?:TOKEN|PASSWORD|PASSWD|SECRET|API_?KEY|ACCESS_KEY|CREDENTIALS?)$",
    "values": r"(?:token|password|passwd|api_?key|access_?key|private_?key|secret_?key)$",
}
"""Names of secret values, by the key that they are below: of variables (HF_TOKEN, WANDB_API_KEY) and of a chart's
values (adminPassword). Among the latter, `secret` is usually the name of a Secret."""

MIN_SECRET = 8
"""Minimum length of a secret value."""

HIDDEN = "(hidden)"
"""Replacement for tokens in output."""


class Token(NamedTuple):
    """Something that looks like a token. It does not contain the value."""

    loc: FieldPath
    """Path of the value. A key that contains a token is hidden."""

    kind: str
    """What it looks like, such as `a token of GitHub`."""


def find_tokens(value: object, loc: FieldPath = (), name: str = "") -> Iterator[Token]:
    """Everything in a file that looks like a token, including keys. `name` is the key or variable of the value."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            kind = look_of(key) if isinstance(key, str) else None
            here = (*loc, HIDDEN if kind else str(key))
            if kind:
                yield Token(here, kind)
            yield from find_tokens(inner, here, str(value.get("name")) if key == "value" else str(key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from find_tokens(inner, (*loc, index), name)
    elif isinstance(value, str) and (kind := _kind(value, loc, name)):
        yield Token(loc, kind)


def look_of(text: str) -> str | None:
    """What kind of token a text contains, or None."""
    found = _LOOK.search(text)
    return [*TOKEN_PATTERNS][int(str(found.lastgroup)[1:])] if found else None


# A text is asked about again on its way: as part of a violation, of one in a file, of an exception.
@lru_cache(maxsize=128)
def without_tokens(text: str) -> str:
    """The text with `(hidden)` in place of tokens."""
    return _LOOK.sub(HIDDEN, text)


def _kind(value: str, loc: FieldPath, name: str) -> str | None:
    if look := look_of(value):
        return look
    # A variable may take its value from another one, $(OTHER), or name a file; and a short word is a switch.
    above = loc[:-1]
    is_named = any(key in above and re.search(names, name, re.IGNORECASE) for key, names in _SECRET_NAMES.items())
    if is_named and len(value) >= MIN_SECRET and not value.startswith(("$(", "/")):
        return f"a secret, by the name {name}"
    return None

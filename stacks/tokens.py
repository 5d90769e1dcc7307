"""Values that look like tokens or passwords: everyone who sees the repository reads what stands in a stack's file."""

import re
from collections.abc import Iterator, Mapping

from components.runtimes.locations import Location, path_of
from components.violation import Violation

TOKEN = "STK-11"  # noqa: S105 - the id of a rule

_LOOKS = {
    "a token of Hugging Face": r"\bhf_[A-Za-z0-9]{30,}",
    "a token of GitHub": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})",
    "a token of GitLab": r"\bglpat-[\w-]{20,}",
    "a token of Slack": r"\bxox[abeoprs]-[\w-]{10,}",
    "a token of Pulumi": r"\bpul-[0-9a-f]{40}\b",
    "an access key of AWS": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "an API key of Google": r"\bAIza[\w-]{35}",
    "an API key of NVIDIA": r"\bnvapi-[\w-]{40,}",
    "an API key of OpenAI or Anthropic": r"\bsk-[A-Za-z0-9_-]{20,}",
    "a signed token (JWT)": r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "an address with a password": r"\b[a-z][a-z0-9+.-]*://[^/\s:@]+:[^/\s@]+@",
}
"""How tokens begin, each as the documentation of its issuer shows it."""

_SECRET_NAME = re.compile(r"(?:^|_)(?:TOKEN|PASSWORD|PASSWD|SECRET|API_?KEY|ACCESS_KEY|CREDENTIALS?)$", re.IGNORECASE)
"""Names of variables that hold secrets: HF_TOKEN, WANDB_API_KEY, AWS_SECRET_ACCESS_KEY."""

_SHORTEST = 8
"""Characters of a value that can be a secret."""

_FIX = (
    "Take it out of the file and make it invalid where it was issued: history keeps it. Put a new one into a Secret "
    "beside the TrainJobs, and name that here: `env: {NAME: {secretKeyRef: {name: my-secret, key: token}}}`."
)


def tokens(value: object, loc: Location = (), name: str = "") -> Iterator[Violation]:
    """Everything in a config that looks like a token, without showing it. `name` is what the value is the value of."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from tokens(inner, (*loc, key), str(value.get("name")) if key == "value" else str(key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from tokens(inner, (*loc, index), name)
    elif isinstance(value, str) and (kind := _kind(value, name if "env" in loc[:-1] else "")):
        message = f"This looks like {kind}, and everyone who sees the file can use it."
        yield Violation(TOKEN, path_of(loc), message, _FIX)


def _kind(value: str, variable: str) -> str | None:
    for kind, pattern in _LOOKS.items():
        if re.search(pattern, value):
            return kind
    # A variable may take its value from another one, $(OTHER), or name a file; and a short word is a switch.
    if _SECRET_NAME.search(variable) and len(value) >= _SHORTEST and not value.startswith(("$(", "/")):
        return f"a secret, by the name {variable}"
    return None

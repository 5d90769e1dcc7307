"""Thousands of broken kubeconfigs: each is a message of ours, and none shows a secret. `SOAK=1` for the long run."""

import copy
import json
import os
import random
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.cluster.client import ClusterClient, ClusterReadError
from components.cluster.transport import Limits
from stacks.checks.kubeconfig import UnreachableClusterError, check_context

RUNS = 3000 if os.environ.get("SOAK") else 200
SEED = 20261201
AT_ONCE = Limits(connect=0.2, read=0.2, call=0.3, tries=1)

SECRET = "hunter2"  # noqa: S105
"""What every secret of the kubeconfig has in it."""


def secret(name: str) -> str:
    return f"{SECRET}-{name}"


SOUND: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "a",
    "preferences": {},
    "contexts": [
        {"name": "a", "context": {"cluster": "one", "user": "token", "namespace": "team"}},
        {"name": "b", "context": {"cluster": "two", "user": "plugin"}},
        {"name": "c", "context": {"cluster": "one", "user": "password"}},
    ],
    "clusters": [
        {"name": "one", "cluster": {"server": "https://127.0.0.1:9", "insecure-skip-tls-verify": True}},
        {
            "name": "two",
            "cluster": {
                "server": "https://127.0.0.1:9/k8s",
                "tls-server-name": "api",
                "proxy-url": f"http://me:{secret('proxy')}@127.0.0.1:9",
                "extensions": [{"name": "x", "extension": {"key": secret("extension")}}],
            },
        },
    ],
    "users": [
        {"name": "token", "user": {"token": secret("token"), "as": "team", "as-groups": ["g"]}},
        {"name": "password", "user": {"username": "me", "password": secret("password")}},
        {
            "name": "plugin",
            "user": {
                "client-certificate-data": "aHVudGVyMg==",
                "client-key-data": "aHVudGVyMg==",
                "exec": {
                    "apiVersion": "client.authentication.k8s.io/v1",
                    "command": "no-such-plugin",
                    "interactiveMode": "Never",
                    "args": ["--secret", secret("argument")],
                    "env": [{"name": "SECRET", "value": secret("variable")}],
                },
            },
        },
    ],
}

ODD: list[Any] = [
    None,
    True,
    7,
    1.5,
    "",
    [],
    {},
    [{}],
    "x",
    "\0",
    "a\nb",
    "\u202e",
    "é",
    10**30,
    "https://",
    "127.0.0.1",
]
ODD_TEXT = [
    "\t",
    "\0",
    "'",
    '"',
    "{",
    "}",
    "[",
    "]",
    ":",
    "- ",
    "\n",
    "&a ",
    "*a",
    "!!int ",
    "!!python/x ",
    "---\n",
    "%",
    "<<: ",
]
ODD_TEXT += ["\ufeff", "\x1b[2J", "\ud83d", "#", "|", ">", "?", "!!timestamp ", "!!binary ", "0x", "1e999", "9" * 5000]

Places = list[tuple[Any, Any]]


def places(tree: Any) -> Places:
    """Every container with every key or index in it."""
    found: Places = []
    keys: Any = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for key in keys:
        found += [(tree, key), *places(tree[key])]
    return found


def names_a_context(there: Any, key: Any) -> bool:
    """Whether a message may show what stands there."""
    return key == "name" and "context" in there


def removed(there: Any, key: Any, _: Places, __: random.Random) -> None:
    del there[key]


def replaced(there: Any, key: Any, _: Places, chance: random.Random) -> None:
    there[key] = copy.deepcopy(chance.choice(ODD))


def exchanged(there: Any, key: Any, others: Places, chance: random.Random) -> None:
    other, its_key = chance.choice(others)
    if not names_a_context(there, key):
        there[key] = copy.deepcopy(other[its_key])


def renamed(there: Any, key: Any, others: Places, chance: random.Random) -> None:
    names = [name for _, name in others if isinstance(name, str) and name != "name"]
    if isinstance(there, dict):
        there[chance.choice([*names, "x"])] = there.pop(key)


def doubled(there: Any, key: Any, _: Places, __: random.Random) -> None:
    if isinstance(there, list):
        there.append(copy.deepcopy(there[key]))


def raised(there: Any, key: Any, others: Places, __: random.Random) -> None:
    """One level up, as by a wrong indent."""
    for above, its_key in others:
        if above[its_key] is there and isinstance(above, dict) and isinstance(there, dict):
            above[key] = there.pop(key)
            return


def spoiled(_: Any, __: Any, others: Places, chance: random.Random) -> None:
    """A secret as a paste leaves it."""
    secrets = [(there, key) for there, key in others if isinstance(there[key], str) and SECRET in there[key]]
    if secrets:
        there, key = chance.choice(secrets)
        there[key] += chance.choice(["\n", " ", "!", "\0", "\nx", "\t"])


CHANGES: tuple[Callable[[Any, Any, Places, random.Random], None], ...]
CHANGES = (removed, replaced, exchanged, renamed, doubled, raised, spoiled, spoiled)


def broken(chance: random.Random) -> str:
    """A kubeconfig with some mistakes in its values, its text or both."""
    tree = copy.deepcopy(SOUND)
    for _ in range(chance.randint(0, 3)):
        found = places(tree)
        chance.choice(CHANGES)(*chance.choice(found), found, chance)
    text = json.dumps(tree) if chance.random() < 0.3 else yaml.safe_dump(tree, sort_keys=False)
    for _ in range(chance.randint(0, 2)):
        at = chance.randrange(len(text))
        end = at + chance.choice([0, 0, 1, 5, 50])
        text = text[:at] + chance.choice([*ODD_TEXT, ""]) + text[end:]
    return text[: chance.randrange(len(text))] if chance.random() < 0.1 else text


@pytest.mark.parametrize("part", range(10))
def test_no_kubeconfig_causes_a_traceback_or_shows_a_secret(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    caplog.set_level("DEBUG")
    chance = random.Random(SEED + part)  # noqa: S311
    for number in range(RUNS // 10):
        text = broken(chance)
        Path("config").write_bytes(text.encode(errors="surrogatepass"))
        said = []
        for name in ("a", "b", "c"):
            try:
                check_context(name, "config")
            except UnreachableClusterError as error:
                said.append("".join(traceback.format_exception(error)))
        ways: list[tuple[str | None, str]] = [("a", "config"), ("b", "config"), (None, text)]
        for context, kubeconfig in ways:
            if not kubeconfig:
                continue
            try:
                ClusterClient(context, kubeconfig, AT_ONCE).get("/version")
            except ClusterReadError as error:
                said.append("".join(traceback.format_exception(error)))
        shown = [each for each in (*said, caplog.text) if SECRET in each or "aHVudGVyMg" in each]
        assert shown == [], f"kubeconfig {number} of part {part}:\n{text}"
        caplog.clear()


def test_base_kubeconfig_of_the_fuzzer_is_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config").write_text(yaml.safe_dump(SOUND))
    for context in ("a", "b", "c"):
        check_context(context, "config")

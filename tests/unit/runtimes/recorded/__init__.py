"""Runtimes with what the real system did with them, recorded once.

`corpus.jsonl` has 215 runtimes that differ from upstream's in one thing. Each was created on kube-apiserver 1.37.2 with
JobSet 0.12.0 and Trainer 2.3.0, and a TrainJob of two nodes was followed. `published` has 22 runtimes as people
published them, with names replaced and scripts cut, and what schema and sources of the same versions make of them.
`known_rules.jsonl` has the ids of the rules that were found in these sources.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

_FOLDER = Path(__file__).parent
PUBLISHED = _FOLDER / "published"


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def corpus() -> list[dict[str, Any]]:
    """The runtimes of the corpus, each with

    - `id`, and `rules`: the known rules that it breaks,
    - `depends_on`: `runtime` if the runtime alone decides the verdict, else `trainjob` or `cluster`,
    - `verdict`: `ok`, `rejected-at-create`, `late-failure` or `silent-misbehaviour`,
    - `stored`: whether the API server stored it without dropping a field,
    - `warned`: whether something was reported that does not keep it from training,
    - `object`, and where an update was tried `update` and `update_admitted`.
    """
    return _lines(_FOLDER / "corpus.jsonl")


def published() -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The verdict on each published file, and the manifests in it."""
    for verdict in _lines(PUBLISHED / "verdicts.jsonl"):
        yield verdict, list(yaml.safe_load_all((PUBLISHED / verdict["file"]).read_text(encoding="utf-8")))


def known_rules() -> list[dict[str, Any]]:
    """The rules that upstream's sources have: `id`, `catchable` (what must be known to find a breach: `runtime`,
    `trainjob`, ...) and `suggest` (`error`, `warn`, `info`)."""
    return _lines(_FOLDER / "known_rules.jsonl")

"""A report as text, JSON, SARIF or GitHub annotations."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .report import FileViolation, Report, RuleSummary
from .violation import Severity

Rules = Mapping[str, RuleSummary]
"""What is known about rules, by id."""

_GITHUB_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_GITHUB_PROPERTY = _GITHUB_DATA | str.maketrans({":": "%3A", ",": "%2C"})


def to_text(report: Report, summary: str) -> str:
    """One line per skipped document, two per violation, and the summary."""
    return "\n".join((*map(str, report.skipped), *map(str, report.violations), summary))


def to_json(report: Report) -> str:
    """The lists `violations`, `skipped` and `valid`."""
    whole = {
        "violations": [*map(asdict, report.violations)],
        "skipped": [*map(asdict, report.skipped)],
        "valid": report.valid,
    }
    return json.dumps(whole, indent=2)


def to_github(report: Report) -> str:
    """One workflow command per violation, which GitHub shows beside the line.

    Source: docs.github.com, "Workflow commands for GitHub Actions", and packages/core/src/command.ts of actions/toolkit
    for the escapes (read).
    """
    return "\n".join(map(_annotation, report.violations))


def _annotation(violation: FileViolation) -> str:
    file, title = (text.translate(_GITHUB_PROPERTY) for text in (violation.file, violation.rule))
    text = f"{_with_path(violation)}\nFix: {violation.fix}".translate(_GITHUB_DATA)
    return f"::{violation.severity} file={file},line={violation.line},title={title}::{text}"


def to_sarif(report: Report, tool: str, rules: Rules) -> str:
    """A log of SARIF 2.1.0 with one run, as code scanning services read it."""
    ids = list(dict.fromkeys(violation.rule for violation in report.violations))
    run = {
        "tool": {"driver": {"name": tool, "rules": [_descriptor(rule, rules.get(rule)) for rule in ids]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(violation, ids.index(violation.rule)) for violation in report.violations],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2)


def _descriptor(rule: str, known: RuleSummary | None) -> dict[str, Any]:
    described: dict[str, Any] = {"id": rule}
    if known:
        described["shortDescription"] = {"text": known.summary}
    if known and known.url:
        described["helpUri"] = known.url
    return described


def _result(violation: FileViolation, index: int) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(violation.file)},
            "region": {"startLine": violation.line},
        }
    }
    if violation.path:
        location["logicalLocations"] = [{"fullyQualifiedName": violation.path}]
    return {
        "ruleId": violation.rule,
        "ruleIndex": index,
        "level": "error" if violation.severity is Severity.ERROR else "warning",
        "message": {"text": f"{_with_path(violation)}\nFix: {violation.fix}"},
        "locations": [location],
    }


def _with_path(violation: FileViolation) -> str:
    return f"{violation.path}: {violation.message}" if violation.path else violation.message


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


FORMATS: Mapping[str, Callable[[Report, str, str, Rules], str]] = {
    "text": lambda report, summary, _tool, _rules: to_text(report, summary),
    "json": lambda report, _summary, _tool, _rules: to_json(report),
    "sarif": lambda report, _summary, tool, rules: to_sarif(report, tool, rules),
    "github": lambda report, _summary, _tool, _rules: to_github(report),
}
"""Each format by the word for it on a command line."""


def print_quietly(text: str) -> None:
    """Prints to standard output. If the reader has closed it, as `head` does, the rest is dropped without an error."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # The interpreter flushes standard output once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

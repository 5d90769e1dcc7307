"""Reports as SARIF and as GitHub annotations."""

import json
from typing import Any

import jsonschema
import pytest

from components.runtimes.rules import summaries
from components.runtimes.rules.summaries import rule_summaries
from components.validation.formats import to_github, to_sarif
from components.validation.report import FileViolation, Report, RuleSummary
from components.validation.violation import Severity

TEXT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}
LOCATION = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "physicalLocation": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"uri": {"type": "string", "format": "uri-reference"}},
                },
                "region": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"startLine": {"type": "integer", "minimum": 1}},
                },
            },
        },
        "logicalLocations": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"fullyQualifiedName": {"type": "string"}},
            },
        },
    },
}
RESULT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["message"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": -1},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {"type": "array", "items": LOCATION},
    },
}
RULE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id"],
    "properties": {
        "id": {"type": "string"},
        "shortDescription": TEXT,
        "helpUri": {"type": "string", "format": "uri", "pattern": "^https://"},
    },
}
RUN = {
    "type": "object",
    "additionalProperties": False,
    "required": ["tool"],
    "properties": {
        "tool": {
            "type": "object",
            "required": ["driver"],
            "properties": {
                "driver": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["name"],
                    "properties": {
                        "name": {"type": "string"},
                        "rules": {"type": "array", "uniqueItems": True, "items": RULE},
                    },
                }
            },
        },
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "results": {"type": "array", "items": RESULT},
    },
}
SARIF = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": {"type": "array", "items": RUN},
    },
}
"""What sarif-schema-2.1.0.json of OASIS says about the objects and properties that are written here. Others that it has
are not allowed."""


def violation(rule: str, severity: Severity = Severity.ERROR, file: str = "a b/c.yaml") -> FileViolation:
    return FileViolation(rule, "spec", "50% wrong, or: not.", "Mend\nit.", severity, file=file, line=3, subject="x")


REPORT = Report([violation("CTR-34"), violation("STK-01", Severity.WARNING, "/x/d.yaml"), violation("CTR-34")])


def test_sarif_is_as_its_schema_says() -> None:
    rules = {"CTR-34": RuleSummary("A value of another type.", "https://docs.example.com/runtime-rules.html#ctr-34")}
    log: dict[str, Any] = json.loads(to_sarif(REPORT, "training-runtimes", rules))

    jsonschema.validate(log, SARIF, format_checker=jsonschema.FormatChecker())
    (run,) = log["runs"]
    assert run["tool"]["driver"]["rules"] == [
        {
            "id": "CTR-34",
            "shortDescription": {"text": "A value of another type."},
            "helpUri": "https://docs.example.com/runtime-rules.html#ctr-34",
        },
        {"id": "STK-01"},
    ]
    assert [(each["ruleIndex"], each["ruleId"], each["level"]) for each in run["results"]] == [
        (0, "CTR-34", "error"),
        (1, "STK-01", "warning"),
        (0, "CTR-34", "error"),
    ]
    place = run["results"][0]["locations"][0]
    assert place["physicalLocation"] == {"artifactLocation": {"uri": "a%20b/c.yaml"}, "region": {"startLine": 3}}
    assert run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///x/d.yaml"


def test_nothing_found_is_a_valid_log_too() -> None:
    log = json.loads(to_sarif(Report(), "training-runtimes", {}))

    jsonschema.validate(log, SARIF)
    assert log["runs"][0]["results"] == []


def test_annotations_are_escaped_as_github_reads_them() -> None:
    report = Report([violation("CTR-34", file="a,b:c.yaml")])

    assert to_github(report) == (
        "::error file=a%2Cb%3Ac.yaml,line=3,title=CTR-34::spec: 50%25 wrong, or: not.%0AFix: Mend\\nit."
    )


def test_a_rule_has_the_address_of_its_documentation_once_that_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries, "rules_page", lambda: None)
    assert rule_summaries()["SIL-36"] == RuleSummary("The MPI launcher does not wait for the nodes to be ready.", None)
    monkeypatch.undo()

    class Metadata:
        def get_all(self, name: str) -> list[str]:
            assert name == "Project-URL"
            return ["Source, https://example.com/source", "Documentation, https://example.com/docs/"]

    monkeypatch.setattr(summaries, "metadata", lambda _: Metadata())
    assert rule_summaries()["CTR-36"].url == "https://example.com/docs/runtime-rules.html#ctr-36"

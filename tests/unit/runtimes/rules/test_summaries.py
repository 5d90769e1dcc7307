"""Summaries of all rules, and where they are documented."""

from email.message import Message
from importlib.metadata import PackageNotFoundError
from typing import Any

import pytest

from components.runtimes.rules import RULES, summaries
from components.runtimes.rules.schema import SCHEMA_RULES
from components.runtimes.rules.summaries import reported_as, rule_summaries, rules_page


def published(monkeypatch: pytest.MonkeyPatch, *urls: str) -> None:
    message = Message()
    for url in urls:
        message["Project-URL"] = url
    monkeypatch.setattr(summaries, "metadata", lambda _: message)


def test_every_id_has_a_summary() -> None:
    told = rule_summaries()
    assert set(told) == {*SCHEMA_RULES, *(rule_id for rule in RULES for rule_id in rule.ids)}
    assert all(each.summary.endswith(".") for each in told.values())


def test_rule_with_several_functions_has_the_summary_of_the_first() -> None:
    (first, second, *_) = [rule for rule in RULES if rule.id == "K8S-22"]
    assert first.summary != second.summary
    assert rule_summaries()["K8S-22"].summary == first.summary


def test_rule_with_several_ids_is_reported_as_the_first() -> None:
    several = next(rule for rule in RULES if len(rule.ids) > 1)
    assert reported_as(several.ids) == {several.id}
    assert reported_as(["CTR-36", "no such rule"]) == {"CTR-36", "no such rule"}


def test_page_is_below_the_documentation_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    published(monkeypatch, "Source, https://example.com/code", "Documentation, https://example.com/docs/")
    assert rules_page() == "https://example.com/docs/runtime-rules.html"
    assert rule_summaries()["SIL-36"].url == "https://example.com/docs/runtime-rules.html#sil-36"


def test_rules_of_a_package_without_documentation_have_no_url(monkeypatch: pytest.MonkeyPatch) -> None:
    published(monkeypatch, "Source, https://example.com/code")
    assert (rules_page(), rule_summaries()["SIL-36"].url) == (None, None)

    def absent(_: str) -> Any:
        raise PackageNotFoundError

    monkeypatch.setattr(summaries, "metadata", absent)
    assert rules_page() is None

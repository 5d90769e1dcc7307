"""Summaries of all rules, with the URL of their documentation."""

from collections.abc import Collection
from importlib.metadata import PackageNotFoundError, metadata

from ...validation.report import RuleSummary
from . import RULES
from .schema import SCHEMA_RULES

DISTRIBUTION = "training-platform"


def rule_summaries() -> dict[str, RuleSummary]:
    """The summary of each rule for manifests, by id. If several rules have one id, that of the first."""
    page = rules_page()
    told = {rule_id: f"{rule.forbids}." for rule_id, rule in SCHEMA_RULES.items()}
    for rule in RULES:
        for rule_id in rule.ids:
            told.setdefault(rule_id, rule.summary)
    return {rule_id: RuleSummary(text, page and f"{page}#{rule_id.lower()}") for rule_id, text in told.items()}


def reported_as(rule_ids: Collection[str]) -> set[str]:
    """The ids of these rules' violations. For a rule with several ids this is the first one."""
    first = {rule_id: rule.id for rule in RULES for rule_id in rule.ids}
    return {first.get(rule_id, rule_id) for rule_id in rule_ids}


def rules_page() -> str | None:
    """Absolute URL of docs/runtime-rules.md, from the project URL `Documentation` of the installed package.

    None: the package is not installed, or its documentation is not published.
    """
    try:
        urls = metadata(DISTRIBUTION).get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    found = (url for name, _, url in (each.partition(", ") for each in urls) if name == "Documentation")
    base = next(found, None)
    return base and f"{base.rstrip('/')}/runtime-rules.html"

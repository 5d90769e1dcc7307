"""Names as Kubernetes takes them."""

import re
from typing import Annotated

from pydantic import AfterValidator

from ..validation.errors import rule_error, yaml_repr

_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_LABEL_RULE = "at most 63 lower-case letters, digits and hyphens, neither first nor last a hyphen"


def is_dns_label(name: str) -> bool:
    """Whether a name is an RFC 1123 label."""
    return re.fullmatch(_LABEL, name) is not None


def _label(name: str) -> str:
    if not is_dns_label(name):
        raise rule_error(
            "NAME-01", f"{yaml_repr(name)} is no name that Kubernetes takes here.", f"Write {_LABEL_RULE}."
        )
    return name


def _subdomain(name: str) -> str:
    if len(name) > 253 or not re.fullmatch(rf"{_LABEL}(\.{_LABEL})*", name):
        fix = f"Write {_LABEL_RULE}; or several such, with dots between, at most 253 characters."
        raise rule_error("NAME-02", f"{yaml_repr(name)} is no name that Kubernetes takes here.", fix)
    return name


DnsLabel = Annotated[str, AfterValidator(_label)]
"""A name without dots, as namespaces have (RFC 1123 label). Label values take it too."""

DnsSubdomain = Annotated[str, AfterValidator(_subdomain)]
"""A name that may have dots, as nodes have (RFC 1123 subdomain)."""

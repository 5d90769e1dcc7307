"""Types for names of Kubernetes objects."""

import re
from typing import Annotated

from pydantic import AfterValidator

from ..validation.errors import rule_error, yaml_repr

_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_LABEL_RULE = "at most 63 lowercase letters, digits and hyphens, beginning and ending with a letter or digit"


def is_dns_label(name: str) -> bool:
    """Whether a name is an RFC 1123 label."""
    return re.fullmatch(_LABEL, name) is not None


def _label(name: str) -> str:
    if not is_dns_label(name):
        raise rule_error("NAME-01", f"{yaml_repr(name)} is not a valid name in Kubernetes.", f"Use {_LABEL_RULE}.")
    return name


def _subdomain(name: str) -> str:
    if len(name) > 253 or not re.fullmatch(rf"{_LABEL}(\.{_LABEL})*", name):
        fix = f"Use {_LABEL_RULE}; or several such parts separated by dots, at most 253 characters in all."
        raise rule_error("NAME-02", f"{yaml_repr(name)} is not a valid name in Kubernetes.", fix)
    return name


DnsLabel = Annotated[str, AfterValidator(_label)]
"""A name without dots, as namespaces have (RFC 1123 label). Also valid as a label value."""

DnsSubdomain = Annotated[str, AfterValidator(_subdomain)]
"""A name that may contain dots, as node names do (RFC 1123 subdomain)."""

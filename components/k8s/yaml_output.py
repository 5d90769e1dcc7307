"""Manifests as YAML text."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from .yaml_documents import PLAIN_SCALARS, TAG


class _Dumper(yaml.SafeDumper):
    """Quotes every string that Kubernetes would read as something else: PyYAML would leave `y` and `1e3` plain."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's way to have none of its own

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(f"{TAG}str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)

for _tag, _pattern, _first in PLAIN_SCALARS:
    _Dumper.add_implicit_resolver(TAG + _tag, re.compile(rf"(?:{_pattern})$"), _first)


def to_yaml(manifest: Mapping[str, Any]) -> str:
    """The manifest as `kubectl get -o yaml` prints it: keys in alphabetical order, lists not indented."""
    return yaml.dump(dict(manifest), Dumper=_Dumper, sort_keys=True, width=10**6, allow_unicode=True)

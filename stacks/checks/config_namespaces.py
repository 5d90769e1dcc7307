"""Namespaces of config keys: `training-platform:jobset` belongs to this project, `aws:region` to a provider."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from components.validation.violation import Violation

PROVIDERS = frozenset({"aws", "azure-native", "gcp", "kubernetes", "pulumi"})
"""Providers that read their own namespace of the config. Their keys can have the name of a section, such as
`kubernetes:cluster`."""

SIMILARITY_CUTOFF = 0.8
"""Minimum similarity, from 0 to 1, for a namespace to count as a misspelling of the project's name."""


def find_misspelt_namespaces(config: Iterable[str], project: str, sections: Sequence[str]) -> Iterator[Violation]:
    """Yields a violation for each key that seems to be a section of the project but has another namespace. Pulumi
    ignores such a key, so the next `up` would delete its layer."""
    for key in config:
        namespace, _, name = key.partition(":")
        if namespace == project or namespace in PROVIDERS:
            continue
        if name in sections or get_close_matches(namespace.lower(), [project], cutoff=SIMILARITY_CUTOFF):
            meant = next(iter(get_close_matches(name, sections, n=1)), name)
            message = f"`{namespace}` is not this project's namespace, so this key is ignored."
            yield Violation("STK-01", key, message, f"Did you mean `{project}:{meant}`?")

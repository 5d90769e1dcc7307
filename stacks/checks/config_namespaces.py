"""Whose a key of the config is: `training-platform:jobset` is this project's, `aws:region` a provider's."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from components.validation.violation import Violation

PROVIDERS = frozenset({"aws", "azure-native", "gcp", "kubernetes", "pulumi"})
"""Those that read a namespace of the config themselves; `kubernetes:cluster` has the name of a section of ours."""

SIMILARITY_CUTOFF = 0.8
"""How alike, of 1, a namespace is the project's when that was meant."""


def find_misspelt_namespaces(config: Iterable[str], project: str, sections: Sequence[str]) -> Iterator[Violation]:
    """Keys that were meant as sections of the project but have another namespace. They would be ignored, and their
    layers would be deleted."""
    for key in config:
        namespace, _, name = key.partition(":")
        if namespace == project or namespace in PROVIDERS:
            continue
        if name in sections or get_close_matches(namespace.lower(), [project], cutoff=SIMILARITY_CUTOFF):
            meant = next(iter(get_close_matches(name, sections, n=1)), name)
            message = f"`{namespace}` is not this project's namespace, so this key is ignored."
            yield Violation("STK-01", key, message, f"Did you mean `{project}:{meant}`?")

"""Keys that Pulumi would ignore, because their namespace is not that of the project."""

import pytest

from stacks.checks.config_namespaces import find_misspelt_namespaces

SECTIONS = ("cluster", "jobset", "runtimes")


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("trainingplatform:jobset", "training-platform:jobset"),
        ("other:jobset", "training-platform:jobset"),
        ("Training-Platform:runtimes", "training-platform:runtimes"),
        ("training-platfrom:runtime", "training-platform:runtimes"),
        ("training-platfrom:xyz", "training-platform:xyz"),
    ],
)
def test_section_in_another_namespace_is_rejected(key: str, meant: str) -> None:
    (violation,) = find_misspelt_namespaces(["aws:region", key], "training-platform", SECTIONS)
    assert (violation.rule, violation.path, violation.message, violation.fix) == (
        "STK-01",
        key,
        f"`{key.partition(':')[0]}` is not this project's namespace, so this key is ignored.",
        f"Did you mean `{meant}`?",
    )


@pytest.mark.parametrize("key", ["training-platform:jobset", "kubernetes:cluster", "aws:region", "other:region"])
def test_keys_of_the_project_and_of_others_are_accepted(key: str) -> None:
    assert [*find_misspelt_namespaces([key], "training-platform", SECTIONS)] == []

"""Registries as images are pulled from them."""

import pytest
from pydantic import TypeAdapter, ValidationError

from components.k8s.images import Registry

REGISTRY: TypeAdapter[str] = TypeAdapter(Registry)


@pytest.mark.parametrize("registry", ["ghcr.io", "localhost:5000", "mirror.example.com/ghcr", "[::1]:5000/a/b"])
def test_a_host_and_a_path_are_a_registry(registry: str) -> None:
    assert REGISTRY.validate_python(registry) == registry


@pytest.mark.parametrize(
    ("registry", "fix"),
    [
        ("https://m.example.com/", 'Write "m.example.com".'),
        ("oci://m.example.com/ghcr", 'Write "m.example.com/ghcr".'),
        ("m.example.com/ghcr//", 'Write "m.example.com/ghcr".'),
        ("/m.example.com", 'Write "m.example.com".'),
        ("https://", 'Write a host, with a path if needed: "mirror.example.com/ghcr".'),
        ("", 'Write a host, with a path if needed: "mirror.example.com/ghcr".'),
    ],
)
def test_a_scheme_or_a_slash_at_an_end_is_refused_with_the_registry_that_was_meant(registry: str, fix: str) -> None:
    with pytest.raises(ValidationError) as refused:
        REGISTRY.validate_python(registry)
    assert [details["ctx"] for details in refused.value.errors()] == [
        {
            "rule": "REG-01",
            "message": f'"{registry}" is not a valid registry: it must have no scheme and no slash at either end.',
            "fix": fix,
        }
    ]

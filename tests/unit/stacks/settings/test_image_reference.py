"""References to images, read as container runtimes read them."""

import pytest

from stacks.settings.image_reference import ImageReference

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("busybox", ("docker.io", "library/busybox", None, None)),
        ("busybox:1", ("docker.io", "library/busybox", "1", None)),
        ("team/app", ("docker.io", "team/app", None, None)),
        ("docker.io/app", ("docker.io", "library/app", None, None)),
        ("index.docker.io/app", ("docker.io", "library/app", None, None)),
        ("localhost/app", ("localhost", "app", None, None)),
        ("localhost:5000/app:1", ("localhost:5000", "app", "1", None)),
        ("Host/app", ("host", "app", None, None)),
        ("[::1]:5000/app", ("[::1]:5000", "app", None, None)),
        (f"GHCR.io/a/b:1@{DIGEST}", ("ghcr.io", "a/b", "1", DIGEST)),
        (f"ghcr.io/a/b@{DIGEST}", ("ghcr.io", "a/b", None, DIGEST)),
        ("ghcr.io/a__b/c-d.e", ("ghcr.io", "a__b/c-d.e", None, None)),
    ],
)
def test_reference_is_parsed(text: str, read: tuple[str, str, str | None, str | None]) -> None:
    assert ImageReference.parse(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ghcr.io/",
        "ghcr.io/../evil.io/x",
        "ghcr.io//x",
        "ghcr.io/a/B",
        "evil.io/x@latest",
        "evil.io/x:v1@x",
        "evil.io/x:v1@sha256:00",
        f"evil.io/x:v1@{DIGEST}@{DIGEST}",
        "evil.io/x:",
        "evil.io/x@",
        "evil.io/x:-1",
        "https://evil.io/x",
        "evil.io/x y",
        "evil.io/x\n",
        "user@evil.io/x",
        "evil.io/x:" + "a" * 129,
        "evil.io/" + "a" * 248,
    ],
)
def test_invalid_image_reference_is_rejected(text: str) -> None:
    assert ImageReference.parse(text) is None


@pytest.mark.parametrize(
    ("text", "registry", "inside"),
    [
        ("busybox", "docker.io", True),
        ("busybox", "docker.io/library", True),
        ("team/app", "docker.io/library", False),
        ("ghcr.io/team/app", "ghcr.io/team", True),
        ("ghcr.io/teams/app", "ghcr.io/team", False),
        ("ghcr.io.evil.io/app", "ghcr.io", False),
        ("ghcr.io:5000/app", "ghcr.io", False),
        ("GHCR.io/app", "ghcr.io", True),
        ("ghcr.io/app", "GHCR.io", True),
        ("busybox", "index.docker.io", True),
    ],
)
def test_image_below_a_path_is_in_the_registry(text: str, registry: str, inside: bool) -> None:
    reference = ImageReference.parse(text)
    assert reference is not None
    assert reference.is_in(registry) is inside

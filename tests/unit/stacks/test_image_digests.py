"""How digests are read: which program runs, and what is made of its answers. tests/e2e asks a real registry."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from stacks.image_copies import ImageCopy
from stacks.image_digests import DigestError, read_digests

DIGEST = f"sha256:{'1' * 64}"
COPIES = [ImageCopy("image", f"a.example.com/{name}:1", f"m.example.com/{name}:1", None) for name in "ba"]

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Makes a program the only one on PATH: a shell script."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def write(name: str, script: str) -> None:
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)

    return write


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("crane", "digest m.example.com/{0}:1"),
        ("skopeo", "inspect --no-tags --format {{{{.Digest}}}} docker://m.example.com/{0}:1"),
    ],
)
def test_digest_of_each_target_is_read(program: str, arguments: str, install: Install) -> None:
    cases = " ".join(f'"{arguments.format(name)}") echo {DIGEST};;' for name in "ab")
    install(program, f'case "$*" in {cases} *) exit 9;; esac')
    pins = read_digests(COPIES)
    assert pins.as_yaml() == f"pins:\n  m.example.com/a:1: {DIGEST}\n  m.example.com/b:1: {DIGEST}"


def test_pinned_image_is_not_read(install: Install) -> None:
    install("crane", "exit 9")
    assert read_digests([COPIES[0]._replace(digest=DIGEST)]).digests == {}


def test_all_references_that_cannot_be_read_are_in_one_error(install: Install) -> None:
    install("crane", 'echo first >&2; printf "%s: DEN\\033[31mIED\\n" "$2" >&2; exit 1')
    with pytest.raises(DigestError) as refused:
        read_digests(COPIES)
    assert str(refused.value) == (
        "The digests of these references cannot be read:\n\n"
        "  m.example.com/b:1: m.example.com/b:1: DEN\\x1b[31mIED\n"
        "  m.example.com/a:1: m.example.com/a:1: DEN\\x1b[31mIED"
    )


@pytest.mark.parametrize(("script", "why"), [("echo latest", "exit code 0"), ("exit 3", "exit code 3")])
def test_answer_without_a_digest_is_an_error(script: str, why: str, install: Install) -> None:
    install("crane", script)
    with pytest.raises(DigestError, match=f"m.example.com/b:1: {why}"):
        read_digests(COPIES)


def test_registry_that_does_not_answer_is_an_error(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("crane", "")

    def expire(*_: object, timeout: float, **__: object) -> None:
        raise subprocess.TimeoutExpired("crane", timeout)

    monkeypatch.setattr(subprocess, "run", expire)
    with pytest.raises(DigestError, match=r"m\.example\.com/b:1: The registry did not answer within 60 seconds\."):
        read_digests(COPIES)


@pytest.mark.usefixtures("install")
def test_missing_programs_are_named() -> None:
    with pytest.raises(DigestError, match="crane or skopeo, and neither is on PATH"):
        read_digests(COPIES)

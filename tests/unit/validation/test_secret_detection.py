"""Tokens in files: found in values, keys, variables and chart values, and shown nowhere."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.runtimes import torch
from components.runtimes.__main__ import main
from components.validation.errors import yaml_repr
from components.validation.printable import printable
from components.validation.secret_detection import HIDDEN, find_tokens

HF, GH = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": [HF]}, [(("a", 0), "a token of Hugging Face")]),
        ({GH: 1}, [((HIDDEN,), "a token of GitHub")]),
        ({"env": {"DB_PASSWORD": "hunter22"}}, [(("env", "DB_PASSWORD"), "a secret, by the name DB_PASSWORD")]),
        (
            {"env": [{"name": "API_KEY", "value": "12345678"}]},
            [(("env", 0, "value"), "a secret, by the name API_KEY")],
        ),
        (
            {"values": {"db": {"adminPassword": "hunter22"}}},
            [(("values", "db", "adminPassword"), "a secret, by the name adminPassword")],
        ),
        ({"values": {"token": "12345678"}}, [(("values", "token"), "a secret, by the name token")]),
        ({"values": {"existingSecret": "my-secret", "maxTokens": "12345678"}}, []),
        ({"labels": {"token": "12345678"}}, []),
        ({"env": {"A_TOKEN": "$(OTHER)", "B_TOKEN": "/run/secrets/b", "C_TOKEN": "true"}}, []),
        ({"url": "https://user:pass@host/x"}, [(("url",), "an address with a password")]),
        ({"a": "-----BEGIN RSA PRIVATE KEY-----\nabc"}, [(("a",), "a private key")]),
        ({"a": f"eyJ{'a' * 10}.eyJ{'b' * 10}.c"}, [(("a",), "a signed token (JWT)")]),
    ],
)
def test_what_looks_like_a_token_is_found(value: Any, found: list[tuple[Any, str]]) -> None:
    assert [*find_tokens(value)] == found


def test_no_message_shows_a_token() -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----"
    assert printable(f"a {HF} b {GH} c {key}") == "a (hidden) b (hidden) c (hidden)"
    assert printable("https://me:pw@host/x") == "(hidden)host/x"
    assert yaml_repr("x" * 50 + " " + GH) == f'"{"x" * 50} {HIDDEN}"'


def test_the_search_takes_time_in_proportion_to_the_text() -> None:
    """With the patterns of before each of these took minutes; without limits on time this test would hang."""
    for text in ("a." * 1_000_000, "eyJ-" * 500_000, "a://" * 500_000, "x://" + "a:" * 1_000_000):
        assert [*find_tokens({"a": text})] == []


def test_a_token_in_a_manifest_is_a_warning_of_the_linter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = torch(name="a", env={"HF_TOKEN": HF}).to_manifest()
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(manifest))
    assert main(["check", "--format", "json", str(tmp_path / "a.yaml")]) == 0
    printed = capsys.readouterr().out
    assert HF not in printed
    (violation,) = [each for each in json.loads(printed)["violations"] if each["rule"] == "YAML-04"]
    assert (violation["severity"], violation["path"].rpartition(".")[2]) == ("warning", "value")
    assert violation["message"] == "This looks like a token of Hugging Face, which everyone who sees the file can use."
    manifest["spec"]["mlPolicy"]["numNodes"] = GH  # another mistake, which shows its value
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(manifest))
    assert main(["check", str(tmp_path / "a.yaml")]) == 1
    assert GH not in capsys.readouterr().out


def test_a_manifest_cannot_forge_the_linters_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forged = "a\n::error file=x::y\n0 errors, 0 warnings; 1 good runtime.\x1b[2J"
    manifest = torch(name="a").to_manifest()
    manifest["spec"][forged] = 1
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(manifest))
    (tmp_path / "b.yaml").write_text(yaml.safe_dump({"kind": forged, "apiVersion": "v1"}))
    assert main(["check", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert not [line for line in lines if line.startswith(("::", "0 errors")) or "\x1b" in line]
    assert lines[-1].startswith("1 error, ")

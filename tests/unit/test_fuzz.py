"""Seeded fuzzing of all that reads files: no exception but the documented ones, and no secret in any message.

Short by default; `SOAK=1` runs 5,000 stack files and 15,000 runtimes.
"""

import io
import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from components.k8s.yaml_documents import YamlError, read_documents
from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError, deepspeed, torch, torchtune
from components.runtimes.__main__ import main
from stacks.settings.error_report import InvalidSettingsError
from stacks.settings.load import load_stack
from stacks.settings.resolve import resolve
from stacks.settings.stack_file import StackFileError

from .mutation import SECRETS, mutated, mutated_text

LONG = os.environ.get("SOAK") == "1"
STACK_FILES, RUNTIMES, DOCUMENTS = (5_000, 15_000, 5_000) if LONG else (150, 300, 300)

PROJECT = "training-platform"

STACK_FILE = f"""\
config:
  {PROJECT}:inherits: base
  {PROJECT}:cluster: {{context: local, kubeconfig: kubeconfig}}
  {PROJECT}:gpuNodePools:
    metal:
      provider: existing
      nodes: [gpu-0, gpu-1]
      gpusPerNode: 8
  {PROJECT}:jobset:
    replicas: 2
    resources: {{limits: {{cpu: 500m, memory: 512Mi}}}}
    values: {{controller: {{extra: 1}}, image: {{tag: v0.12.0}}}}
  {PROJECT}:trainer:
    qps: 50
    values:
      image:
        repository: kubeflow/trainer/trainer-controller-manager
  {PROJECT}:runtimes:
    a: {{framework: torch, nodes: 2, gpusPerNode: 8, nodePool: metal}}
    b:
      framework: deepspeed
      nodes: 4
      env:
        NCCL_DEBUG: INFO
        HF_TOKEN: {SECRETS[0]}
    theirs: {{manifest: runtimes.yaml}}
  {PROJECT}:images:
    mirrors: {{ghcr.io: mirror.example.com/ghcr}}
    digests: required
  {PROJECT}:policies:
    registries: [mirror.example.com]
    warnings: refused
"""

KUBECONFIG = "contexts: [{name: local, context: {cluster: a}}]\nclusters: [{name: a, cluster: {server: 'https://a'}}]\n"

CATALOGUE = [
    {**runtime.to_manifest(), "status": {}}
    for runtime in (
        torch(nodes=2, gpus_per_node=8),
        deepspeed(env={"HF_HOME": "/x"}),
        torchtune(),
    )
]


def _no_secret(text: str) -> None:
    shown = [secret for secret in SECRETS if secret in text]
    assert not shown
    assert all(character.isprintable() or character == "\n" for character in text)


@contextmanager
def _from_seed(kind: str, seed: int) -> Iterator[random.Random]:
    """Says which seed it was that failed."""
    try:
        yield random.Random(f"{kind}-{seed}")  # noqa: S311 - no secret is made
    except Exception as error:
        raise AssertionError(f"seed {kind}-{seed}: {type(error).__name__}: {error}") from error


def test_stack_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stacks").mkdir()
    (tmp_path / "kubeconfig").write_text(KUBECONFIG)
    (tmp_path / "stacks" / "base.yaml").write_text("jobset: {replicas: 1}\n")
    (tmp_path / "runtimes.yaml").write_text(yaml.safe_dump(CATALOGUE[0]))
    file = tmp_path / "stacks" / "Pulumi.test.yaml"
    base = STACK_FILE.replace(f"        HF_TOKEN: {SECRETS[0]}\n", "")
    for seed in range(STACK_FILES):
        with _from_seed("stack", seed) as source:
            text = mutated_text(STACK_FILE if seed % 5 == 0 else base, source)
            file.write_text(text, encoding="utf-8", errors="surrogatepass")
            try:
                resolve(load_stack("test", PROJECT))
            except (InvalidSettingsError, StackFileError) as error:
                _no_secret(str(error))


def test_runtimes_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [yaml.safe_dump(each, sort_keys=False) for each in CATALOGUE]
    file = tmp_path / "a.yaml"
    for seed in range(RUNTIMES // 2):
        with _from_seed("text", seed) as source:
            file.write_text(mutated_text(source.choice(texts), source), encoding="utf-8", errors="surrogatepass")
            output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
            monkeypatch.setattr(sys, "stdout", output)
            assert main(["check", str(file), *(["--format", "json"] if seed % 2 else [])]) in (0, 1)
            output.seek(0)
            _no_secret(output.read())


def test_runtimes_as_mappings() -> None:
    for seed in range(RUNTIMES // 2):
        with _from_seed("mapping", seed) as source:
            try:
                ClusterTrainingRuntime.from_manifest(mutated(source.choice(CATALOGUE), source), adopt=seed % 2 == 0)
            except InvalidRuntimeError as error:
                _no_secret(str(error))


def test_documents() -> None:
    for seed in range(DOCUMENTS):
        with _from_seed("document", seed) as source:
            try:
                for document in read_documents(mutated_text(STACK_FILE, source)):
                    [*document.duplicate_keys()]
                    document.find("config.a[0].b")
            except YamlError as error:
                _no_secret(f"{error} {error.fix}")

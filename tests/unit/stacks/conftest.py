"""A project's folder with a stack's file, a kubeconfig, a chart and a manifest in it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from stacks.settings.load import load_sections
from stacks.settings.resolve import ResolvedStack, resolve
from stacks.settings.stack_file import StackFile

PROJECT = "training-platform"

KUBECONFIG = """\
contexts:
- name: local
  context: {cluster: here, user: me}
- name: lonely
  context: {cluster: nowhere}
clusters:
- name: here
  cluster: {server: "https://127.0.0.1:6443"}
users:
- name: me
  user: {}
"""

BASE = """\
jobset:
  replicas: 2
  replica: 3
runtimes:
  shared: {framework: mlx, nodes: 1}
  other: {framework: torch}
"""

BROKEN_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: theirs, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {numNode: 1}
"""


LEAKY_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: theirs}
spec:
  env: {HF_TOKEN: hf_abcdefghijklmnopqrstuvwxyzABCDEFGH}
"""


_HEAD = "config:\n  training-platform:inherits: shared\n  training-platform:cluster: {context: far-away}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's folder, in which programs run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "stacks").mkdir()
    (tmp_path / "kubeconfig").write_text(KUBECONFIG)
    (tmp_path / "runtimes.yaml").write_text(BROKEN_RUNTIME)
    (tmp_path / "secret.yaml").write_text(LEAKY_RUNTIME)
    (tmp_path / "charts" / "jobset").mkdir(parents=True)
    (tmp_path / "charts" / "jobset" / "Chart.yaml").write_text("name: jobset\nversion: 0.8.2\n")
    (tmp_path / "charts" / "latin").mkdir()
    (tmp_path / "charts" / "latin" / "Chart.yaml").write_bytes(b"name: latin\nversion: 0.8.2 # \xe9\n")
    (tmp_path / "stacks" / "base.yaml").write_text(BASE)
    (tmp_path / "stacks" / "broken.yaml").write_text("jobset: {\n")
    (tmp_path / "stacks" / "twice.yaml").write_text("jobset:\n  replicas: 2\n  replicas: 3\n")
    (tmp_path / "stacks" / "nested.yaml").write_text("inherits: base\n")
    (tmp_path / "stacks" / "listed.yaml").write_text("- jobset\n")
    return tmp_path


@pytest.fixture
def read(project: Path) -> Callable[[str], ResolvedStack]:
    """Reads sections written as in a stack's file, but without the project's name before each."""

    def read(sections: str) -> ResolvedStack:
        lines = sections.strip().splitlines(keepends=True)
        config = "".join(f"  {line}" if line.startswith(" ") else f"  {PROJECT}:{line}" for line in lines)
        (project / "stacks" / "Pulumi.test.yaml").write_text(f"config:\n{config}\n")
        loaded = load_sections(json.loads(json.dumps(yaml.safe_load(sections))), StackFile("test", PROJECT))
        return resolve(loaded)

    return read


@pytest.fixture
def stacks(project: Path) -> Path:
    """The folder of stack files of a project: two that differ, one each with an old version, a mistake, a secret."""
    folder = project / "stacks"
    (project / "Pulumi.yaml").write_text("name: training-platform\n")
    (folder / "shared.yaml").write_text("jobset: {replicas: 1}\nruntimes:\n  mine: {framework: torch, image: a:1}\n")
    (folder / "Pulumi.dev.yaml").write_text(_HEAD)
    (folder / "Pulumi.prod.yaml").write_text(
        _HEAD + "  training-platform:jobset: {replicas: 2, values: {a: {b: [1, 2]}}}\n"
        "  training-platform:images: {mirrors: {registry.k8s.io: m.example.com}}\n"
    )
    (folder / "Pulumi.folder.yaml").write_text(
        "config:\n  training-platform:cluster: {context: far-away}\n"
        "  training-platform:jobset: {chart: charts/jobset, version: 0.8.2}\n"
    )
    (folder / "Pulumi.old.yaml").write_text(
        "config:\n  training-platform:cluster: {stack: acme/clusters/prod}\n"
        '  training-platform:jobset: {version: "0.11.1"}\n  training-platform:trainer: {version: "2.2.0"}\n'
        "  training-platform:runtimes:\n    mpi: {framework: deepspeed}\n    plain: {framework: xgboost}\n"
    )
    (folder / "Pulumi.wrong.yaml").write_text(_HEAD + "  training-platform:jobset: {replica: 2}\n")
    (folder / "Pulumi.secret.yaml").write_text(_HEAD + "  training-platform:trainer: {secure: hunter2}\n")
    return folder

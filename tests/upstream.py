"""Upstream's operators of every version in the matrix, read from their pinned Go modules: charts, CRDs, sources."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.spec import OperatorSpec
from tools.go_modules import module_dir

TRAINER, JOBSET = "github.com/kubeflow/trainer/v2", "sigs.k8s.io/jobset"

MATRIX = (("2.0.0", "0.8.2"), ("2.1.0", "0.10.1"), ("2.2.0", "0.11.1"), ("2.3.0", "0.12.0"))
"""Versions of Trainer, each with its JobSet, oldest first."""

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Release:
    """One version of an operator."""

    spec: type[OperatorSpec]
    """What this project knows about the operator."""

    version: str
    """Its version, without the leading v."""

    def __str__(self) -> str:
        """The name of a test's case."""
        return f"{self.spec.facts.release}-{self.version}"

    @property
    def folder(self) -> Path:
        """The Go module."""
        return module_dir(JOBSET if self.spec is JobSetOperatorSpec else TRAINER, self.version)

    @property
    def crd_files(self) -> Mapping[str, Path]:
        """The files of the CRDs for kustomize by plural and group, such as `trainjobs.trainer.kubeflow.org`."""
        inner = "config/components/crd/bases" if self.spec is JobSetOperatorSpec else "manifests/base/crds"
        files = {file.stem.partition("_"): file for file in sorted((self.folder / inner).glob("*_*.yaml"))}
        return {f"{plural}.{group}": file for (group, _, plural), file in files.items()}

    @property
    def runtimes(self) -> Mapping[str, Path]:
        """The files of Trainer's runtimes by name without ending, those of TorchTune and of the data cache included."""
        files = sorted((self.folder / "manifests" / "base" / "runtimes").rglob("*.yaml"))
        return {file.stem: file for file in files if file.stem != "kustomization"}

    @property
    def chart(self) -> Path:
        """The Helm chart."""
        return self.folder / "charts" / self.spec.facts.release

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """Default values of the chart."""
        values: Mapping[str, Any] = yaml.load((self.chart / "values.yaml").read_text(), Loader)  # noqa: S506 - it is safe
        return values

    @cached_property
    def templates(self) -> str:
        """All templates of the chart, without its CRDs."""
        files = sorted((self.chart / "templates").rglob("*"))
        return "\n".join(each.read_text() for each in files if each.is_file() and "/crd/" not in each.as_posix())

    @cached_property
    def crds(self) -> Mapping[str, Mapping[str, Any]]:
        """The chart's CRDs by name, whether they are in `crds/` or in a template."""
        files = [*(self.chart / "crds").glob("*.yaml"), *(self.chart / "templates" / "crd").glob("*.yaml")]
        texts = [_without_actions(file.read_text()) for file in sorted(files)]
        return {crd["metadata"]["name"]: crd for text in texts for crd in yaml.load_all(text, Loader) if crd}

    @cached_property
    def webhooks(self) -> frozenset[str]:
        """Names of the webhooks in the chart, of both kinds."""
        folder = self.chart / "templates" / "webhook"
        text = "\n".join(file.read_text() for file in folder.glob("*.yaml"))
        return frozenset(re.findall(r"^\s*(?:- )?name: ([a-z0-9-]+(?:\.[a-z0-9-]+){2,})$", text, re.MULTILINE))

    @cached_property
    def kustomize_webhooks(self) -> frozenset[str]:
        """Names of the webhooks in the manifests for kustomize."""
        folder = self.folder / ("config" if self.spec is JobSetOperatorSpec else "manifests")
        text = "\n".join(file.read_text() for file in folder.rglob("manifests.yaml"))
        return frozenset(re.findall(r"^\s*(?:- )?name: ([a-z0-9-]+(?:\.[a-z0-9-]+){2,})$", text, re.MULTILINE))

    @cached_property
    def sources(self) -> str:
        """Every Go source of the module that is no test, generated code left out."""
        files = (file for part in ("api", "pkg", "cmd") for file in sorted((self.folder / part).rglob("*.go")))
        return "\n".join(
            file.read_text() for file in files if not file.name.endswith("_test.go") and "zz_generated" not in file.name
        )

    def has_value(self, key: str) -> bool:
        """Whether the chart's default values have a dotted key."""
        *outer, last = key.split(".")
        values: Any = self.values
        for part in outer:
            values = values.get(part) if isinstance(values, Mapping) else None
        return isinstance(values, Mapping) and last in values

    def uses_value(self, key: str) -> bool:
        """Whether a template reads a dotted key, or a mapping around it as a whole."""
        parts = key.split(".")
        prefixes = (".".join(parts[: end + 1]) for end in range(len(parts)))
        whole = re.escape(key)
        return bool(re.search(rf"\.Values\.{whole}\b", self.templates)) or any(
            re.search(rf"with \.Values\.{re.escape(prefix)} ", self.templates) for prefix in prefixes
        )


def _without_actions(template: str) -> str:
    """The YAML of a template whose actions and comments stand on lines of their own."""
    return re.sub(r"^\s*\{\{.*?\}\}\s*$", "", template, flags=re.MULTILINE | re.DOTALL)


RELEASES = tuple(
    Release(spec, version)
    for trainer, jobset in MATRIX
    for spec, version in ((KubeflowTrainerSpec, trainer), (JobSetOperatorSpec, jobset))
)
"""All of the matrix, oldest first."""

TRAINER_NOW, JOBSET_NOW = RELEASES[-2:]
"""The versions that this project installs by default."""

"""Unpacks upstream's Helm charts from the operators' Go modules.

Templates, CRDs and default values are unchanged. Only what upstream's release process changes when it packages a chart
is done here too:

- JobSet (hack/helm-chart-package.sh of its module): `image.repository`, `image.tag` and `image.pullPolicy` of the
  default values, and the chart's version and appVersion. In the module they name a staging registry and the tag `main`.
- Trainer: the dependencies in Chart.yaml are put into the folder `charts`, as `helm dependency build` does.
"""

import re
import shutil
from pathlib import Path

import yaml

from tools import go_build
from tools.local_cluster.operators import JOBSET_MODULE, Operator

LWS_MODULE = "sigs.k8s.io/lws"


def unpack(operator: Operator) -> None:
    """Unpack the operator's chart into `operator.chart`, unless it exists."""
    if operator.chart.exists():
        return
    partial = operator.chart.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    module = go_build.module_folder(operator.go_module, operator.module)
    _copy(module / "charts" / operator.release, partial)
    if operator.module == JOBSET_MODULE:
        _as_released(partial, operator.version)
    for dependency in yaml.safe_load((partial / "Chart.yaml").read_text()).get("dependencies") or ():
        _bundle(partial, operator, dependency["name"], dependency["version"].removeprefix("v"))
    partial.rename(operator.chart)


def _copy(source: Path, target: Path) -> None:
    # Files of the module cache are read-only, and so would be their copies.
    shutil.copytree(source, target, copy_function=shutil.copyfile)
    for folder in (target, *(path for path in target.rglob("*") if path.is_dir())):
        folder.chmod(0o755)


def _bundle(chart: Path, operator: Operator, name: str, version: str) -> None:
    bundled = chart / "charts" / name
    go_module, module = {"jobset": (operator.go_module, JOBSET_MODULE), "lws": ("lws", LWS_MODULE)}[name]
    _copy(go_build.module_folder(go_module, module) / "charts" / name, bundled)
    if module == JOBSET_MODULE:
        _as_released(bundled, version)
    else:
        _set_version(bundled, version)


def _as_released(chart: Path, version: str) -> None:
    """Set what JobSet's hack/helm-chart-package.sh sets for a release."""
    values = chart / "values.yaml"
    text = values.read_text()
    for key, value in {"repository": "registry.k8s.io/jobset/jobset", "tag": f"v{version}"}.items():
        text = re.sub(rf"(?m)^  {key}: .*$", f"  {key}: {value}", text, count=1)
    values.write_text(re.sub(r"(?m)^  pullPolicy: .*$", "  pullPolicy: IfNotPresent", text, count=1))
    _set_version(chart, version)


def _set_version(chart: Path, version: str) -> None:
    """Set what `helm package --version ... --app-version v...` sets."""
    file = chart / "Chart.yaml"
    text = re.sub(r"(?m)^version: .*$", f"version: {version}", file.read_text(), count=1)
    file.write_text(re.sub(r"(?m)^appVersion: .*\n?", "", text).rstrip() + f"\nappVersion: v{version}\n")

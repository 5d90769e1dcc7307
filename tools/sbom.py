"""Writes an SBOM (CycloneDX) and a list of licenses of everything this project uses: `make sbom`.

The packages are read from the files that pin them: locks of Python packages, go.mod files, charts and images of the
operators and of the catalog, and the versions recorded when images for real pods were built. The licenses are read from
installed packages and from the module cache.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.runtimes import catalog
from stacks.settings.image_inventory import of_runtime
from tools import LOCAL, PROJECT, go_build
from tools.real_pods import IMAGES

SBOM = LOCAL / "sbom" / "sbom.cdx.json"
LICENSES = LOCAL / "sbom" / "licenses.md"
UNKNOWN = "not installed here"
"""Text for a license that cannot be read on this machine."""

LICENSE_READER = go_build.Program("licenses", "licenses", "training-platform/tools/licenses")


@dataclass(frozen=True)
class Package:
    """A third-party package in one version.

    Attributes:
        type: Type in its package URL: `pypi`, `golang`, `deb`, `oci`, `helm`.
        name: Its full name.
        version: Its version.
        pinned_in: The files that pin it, relative to the project.
        qualifiers: Qualifiers in its package URL.
        license: Its license, as it states it. Empty: unknown.
    """

    type: str
    name: str
    version: str
    pinned_in: tuple[str, ...]
    qualifiers: tuple[tuple[str, str], ...] = ()
    license: str = field(default="", compare=False)

    @property
    def url(self) -> PackageURL:
        """Its package URL."""
        namespace, _, name = self.name.rpartition("/")
        return PackageURL(self.type, namespace or None, name, self.version, dict(self.qualifiers))


def packages() -> list[Package]:
    """All pinned packages, sorted, each with all the files that pin it."""
    found = sorted([*python_packages(), *go_modules(), *operators(), *image_packages()], key=_identity)
    return [
        replace(same[0], pinned_in=tuple(dict.fromkeys(file for each in same for file in each.pinned_in)))
        for same in ([*group] for _, group in groupby(found, _identity))
    ]


def _identity(package: Package) -> tuple[str, str, str]:
    return package.type, package.name, package.version


def python_packages() -> Iterator[Package]:
    """The packages of all locks."""
    locks = [PROJECT / "requirements.txt", *(PROJECT / "requirements").glob("*.txt")]
    for lock in [*sorted(locks), *sorted((PROJECT / "tools" / "real_pods").glob("*.txt"))]:
        for pin in re.findall(r"^[\w.\[\]-]+==[^\s;\\]+", lock.read_text(), re.MULTILINE):
            requirement = Requirement(pin)
            version = next(iter(requirement.specifier)).version
            yield Package("pypi", canonicalize_name(requirement.name), version, (_relative(lock),))


def go_modules() -> Iterator[Package]:
    """The modules that the go.mod files require, after their replacements."""
    for file in sorted(go_build.GO_MODULES.glob("*/go.mod")):
        text = file.read_text()
        versions = dict(re.findall(r"^(?:require |\t)(\S+) (v\S+)", text, re.MULTILINE))
        replaced = re.findall(r"^(?:replace |\t)(\S+)(?: v\S+)? => (\S+) (v\S+)", text, re.MULTILINE)
        for name, by, version in replaced:
            if versions.pop(name, None):
                versions[by] = version
        for name, version in versions.items():
            yield Package("golang", name, version, (_relative(file),))


def operators() -> Iterator[Package]:
    """The charts and images that a stack installs by default, and the images of the catalog's runtimes."""
    for spec in (JobSetOperatorSpec(), KubeflowTrainerSpec()):
        file = f"components/{'jobset' if isinstance(spec, JobSetOperatorSpec) else 'kubeflow_trainer'}.py"
        registry, _, name = spec.chart.removeprefix("oci://").rpartition("/")
        yield Package("helm", name, spec.version, (file,), (("repository_url", f"oci://{registry}"),))
        yield _image(spec.controller_image, file)
    for build in CATALOGUE:
        for artifact in of_runtime("", build()):
            yield _image(artifact.reference, "components/runtimes/catalog/images.py")


CATALOGUE = (
    *(catalog.deepspeed, catalog.flux, catalog.jax, catalog.mlx),
    *(catalog.torch, catalog.torch_with_cache, catalog.torchtune, catalog.xgboost),
)
"""Every runtime of the catalog."""


def _image(reference: str, file: str) -> Package:
    repository, _, tag = reference.rpartition(":")
    name = repository.rpartition("/")[2]
    return Package("oci", name, tag, (file,), (("repository_url", repository), ("tag", tag)))


def image_packages() -> Iterator[Package]:
    """The Debian packages in the images for real pods that were built on this machine. Their Python packages are in a
    lock."""
    locked = {f"{each.name} {each.version}" for each in python_packages()}
    for file in sorted(IMAGES.glob("*.versions")):
        for name, _, version in (line.partition(" ") for line in file.read_text().splitlines()):
            if f"{canonicalize_name(name)} {version}" not in locked:
                yield Package("deb", f"debian/{name}", version, (_relative(file),))


def _relative(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def with_licenses(found: Iterable[Package], python: Mapping[str, str], go: Mapping[str, str]) -> list[Package]:
    """The packages with their licenses, looked up by name and version."""
    known = {"pypi": python, "golang": go}
    return [
        replace(each, license=known.get(each.type, {}).get(f"{each.name}@{each.version}", each.license))
        for each in found
    ]


def python_licenses() -> dict[str, str]:
    """The licenses of the installed packages, by name and version."""
    command = [sys.executable, "-m", "piplicenses", "--format=json", "--from=mixed", "--with-system"]
    listed = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {f"{canonicalize_name(each['Name'])}@{each['Version']}": each["License"] for each in listed}


def go_licenses(found: Iterable[Package]) -> dict[str, str]:
    """The licenses of modules in the module cache, by name and version."""
    go_build.build((LICENSE_READER,))
    variables = [go_build.go(), "env", "GOMODCACHE"]
    cache = Path(subprocess.run(variables, check=True, capture_output=True, text=True).stdout.strip())
    folders = {
        str(cache / f"{_escaped(each.name)}@{_escaped(each.version)}"): f"{each.name}@{each.version}"
        for each in found
        if each.type == "golang"
    }
    there = "".join(f"{folder}\n" for folder in folders if Path(folder).is_dir())
    done = subprocess.run([LICENSE_READER.path], input=there, check=True, capture_output=True, text=True)
    return {folders[folder]: " AND ".join(ids) or "no license file" for folder, ids in json.loads(done.stdout).items()}


def _escaped(name: str) -> str:
    """A module path as the module cache writes it, for file systems that ignore case."""
    return re.sub("[A-Z]", lambda letter: f"!{letter.group().lower()}", name)


def bom(found: Iterable[Package]) -> Bom:
    """An SBOM of this project with the packages."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    root = Component(
        type=ComponentType.APPLICATION,
        name=project["name"],
        version=project["version"],
        licenses=[LicenseFactory().make_from_string(project["license"])],
        bom_ref=project["name"],
    )
    result = Bom()
    result.metadata.component = root
    components = [_component(each) for each in found]
    for component in components:
        result.components.add(component)
    result.register_dependency(root, components)
    return result


def _component(package: Package) -> Component:
    url = package.url
    return Component(
        type=ComponentType.CONTAINER if package.type == "oci" else ComponentType.LIBRARY,
        name=package.name,
        version=package.version,
        purl=url,
        bom_ref=url.to_string(),
        licenses=[LicenseFactory().make_from_string(package.license)] if package.license else [],
        properties=[Property(name="training-platform:pinned-in", value=file) for file in package.pinned_in],
    )


def license_list(found: Iterable[Package]) -> str:
    """The packages and their licenses as a page."""
    lines = [
        "# Third-party licenses",
        "",
        "Written by `make sbom` from each package's own metadata. Licenses of images are stated in the images.",
        "",
        "| package | version | license |",
        "| --- | --- | --- |",
        *(f"| {each.type}: {each.name} | {each.version} | {each.license or UNKNOWN} |" for each in found),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the SBOM and the list of licenses."""
    found = packages()
    found = with_licenses(found, python_licenses(), go_licenses(found))
    SBOM.parent.mkdir(parents=True, exist_ok=True)
    SBOM.write_text(JsonV1Dot6(bom(found)).output_as_string(indent=2))
    LICENSES.write_text(license_list(found))
    unknown = sum(not each.license for each in found if each.type in ("pypi", "golang"))
    print(f"{os.path.relpath(SBOM)}: {len(found)} packages.")
    print(f"{os.path.relpath(LICENSES)}: {unknown} packages have no known license." if unknown else LICENSES)
    return 0


if __name__ == "__main__":
    sys.exit(main())

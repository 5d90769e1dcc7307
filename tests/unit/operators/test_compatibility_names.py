"""Names of upstream's that are written out where they are used, against the charts and sources of each version."""

import re
from collections.abc import Mapping
from typing import Any, get_args

import pytest

from components.admission import field_pruning, probes
from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators import uninstall_checks, upgrade_changes
from components.runtimes import api, catalog, loader, topology
from components.runtimes.catalog import images, pod_templates
from components.runtimes.rules import view
from components.runtimes.rules.jobset import replicated_jobs
from components.runtimes.rules.kubernetes import scheduling
from components.runtimes.rules.trainer import controller, frameworks, initializers, torchtune, webhook
from tests.upstream import MATRIX, RELEASES, Release
from tools import PROJECT
from tools.local_cluster import operator_pod, operator_runner, operators

TRAINERS = [release for release in RELEASES if release.spec is KubeflowTrainerSpec]
JOBSETS = [release for release in RELEASES if release.spec is JobSetOperatorSpec]
NEWEST = TRAINERS[-1]
GROUP = "trainer.kubeflow.org"

each_release = pytest.mark.parametrize("release", RELEASES, ids=str)
each_trainer = pytest.mark.parametrize("release", TRAINERS, ids=str)
each_jobset = pytest.mark.parametrize("release", JOBSETS, ids=str)


def constants(release: Release) -> frozenset[str]:
    """Every string literal of the module's Go sources."""
    return frozenset(re.findall(r'"((?:[^"\\\n]|\\.)*)"', release.sources))


def release_of(operator: operators.Operator) -> Release:
    """The release of the matrix that can be built here."""
    (found,) = (
        each for each in RELEASES if (each.spec.facts.release, each.version) == (operator.release, operator.version)
    )
    return found


@each_release
def test_finished_conditions_are_those_of_upstream(release: Release) -> None:
    kind = "TrainJob" if release in TRAINERS else "JobSet"
    found = re.findall(rf'{kind}(?:Complete|Completed|Failed)\s+\w+\s*=\s*"(\w+)"', release.sources)
    assert sorted(found) == sorted(uninstall_checks.ENDED[kind])


@each_release
def test_apis_of_what_is_asked_and_written_are_served(release: Release) -> None:
    served = {
        f"{crd['spec']['group']}/{version['name']}": crd["spec"]["group"]
        for crd in release.crds.values()
        for version in crd["spec"]["versions"]
    }
    asked = [*probes.jobset_probes("x"), *probes.trainer_probes("x"), *probes.train_job_probes([], "x")]
    of_group = {each.body["apiVersion"] for each in asked if (each.body["kind"] == "JobSet") == (release in JOBSETS)}
    assert of_group == served.keys()
    if release in TRAINERS:
        assert {*get_args(api.ApiVersion)} == served.keys()
        assert {*served.values()} == {GROUP, loader._GROUP.rstrip("/")}
    else:
        _, jobset = field_pruning.questions(catalog.torch().to_manifest())
        assert {jobset.body["apiVersion"]} == served.keys()


@each_jobset
def test_only_jobsets_mutating_webhook_sets_the_probed_field(release: Release) -> None:
    (field,) = (each.defaulted_field for each in probes.jobset_probes("x") if each.defaulted_field)
    name = field[0].upper() + field[1:]
    assert re.search(rf"\.Spec\.{name} == nil {{\n\s+\w+\.Spec\.{name} = &", release.sources)
    (version,) = release.crds[JobSetOperatorSpec.facts.crds[0]]["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert "default" not in schema[field]


@each_jobset
def test_jobset_controller_name_and_labels_are_those_of_upstream(release: Release) -> None:
    assert replicated_jobs.JOBSET_CONTROLLER in constants(release)
    prefix, *_ = scheduling.LABELS_OF_CONTROLLERS
    cached = str(catalog.torch_with_cache().to_manifest())
    (label,) = {*re.findall(rf"metadata\.labels\['({re.escape(prefix)}[a-z-]+)'\]", cached)}
    assert f'JobSetNameKey         string = "{label}"' in release.sources


@each_trainer
def test_webhook_labels_of_trainer_are_those_of_upstream_since_their_release(release: Release) -> None:
    line = tuple(map(int, release.version.split(".")))[:2]
    assert (webhook.SUPPORT in constants(release)) == (line >= (2, 1))
    manifests = "\n".join(file.read_text() for file in (release.folder / "manifests").rglob("*.yaml"))
    assert (webhook.VALIDATION in manifests) == (line >= (2, 3))
    assert webhook.CONTAINER_OF.keys() | {*webhook.CONTAINER_OF.values()} <= constants(release)
    assert controller.VOLCANO_QUEUE.partition("/")[0] in release.sources or line < (2, 1)


@each_trainer
def test_initializer_volume_is_that_of_upstream(release: Release) -> None:
    assert re.search(rf'VolumeNameInitializer\s+string = "{initializers.VOLUME}"', release.sources)
    assert pod_templates.INITIALIZER_VOLUME == initializers.VOLUME


def test_upstream_name_is_the_same_in_every_module() -> None:
    assert topology._HOSTFILE_VOLUME == view.HOSTFILE_VOLUME
    assert frameworks.RESERVED["mpi"] == upgrade_changes.MPI_VARIABLES
    for policy, variable in frameworks.ADDRESS_OF.items():
        assert policy == "flux" or variable in frameworks.RESERVED[policy]


def test_torchtune_models_and_arguments_are_those_of_upstream() -> None:
    texts = constants(NEWEST)
    assert {*torchtune.MODELS} <= texts
    assert {*torchtune.MANAGED} <= texts


def test_images_of_the_catalogue_are_those_of_the_newest_manifests() -> None:
    manifests = "\n".join(file.read_text() for file in (NEWEST.folder / "manifests").rglob("*.yaml"))
    assert f"image: {images.PYTORCH}" in manifests
    assert f"image: {images.JAX}" in manifests
    made = str([getattr(catalog, name)().to_manifest() for name in ("deepspeed", "mlx", "xgboost", "torch_with_cache")])
    own = {*re.findall(rf"{re.escape(images.trainer_image('@')).replace('@', '([a-z-]+)')}", made)}
    assert own
    for name in own:
        assert f"{KubeflowTrainerSpec.facts.upstream_registry}/kubeflow/trainer/{name}" in manifests, name


@pytest.mark.parametrize(
    ("field", "versions"),
    [
        ("podSpecOverrides", {"2.0.0"}),
        ("podTemplateOverrides", {"2.1.0"}),
        ("labels", {"2.0.0", "2.1.0"}),
        ("annotations", {"2.0.0", "2.1.0"}),
        ("runtimePatches", {"2.2.0", "2.3.0"}),
    ],
)
def test_fields_that_upgrades_drop_are_in_the_crds_of_the_versions_before(field: str, versions: set[str]) -> None:
    assert {release.version for release in TRAINERS if field in _trainjob(release)} == versions


@each_jobset
def test_crd_defaults_the_group_of_a_replicated_job_from_the_stated_release(release: Release) -> None:
    (change,) = (change for change in upgrade_changes.CHANGES if "groupName" in change.message)
    (version,) = release.crds[JobSetOperatorSpec.facts.crds[0]]["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    job = spec["replicatedJobs"]["items"]["properties"]
    line = tuple(map(int, release.version.split(".")))[:2]
    assert ("groupName" in job) == (line >= tuple(map(int, change.since.split("."))))
    assert job.get("groupName", {"default": "default"})["default"] == "default"


@each_trainer
def test_processes_per_node_are_a_string_in_the_stated_versions(release: Release) -> None:
    processes = _trainjob(release)["trainer"]["properties"]["numProcPerNode"]
    assert ("x-kubernetes-int-or-string" in processes) == (release.version in {"2.0.0", "2.1.0"})


@each_release
def test_namespace_and_place_of_the_chart_are_those_of_upstreams_instructions(release: Release) -> None:
    folder = "config/default" if release in JOBSETS else "manifests/overlays/manager"
    kustomization = (release.folder / folder / "kustomization.yaml").read_text()
    namespace: Any = release.spec.model_fields["namespace"].default
    assert f"namespace: {namespace}\n" in kustomization
    readme = (release.chart / "README.md").read_text()
    chart: Any = release.spec.model_fields["chart"].default
    # Neither README of 2.0.0 and 0.8.2 says how to install a released chart.
    assert (chart in readme) == (release.version not in MATRIX[0])


@pytest.mark.parametrize("operator", operators.known(), ids=lambda each: f"{each.release}-{each.version}")
def test_local_controller_pods_match_the_chart(operator: operators.Operator) -> None:
    release = release_of(operator)
    assert f"- name: {operator.container}\n" in release.templates
    assert operator.image == f"{release.spec.facts.upstream_registry}/{release.spec.facts.image_path}"
    assert f"mountPath: {operator_pod.CERTIFICATE_MARKER.parent}\n" in release.templates
    for port, flag in operator.port_flags.items():
        name = flag.partition("=")[0].lstrip("-")
        assert re.search(rf'"{name}", (?:":)?{port}"?,', release.sources), flag
    declared = {*re.findall(r"- name: ([a-z-]+)\n\s+containerPort: (\d+)", release.templates)}
    if not operator.port_flags:
        health = "health" if operator.release == KubeflowTrainerSpec.facts.release else "health-probe"
        assert {(health, "8081"), ("webhook", "9443"), ("metrics", "8443")} <= declared
    with_status_server = operator.release == KubeflowTrainerSpec.facts.release and not operator.port_flags
    assert (("status-server", "10443") in declared) == with_status_server


@pytest.mark.parametrize("operator", operators.known(), ids=lambda each: f"{each.release}-{each.version}")
def test_changed_configuration_keys_are_read_by_the_controller(operator: operators.Operator) -> None:
    release = release_of(operator)
    if operator.port_flags:
        assert "--config" not in release.templates
        return
    read = {*re.findall(r'json:"(\w+)[,"]', release.sources)}
    # Leader election and the addresses are those of controller-runtime and component-base.
    own = {"health", "metrics", "webhook", "leaderElection"} | (
        {"statusServer"} if "status-server" in release.templates else set()
    )
    assert own <= read
    assert {"healthProbeBindAddress", "bindAddress", "host", "port"} <= read


def test_pods_of_operators_have_the_label_that_is_looked_for() -> None:
    stages = (PROJECT / "tools" / "local_cluster" / "stages.yaml").read_text()
    names = [operator.release for operator in operators.DEFAULT]
    assert f"values: [{', '.join(names)}]" in stages
    label = re.escape(operator_runner.SELECTOR.partition(" ")[0])
    for release in RELEASES:
        helpers = (release.chart / "templates" / "_helpers.tpl").read_text()
        assert re.search(rf"{label}: {{{{ include \"\w+\.name\" \. }}}}", helpers), release
        assert release.spec.facts.release in names


def _trainjob(release: Release) -> Mapping[str, Any]:
    (version,) = release.crds[f"trainjobs.{GROUP}"]["spec"]["versions"]
    properties: Mapping[str, Any] = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    return properties

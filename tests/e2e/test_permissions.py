"""The roles of docs/permissions.md: with each one everything works that the page says, and without any one line of it a
message names what is missing. The kubeconfig of the administrator impersonates whoever has a role."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client, config

from components.admission.checks import AdmissionCheck
from components.admission.field_pruning import FieldPruningCheck
from components.admission.probes import AdmissionTimeoutError, wait_until_admitted
from components.admission.runtime_hooks import require_free
from components.admission.runtime_users import require_unused
from components.admission.suspended_train_jobs import SuspendedTrainJobs
from components.cluster.api_resources import ApiResources
from components.cluster.client import ClusterClient, ClusterReadError
from components.cluster.context import StackContext
from components.cluster.hook_error import PreflightError
from components.cluster.objects import ObjectRef
from components.jobset import JobSetOperatorSpec
from components.kubeflow_trainer import KubeflowTrainerSpec
from components.operators.install_checks import require_not_installed
from components.operators.namespace_contents import foreign_objects
from components.operators.spec import OperatorSpec
from components.operators.uninstall_checks import require_no_active_train_jobs
from components.training_validation.rights import require_rights

from .conftest import Platform, copy_project
from .other_states import use_state_of
from .stack_objects import counts

CONTEXT = "kwok-training-platform"
PAGE = Path(__file__).parent.parent.parent / "docs" / "permissions.md"
ROLES: dict[str, dict[str, Any]] = {
    role["metadata"]["name"]: role
    for role in map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL))
}
DEPLOYER, PREVIEWER = "training-platform-deployer", "training-platform-previewer"
TEAM, CLUSTER_ID = "training-platform-team", "training-platform-cluster-id"
VALIDATION = "training-platform-validation"
NAMESPACE = "team-a"
RUNTIMES = {"training": {"framework": "deepspeed"}}
TEAMS_RUNTIME = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: teams, namespace: team-a, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {containers: [{name: node, image: "example.com/torch:1"}]}}}
"""


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """A cluster with nothing on it but the namespace of a team, and a stack without simulated nodes."""
    platform = copy_project(tmp_path_factory.mktemp("permissions"))
    platform.succeed("start")
    platform.edit(gpuNodePools=None, runtimes=RUNTIMES)
    core(platform).create_namespace({"metadata": {"name": NAMESPACE}})
    for role in ROLES.values():
        grant(platform, role["metadata"]["name"], role)
    bind(platform, TEAM, ROLES[CLUSTER_ID])
    yield platform
    platform.run("down")


def core(platform: Platform) -> client.CoreV1Api:
    return client.CoreV1Api(config.new_client_from_config(str(platform.kubeconfig)))


def grant(platform: Platform, user: str, role: Mapping[str, Any]) -> None:
    """Create a role, and bind it to a user."""
    rbac = client.RbacAuthorizationV1Api(config.new_client_from_config(str(platform.kubeconfig)))
    if role["kind"] == "Role":
        rbac.create_namespaced_role(NAMESPACE, role)
    else:
        rbac.create_cluster_role(role)
    bind(platform, user, role)


def bind(platform: Platform, user: str, role: Mapping[str, Any]) -> None:
    rbac = client.RbacAuthorizationV1Api(config.new_client_from_config(str(platform.kubeconfig)))
    name = role["metadata"]["name"]
    binding = {
        "metadata": {"name": f"{user}-{name}"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role["kind"], "name": name},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
    }
    if role["kind"] == "Role":
        rbac.create_namespaced_role_binding(NAMESPACE, binding)
    else:
        rbac.create_cluster_role_binding(binding)


def kubeconfig_of(platform: Platform, user: str) -> str:
    """The administrator's kubeconfig, acting as a user."""
    content = yaml.safe_load(platform.kubeconfig.read_text())
    content["users"][0]["user"]["as"] = user
    return str(yaml.safe_dump(content))


def act_as(platform: Platform, user: str) -> None:
    """Deploy the local stack as a user from now on."""
    file = platform.project / ".local" / f"{user}.kubeconfig"
    file.write_text(kubeconfig_of(platform, user))
    platform.edit(cluster={"kubeconfig": str(file), "context": CONTEXT})


def test_the_page_has_the_roles() -> None:
    assert sorted(ROLES) == [CLUSTER_ID, DEPLOYER, PREVIEWER, TEAM, VALIDATION]


def test_preview_role_sees_what_the_first_up_would_create(ground: Platform) -> None:
    act_as(ground, PREVIEWER)
    assert set(counts(ground.succeed("preview"))) == {"to create"}
    assert ground.run("up").returncode == 1


def test_deploy_role_creates_and_changes_the_platform(ground: Platform) -> None:
    act_as(ground, DEPLOYER)
    ground.succeed("preview")
    ground.succeed("up")
    assert set(counts(ground.succeed("preview"))) == {"unchanged"}
    ground.edit(jobset={**ground.sections("jobset")["jobset"], "replicas": 2})
    ground.edit(runtimes={"training": {"framework": "deepspeed", "nodes": 3}})
    ground.succeed("preview")
    ground.succeed("up")
    ground.succeed("refresh")
    assert set(counts(ground.succeed("preview"))) == {"unchanged"}


def test_preview_role_sees_a_change(ground: Platform) -> None:
    act_as(ground, PREVIEWER)
    ground.edit(trainer={**ground.sections("trainer")["trainer"], "replicas": 2})
    ground.edit(runtimes={"training": {"framework": "deepspeed", "nodes": 2}, "more": {"framework": "torch"}})
    found = counts(ground.succeed("preview"))
    assert found["to create"] == 1
    assert found["to update"] >= 2
    ground.edit(
        trainer={key: value for key, value in ground.sections("trainer")["trainer"].items() if key != "replicas"}
    )
    ground.edit(runtimes={"training": {"framework": "deepspeed", "nodes": 3}})


def test_namespace_role_deploys_runtimes(ground: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    use_state_of(ground, monkeypatch)
    file = ground.project / ".local" / "team.kubeconfig"
    file.write_text(kubeconfig_of(ground, TEAM))
    (ground.project / "teams.yaml").write_text(TEAMS_RUNTIME)
    sections = {
        "cluster": {"kubeconfig": str(file), "context": CONTEXT},
        "trainer": {"stack": "organization/training-platform/local"},
        "runtimes": {"teams": {"manifest": "teams.yaml"}},
    }
    stack = ground.project / "stacks" / "Pulumi.team.yaml"
    stack.write_text(yaml.safe_dump({"config": {f"training-platform:{key}": each for key, each in sections.items()}}))
    for command in ("preview", "up", "refresh"):
        ground.succeed(command, "--stack", "team", "--yes")
    (ground.project / "teams.yaml").write_text(TEAMS_RUNTIME.replace("torch:1", "torch:2"))
    ground.succeed("up", "--stack", "team", "--yes")
    # What the API server lets nobody change in place is replaced.
    replaced = TEAMS_RUNTIME.replace(
        "      replicatedJobs:", "      network: {publishNotReadyAddresses: false}\n      replicatedJobs:"
    )
    (ground.project / "teams.yaml").write_text(replaced)
    ground.succeed("up", "--stack", "team", "--yes")
    ground.succeed("destroy", "--stack", "team", "--yes")


def test_validation_role_validates_without_a_right_on_nodes(ground: Platform) -> None:
    file = ground.project / ".local" / "validation.kubeconfig"
    file.write_text(kubeconfig_of(ground, VALIDATION))
    ground.edit(validation={"namespace": NAMESPACE, "timeoutSeconds": 10})
    command = [sys.executable, "-m", "stacks", "validate", "local", "--context", CONTEXT, "--kubeconfig", str(file)]
    done = subprocess.run(command, cwd=ground.project, capture_output=True, text=True, check=False)
    ground.edit(validation=None)
    # The pods are simulated, but the stack has no pool that says so.
    assert (done.returncode, done.stderr) == (1, "")
    assert "  nodes      not checked" in done.stdout
    assert "  admission  passed" in done.stdout
    assert "  start      passed" in done.stdout
    assert "  training   failed" in done.stdout


LINES = [(name, line) for name, role in ROLES.items() for line in range(len(role["rules"]))]


def test_with_a_role_nothing_is_refused(ground: Platform) -> None:
    objects = made(ground)
    assert len(objects) > 30
    for name in ROLES:
        assert refusals(ground, name, name, objects) == []


@pytest.mark.parametrize(("name", "line"), LINES, ids=[f"{name}-{line}" for name, line in LINES])
def test_each_missing_permission_is_named(ground: Platform, name: str, line: int) -> None:
    role = ROLES[name]
    removed = role["rules"][line]
    user = f"{name}-without-{line}"
    others = [rule for index, rule in enumerate(role["rules"]) if index != line]
    grant(ground, user, {**role, "metadata": {**role["metadata"], "name": user}, "rules": others})
    if name == TEAM:
        bind(ground, user, ROLES[CLUSTER_ID])
    said = "\n".join(refusals(ground, user, name, made(ground)))
    for resource in removed["resources"]:
        # Without `watch` the provider waits, and says nothing.
        for verb in {*removed["verbs"]} - {"watch"}:
            assert names_right(said, verb, resource), f"{verb} {resource} is not named in:\n{said}"


def names_right(said: str, verb: str, resource: str) -> bool:
    if verb in ("escalate", "bind"):
        return "is attempting to grant RBAC permissions not currently held" in said
    of_api_server = rf"cannot {verb} resource \"{'[a-z]+' if resource == '*' else resource}\""
    return bool(re.search(of_api_server, said)) or bool(re.search(rf"\b{verb} {resource}[,.]", said))


def made(platform: Platform) -> list[dict[str, Any]]:
    """What the stack has created in the cluster, from its state."""
    file = platform.project / ".local" / "state" / ".pulumi" / "stacks" / "training-platform" / "local.json"
    resources = json.loads(file.read_text())["checkpoint"]["latest"]["resources"]
    return [
        each["inputs"]
        for each in resources
        if each["type"].startswith("kubernetes:") and "kind" in each.get("inputs", {})
    ]


def refusals(platform: Platform, user: str, role: str, objects: list[dict[str, Any]]) -> list[str]:
    """What is said to a user who asks everything that someone with the role asks of the API server."""
    access = ClusterClient(CONTEXT, kubeconfig_of(platform, user))
    asked = QUESTIONS[role](access, objects)
    return [said for each in asked if (said := each())]


def refusal(question: Callable[..., Any], *arguments: Any) -> Callable[[], str | None]:
    """What is said when a question of the hooks is not answered."""

    def ask() -> str | None:
        try:
            question(*arguments)
        except (ClusterReadError, PreflightError, AdmissionTimeoutError) as error:
            return str(error)
        return None

    return ask


def call(access: ClusterClient, method: str, path: str, body: Any = None) -> Callable[[], str | None]:
    """What is said when one call, of which nothing is kept, is refused for want of a right."""

    def ask() -> str | None:
        answer = access.request(method, path, body, dry_run=method != "GET")
        return answer.message if answer.status == 403 else None

    return ask


def calls(access: ClusterClient, manifest: Mapping[str, Any], *methods: str) -> Iterator[Callable[[], str | None]]:
    """What the provider asks for one object: to read it, to list its kind, to create, patch and delete it."""
    path = ApiResources(access).path(manifest)
    assert path
    collection = path.rpartition("/")[0]
    another = {**manifest, "metadata": {**manifest["metadata"], "name": "training-platform-another"}}
    if manifest["kind"] in ("ClusterRole", "Role"):
        another["rules"] = []  # only the charts' own may be escalated to
    bodies = {"POST": another, "PATCH": {"metadata": {"labels": {"training-platform/asked": "yes"}}}}
    for method in methods:
        of_kind = method in ("LIST", "POST")
        verb = "GET" if method == "LIST" else method
        yield call(access, verb, collection if of_kind else path, bodies.get(method))


ALL_METHODS = ("GET", "POST", "PATCH", "DELETE")


def of_operators(access: ClusterClient) -> Iterator[Callable[[], str | None]]:
    stack_context = StackContext(access, "training-platform/local")
    for section, spec in {"jobset": JobSetOperatorSpec(adopt=True), "trainer": KubeflowTrainerSpec(adopt=True)}.items():
        yield refusal(require_not_installed, section, spec, stack_context)


def of_deployer(access: ClusterClient, objects: list[dict[str, Any]]) -> Iterator[Callable[[], str | None]]:
    stack_context = StackContext(access, "training-platform/local")
    specs: dict[str, OperatorSpec] = {"jobset": JobSetOperatorSpec(), "trainer": KubeflowTrainerSpec()}
    yield refusal(access.uid)
    yield from of_operators(access)
    yield refusal(require_no_active_train_jobs, {*specs}, specs, access)
    for spec in specs.values():
        yield refusal(foreign_objects, spec.namespace, stack_context)
    runtimes = [each for each in objects if each["kind"] == "ClusterTrainingRuntime"]
    yield refusal(wait_until_admitted, access, AdmissionCheck(specs, stack_context).probes(runtimes), 1)
    for manifest in objects:
        # CRDs stay.
        methods = ("GET", "POST", "PATCH") if manifest["kind"] == "CustomResourceDefinition" else ALL_METHODS
        yield from calls(access, manifest, *methods)


def of_team(access: ClusterClient, _: list[dict[str, Any]]) -> Iterator[Callable[[], str | None]]:
    stack_context = StackContext(access, "training-platform/team")
    manifest = yaml.safe_load(TEAMS_RUNTIME)
    runtime = ObjectRef.of(manifest)
    yield refusal(access.uid)
    yield refusal(require_free, runtime, stack_context, False)
    yield refusal(wait_until_admitted, access, AdmissionCheck({}, stack_context, None, True, 1, "team-a").probes(()), 1)
    yield refusal(FieldPruningCheck(access).require, [manifest])
    yield refusal(SuspendedTrainJobs(access).violations, runtime)
    yield refusal(require_unused, runtime, access)
    yield from calls(access, manifest, "LIST", *ALL_METHODS)


def of_previewer(access: ClusterClient, objects: list[dict[str, Any]]) -> Iterator[Callable[[], str | None]]:
    yield refusal(access.uid)
    yield from of_operators(access)
    for manifest in objects:
        yield from calls(access, manifest, "GET")


def of_cluster_id(access: ClusterClient, _: list[dict[str, Any]]) -> Iterator[Callable[[], str | None]]:
    yield refusal(access.uid)


def of_validation(access: ClusterClient, _: list[dict[str, Any]]) -> Iterator[Callable[[], str | None]]:
    report = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "report", "namespace": NAMESPACE}}
    yield refusal(partial(require_rights, with_report=True), access, NAMESPACE)
    yield from calls(access, report, *ALL_METHODS)


QUESTIONS = {
    DEPLOYER: of_deployer,
    TEAM: of_team,
    PREVIEWER: of_previewer,
    CLUSTER_ID: of_cluster_id,
    VALIDATION: of_validation,
}
"""What someone with a role asks."""


def test_deploy_role_destroys_the_platform(ground: Platform) -> None:
    act_as(ground, DEPLOYER)
    ground.succeed("destroy")

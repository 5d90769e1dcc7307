"""Two stacks on one cluster, a platform's and a team's: each goes without hurting the other."""

from typing import Any

import pulumi
import pytest
import yaml
from kubernetes import client, config
from pulumi import automation

from tools import LOCAL

from .conftest import Platform
from .identity import objects
from .other_states import use_state_of
from .stack_objects import counts

CLUSTER = {"kubeconfig": ".local/kubeconfig", "context": "kwok-training-platform"}
RUNTIME = ("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime")
DEPLOYMENTS = ["jobset-controller", "kubeflow-trainer-controller-manager"]


def team(cluster: dict[str, Any] = CLUSTER) -> dict[str, Any]:
    """A team's stack: a runtime, in the pool of the local stack, with the Trainer of the local stack."""
    platform = "organization/training-platform/local"
    return {
        "cluster": cluster,
        "gpuNodePools": {"gpu": {"provider": "stack", "stack": platform}},
        "trainer": {"stack": platform},
        "runtimes": {"teams": {"framework": "deepspeed", "nodePool": "gpu"}},
    }


def write(project: Platform, sections: dict[str, Any]) -> None:
    keys = {f"training-platform:{name}": value for name, value in sections.items()}
    (project.project / "stacks" / "Pulumi.team.yaml").write_text(yaml.safe_dump({"config": keys}))


def do(project: Platform, command: str) -> dict[str, int]:
    return counts(project.succeed(command, "--stack", "team", "--yes"))


def export_kubeconfig(project: Platform) -> None:
    """A program that makes clusters, as far as it matters here: it exports a kubeconfig, as a secret."""
    kubeconfig = project.kubeconfig.read_text()
    workspace = automation.LocalWorkspaceOptions(
        work_dir=str(project.project / ".local"), pulumi_command=automation.PulumiCommand(str(LOCAL))
    )
    stack = automation.create_or_select_stack(
        "shared", "clusters", lambda: pulumi.export("team", pulumi.Output.secret(kubeconfig)), opts=workspace
    )
    stack.up()


def test_teams_stack_is_deployed_and_destroyed_independently_of_the_platform(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_state_of(platform, monkeypatch)
    core = client.CoreV1Api(config.new_client_from_config(str(platform.kubeconfig)))
    uid = core.read_namespace("kube-system").metadata.uid
    before = objects(platform)

    write(platform, team({**CLUSTER, "id": "00000000-0000-0000-0000-000000000000"}))
    refused = platform.run("up", "--stack", "team", "--yes")
    assert refused.returncode != 0
    assert "cluster.id (line" in refused.stdout
    assert f"The cluster that answers has the id {uid}, not 00000000-" in refused.stdout
    assert "Traceback" not in refused.stdout
    assert objects(platform) == before

    export_kubeconfig(platform)
    write(platform, team({"stack": "organization/clusters/shared", "output": "team", "id": uid}))
    do(platform, "up")
    state = platform.project / ".local" / "state" / ".pulumi" / "stacks"
    assert "certificate-authority" in platform.kubeconfig.read_text()
    assert "certificate-authority" not in (state / "training-platform" / "team.json").read_text()
    runtime = platform.cluster().resources.get(api_version=RUNTIME[0], kind=RUNTIME[1]).get(name="teams")
    pods = [job.template.spec.template.spec for job in runtime.spec.template.spec.replicatedJobs]
    assert [pod.nodeSelector.to_dict() for pod in pods] == [{"training-platform/node-pool": "gpu"}] * 2
    assert [pod.containers[0].resources.limits.to_dict() for pod in pods] == [{"nvidia.com/gpu": "8"}] * 2
    assert set(do(platform, "preview")) == {"unchanged"}

    do(platform, "destroy")
    assert objects(platform) == before


def kubeconfig_of_a_team(platform: Platform, resource: str) -> str:
    """One of someone who may do everything with a resource of Trainer's, list TrainJobs, create JobSets and get the
    cluster's id, and nothing else: its path in the project."""
    connection = config.new_client_from_config(str(platform.kubeconfig))
    core, rbac = client.CoreV1Api(connection), client.RbacAuthorizationV1Api(connection)
    name = {"metadata": {"name": "team"}}
    core.create_namespaced_service_account("default", name)
    rules = [
        {"apiGroups": ["trainer.kubeflow.org"], "resources": [resource], "verbs": ["*"]},
        {"apiGroups": ["trainer.kubeflow.org"], "resources": ["trainjobs"], "verbs": ["list"]},
        {"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["get"]},
        # For the dry run that shows whether the CRD of JobSets has all fields of the runtime.
        {"apiGroups": ["jobset.x-k8s.io"], "resources": ["jobsets"], "verbs": ["create"]},
    ]
    rbac.create_cluster_role({**name, "rules": rules})
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "team"}
    account = {"kind": "ServiceAccount", "name": "team", "namespace": "default"}
    rbac.create_cluster_role_binding({**name, "roleRef": role, "subjects": [account]})
    token = core.create_namespaced_service_account_token("team", "default", {"spec": {}}).status.token
    content = yaml.safe_load(platform.kubeconfig.read_text())
    content["users"][0]["user"] = {"token": token}
    (platform.project / ".local" / "team").write_text(yaml.safe_dump(content))
    return ".local/team"


def test_team_without_permission_to_submit_gets_an_error_or_skips_the_check(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_state_of(platform, monkeypatch)
    before = objects(platform)
    sections = team({**CLUSTER, "kubeconfig": kubeconfig_of_a_team(platform, "clustertrainingruntimes")})
    write(platform, sections)
    refused = platform.run("up", "--stack", "team", "--yes")
    assert refused.returncode == 1
    assert 'User "system:serviceaccount:default:team" cannot create resource "trainjobs"' in refused.stdout
    # Rights that it has are not among them.
    assert "lacks permission to\n      create trainjobs.trainer.kubeflow.org in namespace default\n" in refused.stdout
    grant = "a Role in default: {apiGroups: [trainer.kubeflow.org], resources: [trainjobs], verbs: [create]}"
    assert grant in refused.stdout
    assert "Traceback" not in refused.stdout
    assert objects(platform) == before

    write(platform, {**sections, "trainer": {**sections["trainer"], "readyTimeoutSeconds": 0}})
    do(platform, "up")
    assert "teams" in platform.names(*RUNTIME)
    do(platform, "destroy")
    assert objects(platform) == before


def test_destroy_of_the_platform_keeps_the_teams_objects(checkout: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    use_state_of(checkout, monkeypatch)
    write(checkout, team())
    checkout.succeed("up")
    do(checkout, "up")
    checkout.succeed("destroy")
    assert checkout.names(*RUNTIME) == ["teams"]
    assert [name for name in checkout.names("apps/v1", "Deployment") if name in DEPLOYMENTS] == []
    # A destroy runs the program, which can take nothing any more from a stack that is gone.
    write(checkout, {"cluster": CLUSTER, "runtimes": {"teams": {"framework": "deepspeed"}}})
    do(checkout, "destroy")
    assert checkout.names(*RUNTIME) == []

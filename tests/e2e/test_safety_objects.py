"""What is not the stack's own: other people's objects in the operators' namespaces, runtimes, CRDs, JobSets."""

import json
import time
from typing import Any

from kubernetes import client, config

from .conftest import Platform
from .identity import uids
from .rejection import refused
from .stack_objects import CRDS, OURS, counts, present, trainjobs
from .submitter import JOBSET
from .user_objects import crds, of_others, runtimes, suspended


def core(platform: Platform) -> client.CoreV1Api:
    return client.CoreV1Api(config.new_client_from_config(str(platform.kubeconfig)))


def without_interrupt(platform: Platform) -> dict[str, Any]:
    trainer: dict[str, Any] = platform.sections("trainer")["trainer"]
    return {key: value for key, value in trainer.items() if key != "interruptTrainJobs"}


def secret(platform: Platform, namespace: str) -> None:
    core(platform).create_namespaced_secret(namespace, {"metadata": {"name": "keys"}, "stringData": {"a": "b"}})


def jobsets(platform: Platform) -> Any:
    return platform.cluster().resources.get(api_version=JOBSET["apiVersion"], kind="JobSet")


def test_foreign_objects_in_an_operators_namespace_stop_its_removal_and_rename(
    changed_platform: Platform,
) -> None:
    platform, before = changed_platform, changed_platform.sections("jobset", "trainer")
    platform.succeed("up")
    secret(platform, "jobset-system")
    named = "Namespace jobset-system would be deleted with 1 object that this stack did not create:"
    mine = uids(platform)
    refused(platform, "destroy", named, "Secret jobset-system/keys", "[OPR-16]")
    platform.edit(jobset={**before["jobset"], "namespace": "batch"})
    for command in ("preview", "up"):
        refused(platform, command, named, "Secret jobset-system/keys", "[OPR-16]")
    assert uids(platform) == mine

    platform.edit(jobset={**before["jobset"], "keepNamespace": True})
    platform.succeed("destroy")
    assert "jobset-system" in platform.names("v1", "Namespace")
    assert "kubeflow-system" not in platform.names("v1", "Namespace")
    assert core(platform).read_namespaced_secret("keys", "jobset-system").data == {"a": "Yg=="}
    core(platform).delete_namespaced_secret("keys", "jobset-system")
    core(platform).delete_namespace("jobset-system")
    while "jobset-system" in platform.names("v1", "Namespace"):
        time.sleep(0.2)
    platform.edit(**before)
    platform.succeed("up")
    assert present(platform) == OURS


def test_an_unfinished_jobset_without_a_trainjob_stops_jobset(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("jobset", "trainer")
    platform.succeed("up")
    platform.edit(trainer=without_interrupt(platform))
    bare = {**JOBSET, "metadata": {"name": "bare", "namespace": "default"}}
    jobsets(platform).create(body={**bare, "spec": {**bare["spec"], "suspend": True}}, namespace="default")
    stops = "1 unfinished JobSet without a TrainJob would stop:", "JobSet default/bare", "[OPR-05]"
    mine = uids(platform)
    refused(platform, "destroy", *stops)
    platform.edit(jobset={**before["jobset"], "namespace": "batch"})
    refused(platform, "up", *stops)
    platform.edit(jobset={"mode": "external"})
    refused(platform, "up", *stops)
    assert uids(platform) == mine
    jobsets(platform).delete(name="bare", namespace="default")
    platform.edit(**before)
    assert set(counts(platform.succeed("up"))) <= {"unchanged", "updated"}


def test_operators_without_a_gate_are_kept_over_unfinished_trainjobs(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("jobset", "trainer", "runtimes")
    platform.succeed("up")
    # The runtime is another one than the stack's own, whose removal has a guard of its own.
    runtimes(platform).create(body=of_others("theirs"))
    job = suspended()
    job["spec"]["runtimeRef"] = {"name": "theirs"}
    trainjobs(platform).create(body=job, namespace="default")
    core(platform).delete_namespaced_config_map("training-platform", "kubeflow-system")
    platform.succeed("refresh")
    platform.edit(trainer=without_interrupt(platform))
    stops = "1 unfinished TrainJob would stop:", "TrainJob default/of-a-user", "[OPR-05]"
    controllers = platform.names("apps/v1", "Deployment")
    refused(platform, "destroy", *stops)
    assert platform.names("apps/v1", "Deployment") == controllers
    platform.edit(jobset=None, trainer=None, runtimes=None)
    refused(platform, "up", *stops)
    assert platform.names("apps/v1", "Deployment") == controllers
    trainjobs(platform).delete(name="of-a-user", namespace="default")
    runtimes(platform).delete(name="theirs")
    platform.edit(**before)
    platform.succeed("up")
    assert present(platform) == OURS


def test_crds_are_kept_when_sections_are_removed_despite_destroy_crds(
    changed_platform: Platform,
) -> None:
    platform, before = changed_platform, changed_platform.sections("jobset", "trainer", "runtimes")
    platform.edit(**{name: {**before[name], "destroyCrds": True} for name in ("jobset", "trainer")})
    platform.succeed("up")
    trainjobs(platform).create(body=suspended(), namespace="default")
    platform.edit(trainer={**before["trainer"], "destroyCrds": True, "interruptTrainJobs": True})
    refused(platform, "destroy", "`destroyCrds` would delete 1 object, and 0 are confirmed:", "[OPR-06]")

    trainjobs(platform).delete(name="of-a-user", namespace="default")
    runtimes(platform).create(body=of_others("theirs"))
    platform.edit(jobset=None, trainer=None, runtimes=None)
    platform.succeed("up")
    assert crds(platform) == CRDS
    assert platform.names("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime") == ["theirs"]
    runtimes(platform).delete(name="theirs")
    platform.edit(**before)
    platform.succeed("up")
    assert present(platform) == OURS


def test_runtime_is_kept_until_its_successor_can_be_created(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("jobset", "trainer", "runtimes")
    platform.succeed("up")
    runtimes(platform).create(body=of_others("theirs"))
    theirs = runtimes(platform).get(name="theirs").metadata.uid
    apps = client.AppsV1Api(config.new_client_from_config(str(platform.kubeconfig)))
    scale = {"spec": {"replicas": 0}}
    apps.patch_namespaced_deployment_scale("kubeflow-trainer-controller-manager", "kubeflow-system", scale)

    adopted = {**before["runtimes"], "theirs": {"framework": "torch", "adopt": True}}
    waiting = {name: {**before[name], "readyTimeoutSeconds": 3} for name in ("jobset", "trainer")}
    platform.edit(runtimes=adopted, **waiting)
    refused(platform, "up", "TrainJobs are still rejected after 3 s")
    assert runtimes(platform).get(name="theirs").metadata.uid == theirs
    platform.edit(trainer={**before["trainer"], "readyTimeoutSeconds": 0})
    refused(platform, "up", "was not replaced, because its successor would be rejected", "[OPR-17]")
    assert runtimes(platform).get(name="theirs").metadata.uid == theirs

    apps.patch_namespaced_deployment_scale(
        "kubeflow-trainer-controller-manager", "kubeflow-system", {"spec": {"replicas": 1}}
    )
    platform.edit(jobset=before["jobset"], trainer=before["trainer"])
    platform.succeed("up")
    assert runtimes(platform).get(name="theirs").metadata.uid != theirs
    platform.edit(**before)
    platform.succeed("up")
    assert present(platform) == OURS


DENIED = "the test denies every new ConfigMap"


def deny_new_config_maps(platform: Platform, namespace: str) -> None:
    """An admission policy, from when the API server goes by it."""
    policies = client.AdmissionregistrationV1Api(config.new_client_from_config(str(platform.kubeconfig)))
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "matchConditions": [{"name": "namespace", "expression": f"request.namespace == '{namespace}'"}],
        "validations": [{"expression": "false", "message": DENIED}],
    }
    policies.create_validating_admission_policy({"metadata": {"name": "no-new"}, "spec": spec})
    binding = {"policyName": "no-new", "validationActions": ["Deny"]}
    policies.create_validating_admission_policy_binding({"metadata": {"name": "no-new"}, "spec": binding})
    asked = {"metadata": {"name": "asked"}}
    while True:
        try:
            core(platform).create_namespaced_config_map(namespace, asked, dry_run="All")
        except client.ApiException as error:
            if DENIED not in error.body:
                raise
            return
        time.sleep(0.2)


def allow_new_config_maps(platform: Platform) -> None:
    policies = client.AdmissionregistrationV1Api(config.new_client_from_config(str(platform.kubeconfig)))
    policies.delete_validating_admission_policy_binding("no-new")
    policies.delete_validating_admission_policy("no-new")


def test_object_of_a_chart_is_kept_until_its_successor_is_admitted(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("trainer")
    platform.succeed("up")
    namespace, name = "kubeflow-system", "kubeflow-trainer-config"
    there = core(platform).read_namespaced_config_map(name, namespace)
    deny_new_config_maps(platform, namespace)
    platform.edit(trainer={**before["trainer"], "qps": 60})
    stays = f"ConfigMap {namespace}/{name} was not replaced, because its successor would be rejected: "
    refused(platform, "up", stays, DENIED, "[OPR-17]")
    still = core(platform).read_namespaced_config_map(name, namespace)
    assert (still.metadata.uid, still.data) == (there.metadata.uid, there.data)

    allow_new_config_maps(platform)
    while "was not replaced" in (done := platform.run("up")).stdout:
        time.sleep(0.2)  # the API server still goes by the policy
    assert done.returncode == 0, done.stdout
    changed = core(platform).read_namespaced_config_map(name, namespace)
    assert changed.metadata.uid != there.metadata.uid
    assert "qps: 60" in next(iter(changed.data.values()))
    platform.edit(**before)
    platform.succeed("up")
    assert present(platform) == OURS


def test_runtime_of_an_unfinished_trainjob_is_not_removed(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("trainer", "runtimes")
    platform.succeed("up")
    trainjobs(platform).create(body=suspended(), namespace="default")
    mlx = {"mlx-distributed": before["runtimes"]["mlx-distributed"]}
    platform.edit(trainer=without_interrupt(platform), runtimes=mlx)
    refused(
        platform,
        "up",
        "1 unfinished TrainJob would lose runtime deepspeed-distributed:",
        "TrainJob default/of-a-user",
        "[OPR-14]",
    )
    assert "deepspeed-distributed" in platform.names("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime")
    platform.edit(trainer=before["trainer"])
    assert counts(platform.succeed("up"))["deleted"] == 1
    trainjobs(platform).delete(name="of-a-user", namespace="default")
    platform.edit(**before)
    platform.succeed("up")
    assert present(platform) == OURS


def test_object_adopted_by_another_stack_is_neither_changed_nor_deleted(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("jobset", "trainer", "runtimes")
    platform.succeed("up")
    rbac = client.RbacAuthorizationV1Api(config.new_client_from_config(str(platform.kubeconfig)))
    role = "jobset-controller"
    mark = rbac.read_cluster_role(role).metadata.annotations["training-platform/stack-id"]
    rbac.patch_cluster_role(role, {"metadata": {"annotations": {"training-platform/stack-id": "another"}}})
    theirs = f"ClusterRole {role} is in this stack's state, but in the cluster it is owned by stack"
    platform.edit(jobset={**before["jobset"], "commonLabels": {"team": "a"}})
    refused(platform, "preview", theirs, "(id another)", "[OPR-13]")
    platform.edit(jobset=None, trainer=None, runtimes=None)
    refused(platform, "up", theirs, "[OPR-13]")
    assert rbac.read_cluster_role(role).metadata.annotations["training-platform/stack-id"] == "another"
    rbac.patch_cluster_role(role, {"metadata": {"annotations": {"training-platform/stack-id": mark}}})
    platform.edit(**before)
    platform.succeed("up")


def test_version_older_than_kept_crds_is_a_downgrade(checkout: Platform) -> None:
    checkout.succeed("up")
    checkout.succeed("destroy")
    extensions = client.ApiextensionsV1Api(config.new_client_from_config(str(checkout.kubeconfig)))
    crd = extensions.read_custom_resource_definition("trainjobs.trainer.kubeflow.org")
    assert crd.metadata.annotations["training-platform/version"] == "2.3.0"
    newer = {"metadata": {"annotations": {"training-platform/version": "9.0.0"}}}
    extensions.patch_custom_resource_definition("trainjobs.trainer.kubeflow.org", newer)
    refused(checkout, "preview", "2.3.0 is older than the installed Trainer 9.0.0", "[OPR-03]")


def test_namespace_that_existed_before_is_kept_after_adopt_is_removed(checkout: Platform) -> None:
    checkout.succeed("start")
    before = checkout.sections("jobset")
    core(checkout).create_namespace({"metadata": {"name": "jobset-system"}})
    secret(checkout, "jobset-system")
    refused(checkout, "preview", "namespace/jobset-system: ", "[OPR-02]")
    checkout.edit(jobset={**before["jobset"], "adopt": True})
    checkout.succeed("up")
    checkout.edit(**before)
    assert set(counts(checkout.succeed("up"))) == {"unchanged"}
    checkout.succeed("destroy")
    assert "jobset-system" in checkout.names("v1", "Namespace")
    assert json.dumps(core(checkout).read_namespaced_secret("keys", "jobset-system").data) == '{"a": "Yg=="}'

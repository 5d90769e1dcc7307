"""What others change behind the stack's back is seen by a refresh and put right by the next up."""

import os
from typing import Any

import pytest
from kubernetes import client, config

from .conftest import Platform
from .stack_objects import counts
from .submitter import SECRETS, Submitter


def test_drift_is_corrected_and_fields_of_controllers_are_not_drift(changed_platform: Platform) -> None:
    platform = changed_platform
    platform.succeed("up")
    # The controllers have written certificates, CA bundles and status by now: none of it is a difference.
    assert set(counts(platform.succeed("refresh"))) == {"unchanged"}
    total = counts(platform.succeed("preview"))
    assert set(total) == {"unchanged"}

    connection = config.new_client_from_config(str(platform.kubeconfig))
    runtimes = client.CustomObjectsApi(connection)
    kind = ("trainer.kubeflow.org", "v1alpha1", "clustertrainingruntimes", "deepspeed-distributed")
    runtimes.patch_cluster_custom_object(*kind, {"spec": {"mlPolicy": {"mpi": {"numProcPerNode": 3}}}})
    client.AdmissionregistrationV1Api(connection).delete_validating_webhook_configuration(
        "validator.trainer.kubeflow.org"
    )
    client.AppsV1Api(connection).patch_namespaced_deployment_scale(
        "jobset-controller", "jobset-system", {"spec": {"replicas": 0}}
    )
    certificates = {
        name: client.CoreV1Api(connection).read_namespaced_secret(name, ns).data for ns, name in SECRETS.items()
    }

    seen = counts(platform.succeed("refresh"))
    assert seen == {"updated": 2, "deleted": 1, "unchanged": total["unchanged"] - 3}
    done = counts(platform.succeed("up"))
    # The gate is asked again, since the webhook is another one: when `up` ends it answers.
    assert done == {"created": 1, "updated": 3, "unchanged": total["unchanged"] - 4}
    runtime = runtimes.get_cluster_custom_object(*kind)
    assert runtime["spec"]["mlPolicy"]["mpi"]["numProcPerNode"] != 3
    assert (
        client.AppsV1Api(connection).read_namespaced_deployment("jobset-controller", "jobset-system").spec.replicas == 1
    )
    with Submitter(platform.kubeconfig) as user:
        assert counts(platform.succeed("preview")) == total
    assert user.refusals == []
    assert certificates == {
        name: client.CoreV1Api(connection).read_namespaced_secret(name, ns).data for ns, name in SECRETS.items()
    }


CRDS = {"ClusterTrainingRuntime": "clustertrainingruntimes.trainer.kubeflow.org", "JobSet": "jobsets.jobset.x-k8s.io"}


def without_order(crd: Any) -> Any:
    """A CRD as it would be before JobSet 0.8."""
    for version in crd["spec"]["versions"]:
        jobset = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        if crd["metadata"]["name"] != CRDS["JobSet"]:
            jobset = jobset["properties"]["template"]["properties"]["spec"]
        jobset["properties"]["replicatedJobs"]["items"]["properties"].pop("dependsOn")
        # Which speak of it.
        jobset.pop("x-kubernetes-validations", None)
    return crd


@pytest.mark.skipif("SOAK" not in os.environ, reason="a minute and a half: make soak")
def test_outdated_crds_stop_a_runtime_before_it_is_stored(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("runtimes")
    platform.succeed("up")
    api = platform.cluster().resources
    crds = api.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    runtimes = api.get(api_version="trainer.kubeflow.org/v1alpha1", kind="ClusterTrainingRuntime")
    for crd in CRDS.values():
        crds.replace(body=without_order(crds.get(name=crd).to_dict()))
    name = "deepspeed-distributed"
    revision = runtimes.get(name=name).metadata.resourceVersion

    platform.edit(runtimes={**before["runtimes"], name: {**before["runtimes"][name], "nodes": 2}})
    refused = platform.run("up")
    assert refused.returncode == 1
    for kind, crd in CRDS.items():
        assert (
            f"runtimes.{name}: The cluster would silently drop `spec.template.spec.replicatedJobs[1].dependsOn` "
            f"of the {kind}: CRD `{crd}` does not have this field."
        ) in refused.stdout
    assert "Fix: Update the CRD to that of Trainer 2.3.0 in namespace `kubeflow-system`: " in refused.stdout
    assert "Fix: Update the CRD to that of JobSet 0.12.0 in namespace `jobset-system`: " in refused.stdout
    assert "Traceback" not in refused.stdout
    assert runtimes.get(name=name).metadata.resourceVersion == revision

    # As the message says.
    platform.succeed("refresh")
    platform.succeed("up")
    node, launcher = runtimes.get(name=name).to_dict()["spec"]["template"]["spec"]["replicatedJobs"]
    # The launcher's is the other node.
    assert node["template"]["spec"]["parallelism"] == 1
    assert launcher["dependsOn"] == [{"name": "node", "status": "Ready"}]
    platform.edit(**before)

"""What others change behind the stack's back is seen by a refresh and put right by the next up."""

from kubernetes import client, config

from .conftest import Platform
from .submitter import SECRETS, Submitter
from .test_lifecycle import counts


def test_drift_is_seen_and_put_right_and_what_controllers_own_is_none(changed_platform: Platform) -> None:
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

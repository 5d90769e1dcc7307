"""Manifests as the API server stores them."""

from components.runtimes.explain.stored import (
    normalize_pod,
    normalize_variable,
    pruned,
    with_runtime_defaults,
    with_train_job_defaults,
    without_fields,
)


def test_fields_that_a_release_does_not_know_are_dropped_from_a_copy() -> None:
    manifest = {"spec": {"a": 1, "jobs": [{"group": "x", "name": "n"}, {"group": "y"}]}}
    copy, dropped = without_fields(manifest, ["spec.a", "spec.jobs.[].group", "spec.b.c", "spec.jobs.[].none"])
    assert copy == {"spec": {"jobs": [{"name": "n"}, {}]}}
    assert dropped == ("spec.a", "spec.jobs.[].group")
    assert manifest["spec"]["a"] == 1


def test_policies_get_the_defaults_of_the_crd() -> None:
    runtime = {"spec": {"mlPolicy": {"mpi": {"numProcPerNode": 2}}, "podGroupPolicy": {"coscheduling": {}}}}
    assert with_runtime_defaults(runtime, group_labels=True) == {
        "spec": {
            "mlPolicy": {
                "mpi": {
                    "numProcPerNode": 2,
                    "mpiImplementation": "OpenMPI",
                    "runLauncherAsNode": False,
                    "sshAuthMountPath": "/root/.ssh",
                }
            },
            "podGroupPolicy": {"coscheduling": {"scheduleTimeoutSeconds": 60}},
        }
    }


def test_jobs_and_claims_get_the_defaults_of_the_crd() -> None:
    jobset = {"replicatedJobs": [{"name": "a"}], "volumeClaimPolicies": [{"retentionPolicy": {}}]}
    stored = with_runtime_defaults({"spec": {"template": {"spec": jobset}}}, group_labels=True)
    assert stored["spec"]["template"]["spec"] == {
        "replicatedJobs": [{"name": "a", "replicas": 1, "groupName": "default"}],
        "volumeClaimPolicies": [{"retentionPolicy": {"whenDeleted": "Delete"}}],
    }


def test_jobs_have_no_groups_before_jobset_0_10() -> None:
    spec = {"template": {"spec": {"replicatedJobs": [{"name": "a"}]}}}
    stored = with_runtime_defaults({"spec": spec}, group_labels=False)
    assert stored["spec"]["template"]["spec"]["replicatedJobs"] == [{"name": "a", "replicas": 1}]


def test_a_train_job_gets_the_defaults_of_the_crd() -> None:
    assert with_train_job_defaults({"spec": {"runtimeRef": {"name": "a"}}})["spec"] == {
        "runtimeRef": {"name": "a", "apiGroup": "trainer.kubeflow.org", "kind": "ClusterTrainingRuntime"},
        "managedBy": "trainer.kubeflow.org/trainjob-controller",
        "suspend": False,
    }


def test_a_pod_gets_defaults_and_quantities_as_go_writes_them() -> None:
    pod = {
        "containers": [{"ports": [{"containerPort": 1}], "resources": {"limits": {"cpu": "1000m"}}}],
        "volumes": [
            {"name": "a", "emptyDir": {"sizeLimit": "1024Mi"}},
            {"name": "b", "iscsi": {}},
            {"name": "c", "downwardAPI": {"items": [{"resourceFieldRef": {"resource": "limits.cpu"}}]}},
        ],
        "overhead": {"cpu": "0.5"},
    }
    normalize_pod(pod)
    assert pod == {
        "containers": [{"ports": [{"containerPort": 1, "protocol": "TCP"}], "resources": {"limits": {"cpu": "1"}}}],
        "volumes": [
            {"name": "a", "emptyDir": {"sizeLimit": "1Gi"}},
            {"name": "b", "iscsi": {"iscsiInterface": "default"}},
            {"name": "c", "downwardAPI": {"items": [{"resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}}]}},
        ],
        "overhead": {"cpu": "500m"},
    }


def test_an_empty_value_is_left_out() -> None:
    variable = {"name": "A", "value": ""}
    normalize_variable(variable)
    assert variable == {"name": "A"}


def test_empty_objects_are_left_out_but_for_those_with_a_meaning() -> None:
    written = {
        "resources": {},
        "emptyDir": {},
        "affinity": {"a": {}},
        "namespaceSelector": {},
        "suspend": False,
        "n": 0,
    }
    assert pruned(written) == {"emptyDir": {}, "namespaceSelector": {}, "suspend": False, "n": 0}

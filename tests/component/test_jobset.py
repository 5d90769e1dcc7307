"""JobSet's chart."""

from components.jobset import JobSet, JobSetOperatorSpec

from .monitor import Monitor, run


def jobset(spec: JobSetOperatorSpec) -> Monitor:
    return run(lambda: JobSet("jobset", {"spec": spec}))


def test_jobset_chart_is_pinned_in_the_registry_of_upstream() -> None:
    _, namespace, chart = jobset(JobSetOperatorSpec()).registered.values()
    assert namespace.inputs == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": "jobset-system",
            "annotations": {
                "training-platform/version": "0.12.0",
                "training-platform/operator": "jobset",
                "training-platform/namespace": "created",
                "pulumi.com/patchForce": "true",
            },
        },
    }
    assert chart.inputs == {
        "name": "jobset",
        "namespace": "jobset-system",
        "chart": "oci://registry.k8s.io/jobset/charts/jobset",
        "version": "0.12.0",
        "values": {},
    }

"""Made-up runtimes and the real controllers: a TrainJob becomes the Jobs that its runtime says."""

import os
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from kubernetes import client, config

from components.runtimes import ClusterTrainingRuntime, InvalidRuntimeError
from tests.unit.runtimes import crd

from .conftest import Platform
from .runtimes.empties import HARMFUL, HARMLESS, named
from .runtimes.objects import objects_of
from .runtimes.parts import Part
from .runtimes.pods import POD
from .runtimes.valid import Fields, pod_of, runtimes
from .runtimes.volumes import VOLUMES
from .waiting import eventually

SOAK = "SOAK" in os.environ
NUMBERS = count()
TOPOLOGIES = ("deepspeed", "mlx", "mpi-as-root", "torch")
# All pods go to one simulated node: no claims, which aren't there, and no disks that one pod alone may use.
DISKS = {"persistentVolumeClaim", "ephemeral", "gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd"}
SCHEDULABLE = Fields(POD, {name: drawn for name, drawn in VOLUMES.items() if name not in DISKS}, claims=False)


class Cluster:
    """The local platform, as these tests use it."""

    def __init__(self, platform: Platform) -> None:
        self._dynamic = platform.cluster()
        self._logs = platform.project / ".local" / "operators"
        self._batch = client.BatchV1Api(config.new_client_from_config(str(platform.kubeconfig)))
        definition = self.objects("CustomResourceDefinition").get(name="clustertrainingruntimes.trainer.kubeflow.org")
        self.schema: crd.Schema = definition.to_dict()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]

    def objects(self, kind: str) -> Any:
        """The objects of a kind."""
        return self._dynamic.resources.get(kind=kind)

    def train(self, manifest: Part) -> str:
        """Create a runtime and a TrainJob for it, and give the name that both have."""
        name: str = manifest["metadata"]["name"]
        self.objects("ClusterTrainingRuntime").create(body=manifest)
        # Trainer refuses a TrainJob for a runtime of which it has not heard yet.
        assert eventually(lambda: self._submit(name))
        return name

    def forget(self, name: str) -> None:
        """Delete both."""
        self.objects("TrainJob").delete(name=name, namespace="default")
        self.objects("ClusterTrainingRuntime").delete(name=name)

    def _submit(self, name: str) -> bool:
        """Create a TrainJob; whether it was accepted."""
        trainjob = {
            "apiVersion": "trainer.kubeflow.org/v1alpha1",
            "kind": "TrainJob",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"runtimeRef": {"name": name}},
        }
        try:
            self.objects("TrainJob").create(body=trainjob)
        except client.ApiException as error:
            if error.status != 403:
                raise
            return False
        return True

    def jobs(self, trainjob: str) -> dict[str, tuple[int, int]]:
        """Parallelism and completions of the Jobs that were made of a TrainJob, by name."""
        found = self._batch.list_namespaced_job("default", label_selector=f"jobset.sigs.k8s.io/jobset-name={trainjob}")
        return {job.metadata.name: (job.spec.parallelism, job.spec.completions) for job in found.items}

    def complaints(self, trainjob: str) -> str:
        """What the controllers said about a TrainJob last."""
        lines = [line for log in sorted(self._logs.glob("*.log")) for line in log.read_text().splitlines()]
        return "\n".join([line for line in lines if trainjob in line and "error" in line.lower()][-3:])


@pytest.fixture(scope="module")
def cluster(platform: Platform) -> Cluster:
    return Cluster(platform)


def known(schema: crd.Schema, value: Any) -> Any:
    """A manifest without the fields that a CRD doesn't have."""
    if isinstance(value, list):
        return [known(schema["items"], item) for item in value]
    if isinstance(value, dict) and "properties" in schema:
        properties = schema["properties"]
        return {name: known(properties[name], inner) for name, inner in value.items() if name in properties}
    return value


def fitting(manifest: Part, schema: crd.Schema) -> ClusterTrainingRuntime:
    """The runtime with what the cluster's Trainer knows and has: of its pods all fit on one node, and Jobs stay."""
    spec = known(schema["properties"]["spec"], manifest["spec"])
    spec.pop("podGroupPolicy", None)  # the CRDs of pod groups are not there
    jobset = spec["template"]["spec"]
    jobset.pop("ttlSecondsAfterFinished", None)
    for job in jobset["replicatedJobs"]:
        pod_of(job).pop("serviceAccountName", None)
        for container in pod_of(job)["containers"]:
            container.pop("resources", None)
    metadata = manifest["metadata"] | {"name": f"made-up-{next(NUMBERS)}"}
    return ClusterTrainingRuntime.from_manifest(manifest | {"metadata": metadata, "spec": spec})


@settings(
    max_examples=60 if SOAK else 6,
    derandomize=not SOAK,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(manifest=runtimes(TOPOLOGIES, SCHEDULABLE))
def test_controllers_create_the_jobs_of_a_runtime(cluster: Cluster, manifest: Part) -> None:
    runtime = fitting(manifest, cluster.schema)
    name = str(runtime.metadata.name)
    made = [each["spec"] for each in objects_of(runtime) if each["kind"] == "Job"]
    jobs = runtime.to_manifest()["spec"]["template"]["spec"]["replicatedJobs"]
    expected = {
        f"{name}-{job['name']}-0": (spec["parallelism"], spec["completions"])
        for job, spec in zip(jobs, made, strict=True)
    }

    cluster.train(runtime.to_manifest())

    assert eventually(lambda: cluster.jobs(name) == expected), cluster.complaints(name)
    cluster.forget(name)


def test_lists_and_mappings_that_may_be_empty_do_not_keep_a_trainjob_from_its_jobs(cluster: Cluster) -> None:
    runtime = ClusterTrainingRuntime.from_manifest(named("may-be-empty", HARMLESS))

    name = cluster.train(runtime.to_manifest())

    assert eventually(lambda: cluster.jobs(name) == {f"{name}-node-0": (1, 1)}), cluster.complaints(name)
    cluster.forget(name)


@pytest.mark.parametrize(("name", "rule", "changes"), [(name, *rest) for name, rest in HARMFUL.items()])
def test_a_list_that_must_not_be_empty_keeps_a_trainjob_from_its_jobs_and_breaks_a_rule(
    cluster: Cluster, name: str, rule: str, changes: Part
) -> None:
    manifest = named(name, changes)

    cluster.train(manifest)

    refusal = rf"JobSet.jobset.x-k8s.io \"{name}\" is invalid"
    assert eventually(lambda: refusal in cluster.complaints(name)), cluster.complaints(name)
    assert cluster.jobs(name) == {}
    with pytest.raises(InvalidRuntimeError) as refused:
        ClusterTrainingRuntime.from_manifest(manifest)
    assert [violation.rule for violation in refused.value.violations] == [rule]
    cluster.forget(name)

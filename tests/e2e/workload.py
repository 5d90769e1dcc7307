"""What users have in a cluster while it is upgraded: TrainJobs and JobSets that run and that wait."""

import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kubernetes.client import ApiException

from .conftest import Platform
from .submitter import JOBSET

TRAINER_API, JOBSET_API = "trainer.kubeflow.org/v1alpha1", "jobset.x-k8s.io/v1alpha2"
APIS = {"TrainJob": TRAINER_API, "JobSet": JOBSET_API, "Job": "batch/v1", "Pod": "v1"}
CRD_API = "apiextensions.k8s.io/v1"

RUNS = ["sleep", "infinity"]
"""The command of pods that kwok keeps running: `tools/local_cluster/stages.yaml`."""

STATE_TIMEOUT = 60.0
POLL_INTERVAL = 0.5

Uids = dict[tuple[str, str], str]
"""The uids of objects, by kind and name."""


@dataclass(frozen=True)
class Workload:
    """The TrainJobs and JobSets in the namespace `default`, as their user sees them."""

    platform: Platform

    @cached_property
    def _client(self) -> Any:
        return self.platform.cluster()

    def objects(self, kind: str) -> Any:
        """A client for one kind."""
        return self._client.resources.get(api_version=APIS[kind], kind=kind)

    def submit(self, name: str, runtime: str, *, suspend: bool) -> None:
        """Create a TrainJob of two nodes that runs until it is deleted, and wait until its JobSet shows it."""
        spec = {
            "runtimeRef": {"name": runtime},
            "suspend": suspend,
            "trainer": {"numNodes": 2, "command": RUNS},
        }
        body = {"apiVersion": TRAINER_API, "kind": "TrainJob", "metadata": {"name": name}, "spec": spec}
        self.objects("TrainJob").create(body=body, namespace="default")
        assert self.reaches(name, suspended=suspend), name

    def submit_jobset(self, name: str, *, suspend: bool) -> None:
        """Create a JobSet of one pod that runs until it is deleted."""
        pod = {"restartPolicy": "Never", "containers": [{"name": "node", "image": "example", "command": RUNS}]}
        job = {"name": "node", "replicas": 1, "template": {"spec": {"template": {"spec": pod}}}}
        spec = {"suspend": suspend, "replicatedJobs": [job]}
        body = {**JOBSET, "metadata": {"name": name}, "spec": spec}
        self.objects("JobSet").create(body=body, namespace="default")

    def reaches(self, name: str, *, suspended: bool, timeout: float = STATE_TIMEOUT) -> bool:
        """Whether the JobSet of that name is there and suspended, or not suspended, before the time is up."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            try:
                found = self.objects("JobSet").get(name=name, namespace="default").to_dict()
            except ApiException:
                found = None
            if found is not None and bool(found["spec"].get("suspend")) is suspended:
                return True
            time.sleep(POLL_INTERVAL)
        return False

    def resumes(self, name: str, timeout: float = STATE_TIMEOUT) -> bool:
        """Resume a TrainJob, and say whether its JobSet follows."""
        self.objects("TrainJob").patch(
            body={"spec": {"suspend": False}},
            name=name,
            namespace="default",
            content_type="application/merge-patch+json",
        )
        return self.reaches(name, suspended=False, timeout=timeout)

    def running_pods(self) -> Uids:
        """The pods that run."""
        pods = self.objects("Pod").get(namespace="default").to_dict()["items"]
        return {
            ("Pod", pod["metadata"]["name"]): pod["metadata"]["uid"]
            for pod in pods
            if pod["status"].get("phase") == "Running" and not pod["metadata"].get("deletionTimestamp")
        }

    def wait_for_pods(self, number: int) -> None:
        """Return when so many pods run."""
        deadline = time.monotonic() + STATE_TIMEOUT
        while len(self.running_pods()) < number and time.monotonic() < deadline:
            time.sleep(POLL_INTERVAL)
        assert len(self.running_pods()) == number

    def present(self) -> Uids:
        """All TrainJobs, JobSets and Jobs, the pods that run, and the CRDs of both operators."""
        found: Uids = self.running_pods()
        for kind in ("TrainJob", "JobSet", "Job"):
            for each in self.objects(kind).get(namespace="default").to_dict()["items"]:
                assert not each["metadata"].get("deletionTimestamp"), each["metadata"]
                found[kind, each["metadata"]["name"]] = each["metadata"]["uid"]
        crds = self._client.resources.get(api_version=CRD_API, kind="CustomResourceDefinition")
        for each in crds.get().items:
            if each.metadata.name.endswith((".trainer.kubeflow.org", ".jobset.x-k8s.io")):
                found["CustomResourceDefinition", each.metadata.name] = each.metadata.uid
        return found

    def failed(self) -> list[str]:
        """Names of TrainJobs and JobSets that have failed."""
        return [
            f"{kind}/{each['metadata']['name']}"
            for kind in ("TrainJob", "JobSet")
            for each in self.objects(kind).get(namespace="default").to_dict()["items"]
            for condition in (each.get("status") or {}).get("conditions") or ()
            if condition["type"] == "Failed" and condition["status"] == "True"
        ]

    def complaints(self, name: str) -> str:
        """What the controllers logged as an error about an object last."""
        logs = sorted((self.platform.project / ".local" / "operators").glob("*.log"))
        lines = [line for log in logs for line in log.read_text().splitlines() if f'"{name}"' in line]
        return "\n".join([line for line in lines if "error" in line.lower()][-2:])

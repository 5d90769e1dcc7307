"""A user who submits without a pause, and sees whether anyone refuses."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

from kubernetes import client, config

PAUSE = 0.2
"""Seconds between two TrainJobs."""

SECRETS = {
    "jobset-system": "jobset-webhook-server-cert",
    "kubeflow-system": "kubeflow-trainer-webhook-cert",
}
"""The Secrets with the webhooks' certificates, by namespace."""

TRAINJOB: dict[str, Any] = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "of-a-user", "namespace": "default"},
    "spec": {"runtimeRef": {"name": "deepspeed-distributed"}, "trainer": {"numNodes": 2, "command": ["true"]}},
}
JOBSET: dict[str, Any] = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "of-a-user", "namespace": "default"},
    "spec": {
        "replicatedJobs": [
            {
                "name": "node",
                "replicas": 1,
                "template": {
                    "spec": {
                        "template": {
                            "spec": {"restartPolicy": "Never", "containers": [{"name": "node", "image": "example"}]}
                        }
                    }
                },
            }
        ]
    },
}


class Submitter:
    """Submits a TrainJob and a JobSet every 200 ms, and watches certificates.

    By default both go through admission and are not stored. With `keep` they are: suspended, each with its own name.
    Used as a context: it submits as long as that lasts.
    """

    def __init__(self, kubeconfig: Path, *, keep: bool = False) -> None:
        self._keep = keep
        connection = config.new_client_from_config(str(kubeconfig))
        self._custom = client.CustomObjectsApi(connection)
        self._core = client.CoreV1Api(connection)
        self._stop = threading.Event()
        self._executor = ThreadPoolExecutor(1)
        self.admitted = {"TrainJob": 0, "JobSet": 0}
        """How many were, by kind."""
        self.kept: dict[tuple[str, str], str] = {}
        """The uids of those that are stored, by kind and name."""
        self.refusals: list[str] = []
        """What the API server said to those that were not."""
        self.certificates: dict[str, set[str]] = {namespace: set() for namespace in SECRETS}
        """All certificates that were seen, by namespace; an empty string where there was none."""

    def __enter__(self) -> Self:
        self._running = self._executor.submit(self._run)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._executor.shutdown()
        self._running.result()  # raises what ended it before its time

    def _run(self) -> None:
        while not self._stop.wait(PAUSE):
            for body in (TRAINJOB, JOBSET):
                self._submit(suspended(body, len(self.kept)) if self._keep else body)
            for namespace, name in SECRETS.items():
                data = self._core.read_namespaced_secret(name, namespace).data or {}
                self.certificates[namespace].add(data.get("tls.crt", ""))

    def _submit(self, body: dict[str, Any]) -> None:
        group, version = body["apiVersion"].split("/")
        kind, plural = body["kind"], f"{body['kind'].lower()}s"
        options = {} if self._keep else {"dry_run": "All"}
        try:
            made = self._custom.create_namespaced_custom_object(group, version, "default", plural, body, **options)
        except client.ApiException as error:
            self.refusals.append(f"{kind}: {error.body}")
            return
        self.admitted[kind] += 1
        if self._keep:
            self.kept[kind, made["metadata"]["name"]] = made["metadata"]["uid"]


def suspended(body: dict[str, Any], number: int) -> dict[str, Any]:
    """The TrainJob or JobSet, suspended and with a name that no other one has."""
    metadata = {**body["metadata"], "name": f"{body['kind'].lower()}-{token_hex(3)}-{number}"}
    return {**body, "metadata": metadata, "spec": {**body["spec"], "suspend": True}}

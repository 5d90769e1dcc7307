"""An API server with CRDs, and nothing else that looks at their objects."""

import json
import time
from pathlib import Path
from typing import Any

import yaml
from kubernetes import client, config

COLLECTIONS = {
    "ClusterTrainingRuntime": "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes",
    "TrainingRuntime": "/apis/trainer.kubeflow.org/v1alpha1/namespaces/default/trainingruntimes",
    "JobSet": "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets",
    "Job": "/apis/batch/v1/namespaces/default/jobs",
    "Pod": "/api/v1/namespaces/default/pods",
    "PersistentVolumeClaim": "/api/v1/namespaces/default/persistentvolumeclaims",
}
"""Where objects of a kind are."""


VERDICTS = (400, 403, 422, 500)
"""What is answered to a wrong request, or to an object that admission or validation refuse."""


class Server:
    """The API server of a local cluster."""

    def __init__(self, kubeconfig: Path) -> None:
        self.kubeconfig = kubeconfig
        self._api = config.new_client_from_config(str(kubeconfig))

    def install(self, *crds: Path) -> None:
        """Create the CRDs in files, and wait until objects of them are served."""
        definitions = client.ApiextensionsV1Api(self._api)
        names = [
            definitions.create_custom_resource_definition(yaml.safe_load(file.read_text())).metadata.name
            for file in crds
        ]
        deadline = time.monotonic() + 60
        while not all(_is_served(definitions.read_custom_resource_definition(name)) for name in names):
            assert time.monotonic() < deadline, f"not served after a minute: {names}"
            time.sleep(0.1)

    def create(self, manifest: dict[str, Any]) -> None:
        """Create an object, strictly: unknown fields are refused."""
        refusal = self._post(manifest, fieldValidation="Strict")
        assert refusal is None, refusal

    def refusal(self, manifest: dict[str, Any]) -> str | None:
        """Why the object would be refused, None where it would be created."""
        return self._post(manifest, fieldValidation="Strict", dryRun="All")

    def stored_runtimes(self) -> dict[str, dict[str, Any]]:
        """The cluster's runtimes, by name."""
        path = COLLECTIONS["ClusterTrainingRuntime"]
        response = self._api.call_api(path, "GET", _preload_content=False, _return_http_data_only=True)
        return {each["metadata"]["name"]: each for each in json.loads(response.data)["items"]}

    def _post(self, manifest: dict[str, Any], **parameters: str) -> str | None:
        try:
            self._api.call_api(
                _collection(manifest),
                "POST",
                query_params=list(parameters.items()),
                header_params={"Content-Type": "application/json"},
                body=manifest,
                _preload_content=False,
            )
        except client.ApiException as error:
            if error.status not in VERDICTS:
                raise
            message: str = json.loads(error.body)["message"]
            return message
        return None


def _collection(manifest: dict[str, Any]) -> str:
    """Where an object is created; one of an unknown kind is meant to be a cluster's runtime."""
    kind = manifest.get("kind")
    return COLLECTIONS.get(kind if isinstance(kind, str) else "", COLLECTIONS["ClusterTrainingRuntime"])


def _is_served(definition: Any) -> bool:
    return any(each.type == "Established" and each.status == "True" for each in definition.status.conditions or ())

"""Answers of an API server, and a kubeconfig that leads to it."""

import json
from typing import Any

from components.cluster.transport import Limits

TRAIN_JOBS = "/apis/trainer.kubeflow.org/v1alpha1/trainjobs"

TRAIN_JOB = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/team/trainjobs/mnist"

QUICK = Limits(connect=1, read=1, call=3, pause=0.01, retry_after=0.02)


def kubeconfig(server: str, user: Any = None, **cluster: Any) -> str:
    return json.dumps(
        {
            "current-context": "a",
            "contexts": [{"name": "a", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server, **cluster}}],
            "users": [{"name": "u", "user": user or {}}],
        }
    )


def status(code: int, reason: str, **details: str) -> dict[str, Any]:
    said = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code}
    return {**said, "message": reason, **({"details": details} if details else {})}


def train_job_list(*names: str, more: str = "") -> dict[str, Any]:
    items = [{"metadata": {"name": name, "namespace": "team"}, "spec": {}} for name in names]
    metadata = {"resourceVersion": "7", **({"continue": more} if more else {})}
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJobList", "metadata": metadata, "items": items}

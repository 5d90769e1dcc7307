"""A cluster in which a TrainJob takes its course while its observer sleeps."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from components.cluster.client import ClusterClient, ClusterReadError, Response
from components.cluster.permissions import SELF_SUBJECT_ACCESS_REVIEWS
from components.training_validation.observations import REPLICATED_JOB
from components.training_validation.rank_reports import MARK

TRAIN_JOBS = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/{}/trainjobs"
Pods = Callable[[str, float], list[dict[str, Any]]]


def rank_line(rank: int, size: int, host: str, **fields: Any) -> str:
    report = {"rank": rank, "size": size, "host": host, "gpus": 0, "total": size * (size + 1) / 2, **fields}
    return MARK + json.dumps({"megabytes_per_second": None, **report})


def pod(name: str, role: str, phase: str = "Running", **status: Any) -> dict[str, Any]:
    containers = [{"name": "node", "restartCount": 0}]
    return {
        "metadata": {"name": f"{name}-x7k2p", "labels": {REPLICATED_JOB: role}},
        "spec": {"hostname": name},
        "status": {"phase": phase, "containerStatuses": containers, **status},
    }


class TrainingCluster(ClusterClient):
    """It has one namespace, `default`, and creates what `pods` returns for the newest TrainJob and its age."""

    def __init__(self, pods: Pods = lambda _name, _age: []) -> None:
        super().__init__("here")
        self.now = 0.0
        self.pods = pods
        self.ends_after: float | None = None
        """Age at which a TrainJob completes. None: never."""
        self.ending = "Complete"
        self.nodes: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.logs: dict[str, str] = {}
        """Logs by a part of the pod's name."""
        self.train_jobs: dict[str, dict[str, Any]] = {}
        self.created: list[dict[str, Any]] = []
        self.deleted: list[str] = []
        self.denied: set[tuple[str, str]] = set()
        self.refusal: str | None = None
        self.down_between = (0.0, 0.0)
        self.config_maps: dict[str, dict[str, Any]] = {}

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def request(
        self, method: str, path: str, body: Any = None, dry_run: bool = False, query: Mapping[str, str] | None = None
    ) -> Response:
        assert not dry_run
        start, end = self.down_between
        if start <= self.now < end:
            raise ClusterReadError("the API server does not answer")
        if path == SELF_SUBJECT_ACCESS_REVIEWS:
            asked = body["spec"]["resourceAttributes"]
            resource = "/".join(filter(None, (asked["resource"], asked.get("subresource"))))
            return Response(201, {"status": {"allowed": (asked["verb"], resource) not in self.denied}})
        kind = path.rpartition("/")[2] if method == "POST" or path.endswith("s") else path.split("/")[-2]
        return getattr(self, f"_{method.lower()}_{kind}")(path, body, query or {})  # type: ignore[no-any-return]

    def _listed(self, items: list[dict[str, Any]], path: str) -> Response:
        kind = {"apiVersion": "v1", "kind": "ThingList", "metadata": {}, "path": path}
        return Response(200, {**kind, "items": items})

    def _get_nodes(self, path: str, _body: Any, _query: Mapping[str, str]) -> Response:
        return self._listed(self.nodes, path)

    def _get_events(self, path: str, _body: Any, query: Mapping[str, str]) -> Response:
        assert query["fieldSelector"] == "type=Warning"
        return self._listed(self.events, path)

    def _get_pods(self, path: str, _body: Any, query: Mapping[str, str]) -> Response:
        found = []
        for name, job in [*self.train_jobs.items()]:
            if name in query["labelSelector"]:
                found += self.pods(name, self.now - job["created"])
        return self._listed(found, path)

    def _get_trainjobs(self, path: str, _body: Any, query: Mapping[str, str]) -> Response:
        name = path.rpartition("/")[2]
        if name == "trainjobs":
            assert query["labelSelector"] == "training-platform/validation=true"
            return self._listed([*self.train_jobs.values()], path)
        job = self.train_jobs.get(name)
        if job is None:
            details = {"name": name, "group": "trainer.kubeflow.org", "kind": "trainjobs"}
            status = {"kind": "Status", "apiVersion": "v1", "reason": "NotFound", "details": details}
            return Response(404, status)
        conditions = []
        if self.ends_after is not None and self.now - job["created"] >= self.ends_after:
            conditions = [{"type": self.ending, "status": "True", "message": "it ended"}]
        return Response(200, {**job, "status": {"conditions": conditions}})

    def _post_trainjobs(self, _path: str, body: Any, _query: Mapping[str, str]) -> Response:
        if self.refusal:
            return Response(403, {"message": self.refusal})
        self.created.append(body)
        name = body["metadata"]["name"]
        self.train_jobs[name] = {**body, "metadata": {**body["metadata"], "uid": f"uid-{name}"}, "created": self.now}
        return Response(201, body)

    def _delete_trainjobs(self, path: str, body: Any, _query: Mapping[str, str]) -> Response:
        name = path.rpartition("/")[2]
        assert body["preconditions"] == {"uid": self.train_jobs[name]["metadata"]["uid"]}
        self.deleted.append(name)
        self.train_jobs.pop(name)
        return Response(200, {"kind": "Status"})

    def _get_configmaps(self, path: str, _body: Any, _query: Mapping[str, str]) -> Response:
        name = path.rpartition("/")[2]
        if name not in self.config_maps:
            details = {"name": name, "kind": "configmaps"}
            return Response(404, {"kind": "Status", "apiVersion": "v1", "reason": "NotFound", "details": details})
        return Response(200, self.config_maps[name])

    def _post_configmaps(self, _path: str, body: Any, _query: Mapping[str, str]) -> Response:
        self.config_maps[body["metadata"]["name"]] = body
        return Response(201, body)

    def _patch_configmaps(self, path: str, body: Any, _query: Mapping[str, str]) -> Response:
        self.config_maps[path.rpartition("/")[2]].update(body)
        return Response(200, body)

    def read_log(self, path: str, query: Mapping[str, str]) -> str | None:
        assert query["container"]
        return next((text for part, text in self.logs.items() if part in path), None)

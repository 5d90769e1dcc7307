"""Compares what `explain` says with the objects that the real controllers create."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from kubernetes import client, config
from kubernetes.client import ApiException

from tools import go_build

from .conftest import Platform

Object = dict[str, Any]

DRY = "explained"
"""A namespace in which nothing is created: the API server adds its defaults to explained objects there by dry run."""

PRIORITY_CLASS = "explained"
"""A priority class of pods that take no node from the operators."""

PATHS = {
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): "/apis/jobset.x-k8s.io/v1alpha2/namespaces/{}/jobsets",
    ("batch/v1", "Job"): "/apis/batch/v1/namespaces/{}/jobs",
    ("v1", "Pod"): "/api/v1/namespaces/{}/pods",
    ("v1", "Service"): "/api/v1/namespaces/{}/services",
    ("v1", "ConfigMap"): "/api/v1/namespaces/{}/configmaps",
    ("v1", "Secret"): "/api/v1/namespaces/{}/secrets",
    ("v1", "PersistentVolumeClaim"): "/api/v1/namespaces/{}/persistentvolumeclaims",
    ("scheduling.x-k8s.io/v1alpha1", "PodGroup"): "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/{}/podgroups",
    ("scheduling.volcano.sh/v1beta1", "PodGroup"): "/apis/scheduling.volcano.sh/v1beta1/namespaces/{}/podgroups",
}
"""Where objects of an API version and kind are."""

COSCHEDULING = "sigs.k8s.io/scheduler-plugins@v0.35.4-devel", "manifests/coscheduling/crd.yaml"
"""The CRD of coscheduling's PodGroups, in the Go module that Trainer 2.3.0 requires."""

VOLCANO: Object = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "podgroups.scheduling.volcano.sh"},
    "spec": {
        "group": "scheduling.volcano.sh",
        "names": {"kind": "PodGroup", "plural": "podgroups"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1beta1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}
"""A CRD of Volcano's PodGroups without a schema, which no Go module has: what Trainer writes is stored as it is."""

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

OF_THE_SERVER = ("creationTimestamp", "generation", "managedFields", "namespace", "resourceVersion", "uid")
"""Metadata that the API server sets."""

AUTOMATIC = ("controller-uid", "batch.kubernetes.io/controller-uid")
"""Labels of a Job's pods that the API server sets, with the Job's selector."""

CLUSTER_IPS = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
"""Fields of a Service that depend on the cluster's network."""

TOKEN = re.compile(r"kube-api-access-[a-z0-9]{5}")
"""The volume with a service account's token, whose name ends at random."""


class ApiServer:
    """The API server of a platform."""

    def __init__(self, platform: Platform) -> None:
        self._api = config.new_client_from_config(str(platform.kubeconfig))

    def call(self, method: str, path: str, body: Object | None = None, **query: str) -> Object:
        """The answer to a request. Raises ApiException."""
        answer: Object = self._api.call_api(
            path,
            method,
            query_params=list(query.items()),
            header_params={"Content-Type": "application/json", "Accept": "application/json"},
            body=body,
            auth_settings=["BearerToken"],
            response_type="object",
            _return_http_data_only=True,
        )
        return answer


class Server(ApiServer):
    """The API server of a platform, with the CRDs of PodGroups."""

    def __init__(self, platform: Platform) -> None:
        super().__init__(platform)
        core = client.CoreV1Api(self._api)
        core.create_namespace({"metadata": {"name": DRY}})
        client.SchedulingV1Api(self._api).create_priority_class(
            {"metadata": {"name": PRIORITY_CLASS}, "value": 0, "preemptionPolicy": "Never"}
        )
        module, file = COSCHEDULING
        coscheduling = yaml.safe_load((go_build.module_folder("operators", module) / file).read_text())
        for crd in (coscheduling, VOLCANO):
            self.call("POST", CRDS, crd)

    def objects(self, namespace: str = "default") -> list[Object]:
        """All objects of the kinds that are compared."""
        return [
            {"apiVersion": version, "kind": kind, **item}
            for (version, kind), path in PATHS.items()
            for item in self.call("GET", path.format(namespace))["items"]
        ]

    def defaulted(self, manifest: Object) -> Object:
        """An explained object with the API server's defaults and the changes of admission, by dry run."""
        kind = manifest["kind"]
        if kind == "Secret":
            return {"type": "Opaque", **manifest}
        if kind == "ConfigMap":
            return dict(manifest)
        body: Object = _named(_without_automatic(manifest))
        # Pods have no name yet, and JobSet's webhook hashes their namespace.
        namespace = body["metadata"].get("namespace", "default") if kind == "Pod" else DRY
        body["metadata"] = {**body["metadata"], "namespace": namespace}
        path = PATHS[manifest["apiVersion"], kind].format(namespace)
        answer = self.call("POST", path, body, dryRun="All", fieldValidation="Strict")
        if "affinity" in answer.get("spec", {}):
            answer["spec"]["affinity"] = _once(answer["spec"]["affinity"])
        return answer


def _named(value: Any) -> Any:
    """A value with names in place of what is in angle brackets, which no label may contain."""
    if isinstance(value, Mapping):
        return {key: _named(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_named(inner) for inner in value]
    return (
        re.sub(r"<([^<>]+)>", lambda found: f"any-{found[1].replace(' ', '-')}-any", value)
        if isinstance(value, str)
        else value
    )


def _once(value: Any) -> Any:
    """Affinities without repetitions: the webhook of JobSet adds those that are explained already."""
    if isinstance(value, Mapping):
        return {key: _once(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [each for index, each in enumerate(value) if each not in value[:index]]
    return value


ANY = re.compile(r"<[^<>]+>|any-[A-Za-z-]+-any")
"""A text that only the cluster knows."""


def _without_automatic(manifest: Object) -> Object:
    """A Job without what a client may not set."""
    if manifest["kind"] != "Job":
        return dict(manifest)
    spec = {key: value for key, value in manifest["spec"].items() if key != "selector"}
    template = spec["template"]
    labels = {key: value for key, value in template["metadata"].get("labels", {}).items() if key not in AUTOMATIC}
    spec["template"] = {**template, "metadata": {**template["metadata"], "labels": labels}}
    return {**manifest, "spec": spec}


def comparable(found: Object) -> Object:
    """An object without what the server, the scheduler and its status add."""
    metadata = {
        key: value
        for key, value in found["metadata"].items()
        if key not in (*OF_THE_SERVER, "ownerReferences", "generateName")
    }
    if found["kind"] == "Pod":
        metadata.pop("name", None)
    result = {key: value for key, value in found.items() if key not in ("status", "apiVersion", "metadata")}
    spec: Object = result.get("spec") or {}
    if found["kind"] == "Pod":
        result["spec"] = {key: value for key, value in spec.items() if key not in ("nodeName",)}
        # The Job controller removes its finalizer when it has counted an ended pod.
        metadata["finalizers"] = ["batch.kubernetes.io/job-tracking"]
    if found["kind"] == "Service":
        result["spec"] = {key: value for key, value in spec.items() if key not in CLUSTER_IPS}
    if found["kind"] == "Job":
        result["spec"] = {key: value for key, value in spec.items() if key != "selector"}
        for labels in (metadata.get("labels", {}), result["spec"]["template"]["metadata"].get("labels", {})):
            for name in AUTOMATIC:
                labels.pop(name, None)
    pruned: Object = without_empty({**result, "metadata": metadata})
    return pruned


def without_empty(value: Any) -> Any:
    """A value without empty mappings, lists, texts and zeros: Trainer applies some of them, and `explain` omits all."""
    if isinstance(value, Mapping):
        inner = {key: without_empty(each) for key, each in value.items()}
        return {key: each for key, each in inner.items() if each not in ({}, [], "", None, 0) or each is False}
    return [without_empty(each) for each in value] if isinstance(value, list) else value


def differences(expected: Any, found: Any, path: str = "") -> Iterator[str]:
    """The paths at which two objects differ. A value in angle brackets is any text."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key in sorted(expected.keys() | found.keys()):
            if key not in found:
                yield f"{path}.{key}: only explained: {expected[key]!r}"
            elif key not in expected:
                yield f"{path}.{key}: not explained: {found[key]!r}"
            else:
                yield from differences(expected[key], found[key], f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(found, list):
        yield from _list_differences(expected, found, path)
    elif isinstance(expected, str) and isinstance(found, str):
        parts = map(re.escape, ANY.split(TOKEN.sub("token", expected)))
        if not re.fullmatch(".*".join(parts), TOKEN.sub("token", found), re.DOTALL):
            yield f"{path}: explained {expected!r}, found {found!r}"
    elif expected != found:
        yield f"{path}: explained {expected!r}, found {found!r}"


def _list_differences(expected: list[Any], found: list[Any], path: str) -> Iterator[str]:
    names, there = _names(expected), _names(found)
    if names and there and any(name.startswith("DMLC_") for name in there):
        # Each process of Trainer runs its plugins in another order: XGBoost's variables come before or after others.
        expected, found = (sorted(each, key=lambda item: str(item["name"])) for each in (expected, found))
        names, there = sorted(names), sorted(there)
    if len(expected) != len(found) and names and there and set(names) != set(there):
        yield from (f"{path}[{name}]: only explained" for name in names if name not in there)
        yield from (f"{path}[{name}]: not explained" for name in there if name not in names)
    elif len(expected) != len(found):
        yield f"{path}: explained {expected!r}, found {found!r}"
    else:
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")


def _names(items: list[Any]) -> list[str] | None:
    """The names of all items of a list. None: they have none."""
    names = [item.get("name") if isinstance(item, Mapping) else None for item in items]
    return None if None in names else [TOKEN.sub("token", str(name)) for name in names]


def key_of(manifest: Object) -> tuple[str, str]:
    """Kind and name; of a pod its Job and its index; of a PodGroup its scheduler too."""
    metadata = manifest["metadata"]
    if manifest["kind"] == "PodGroup":
        return f"PodGroup of {manifest['apiVersion'].partition('/')[0]}", metadata["name"]
    if manifest["kind"] != "Pod":
        return manifest["kind"], metadata["name"]
    labels, annotations = metadata.get("labels", {}), metadata.get("annotations", {})
    index = annotations.get("batch.kubernetes.io/job-completion-index", "")
    return "Pod", f"{labels.get('job-name')}/{index}"


def compare(server: Server, explained: list[Object], found: list[Object]) -> list[str]:
    """All differences between explained objects and those that there are."""
    # Pods of a Job without indices are all alike.
    theirs: dict[tuple[str, str], list[Object]] = {}
    for each in found:
        theirs.setdefault(key_of(each), []).append(each)
    result = []
    for manifest in explained:
        key = key_of(manifest)
        if not theirs.get(key):
            result.append(f"{key}: only explained")
            continue
        other = theirs[key].pop()
        try:
            ours = {"kind": manifest["kind"], **server.defaulted(manifest)}
        except ApiException as error:
            result.append(f"{key}: rejected: {error.body}")
            continue
        result += [f"{key} {each}" for each in differences(comparable(ours), comparable(other))]
    return result + [f"{key}: not explained" for key, rest in theirs.items() for _ in rest]

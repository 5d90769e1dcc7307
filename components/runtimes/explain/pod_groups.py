"""PodGroups of gang schedulers.

Source: plugins/coscheduling/coscheduling.go and plugins/volcano/volcano.go of Trainer v2.0.0, v2.2.0 and v2.3.0;
PodRequests in k8s.io/component-helpers/resource/helpers.go@v0.36.2.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from .quantities import Quantity
from .reconciliation import Reconciliation
from .stored import Manifest

_QUEUE = "scheduling.volcano.sh/queue-name"

Amounts = dict[str, Quantity]


def label_pods(work: Reconciliation) -> None:
    """Sets the label or annotation by which the scheduler knows the pods of a group."""
    if work.pod_group is None:
        return
    # 2.0 labels the pods of any policy, also where the API server has dropped Volcano's.
    if "coscheduling" in work.pod_group or work.release.trainer == "2.0.0":
        work.pod_labels["scheduling.x-k8s.io/pod-group"] = work.name
    if "volcano" in work.pod_group:
        work.pod_annotations["scheduling.k8s.io/group-name"] = work.name


def build(work: Reconciliation, requests: Mapping[str, Amounts]) -> None:
    """Adds the PodGroup. `requests` are those of one pod of each job."""
    if work.pod_group is None:
        return
    members = sum(pod_set.count for pod_set in work.pod_sets)
    total: Amounts = {}
    for pod_set in work.pod_sets:
        _add(total, {name: each * pod_set.count for name, each in requests[pod_set.name].items()})
    spec: Manifest = {"minMember": members, "minResources": {name: str(each) for name, each in total.items()}}
    if (coscheduling := work.pod_group.get("coscheduling")) is not None:
        timeout = {"scheduleTimeoutSeconds": coscheduling["scheduleTimeoutSeconds"]}
        work.objects.append(_pod_group(work, "scheduling.x-k8s.io/v1alpha1", spec | timeout))
    if (volcano := work.pod_group.get("volcano")) is not None:
        if _QUEUE in work.annotations:
            spec["queue"] = work.annotations[_QUEUE]
        for pod_set in work.pod_sets:
            if priority := pod_set.pod.get("priorityClassName"):
                spec["priorityClassName"] = priority
        if topology := volcano.get("networkTopology"):
            spec["networkTopology"] = topology
        work.objects.append(_pod_group(work, "scheduling.volcano.sh/v1beta1", spec))


def _pod_group(work: Reconciliation, version: str, spec: Manifest) -> Manifest:
    return {"apiVersion": version, "kind": "PodGroup", "metadata": work.metadata(), "spec": dict(spec)}


def pod_requests(pod: Mapping[str, Any]) -> Amounts:
    """What a pod requests: its containers and sidecars together, or an init container if that requests more."""
    total: Amounts = {}
    for container in pod.get("containers") or ():
        _add(total, _requests(container))
    sidecars: Amounts = {}
    initial: Amounts = {}
    for container in pod.get("initContainers") or ():
        own = _requests(container)
        if container.get("restartPolicy") == "Always":
            _add(total, own)
            _add(sidecars, own)
            own = dict(sidecars)
        else:
            _add(own, sidecars)
        _raise(initial, own.items())
    _raise(total, initial.items())
    if "requests" in (pod.get("resources") or {}):
        total.update(_requests(pod))
    _add(total, _amounts(pod.get("overhead")))
    return total


def _requests(owner: Mapping[str, Any]) -> Amounts:
    return _amounts((owner.get("resources") or {}).get("requests"))


def _amounts(resources: Mapping[str, int | str] | None) -> Amounts:
    return {name: Quantity.of(quantity) for name, quantity in (resources or {}).items()}


def _add(total: Amounts, added: Amounts) -> None:
    for name, quantity in added.items():
        total[name] = total[name] + quantity if name in total else quantity


def _raise(total: Amounts, others: Iterable[tuple[str, Quantity]]) -> None:
    for name, quantity in others:
        if name not in total or quantity.number > total[name].number:
            total[name] = quantity

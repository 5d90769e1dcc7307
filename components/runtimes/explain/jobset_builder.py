"""The JobSet that Trainer applies for a TrainJob, and the objects beside it.

Source: pkg/runtime/core/trainingruntime.go and plugins/jobset/{jobset,builder}.go of Trainer v2.0.0, v2.2.0 and v2.3.0.
"""

from collections.abc import Mapping
from typing import Any

from ..topology import INITIALIZERS, NODE
from . import pod_groups
from .patches import patch_template
from .pod_groups import Amounts, pod_requests
from .policies import flux, jax, mpi, plain, torch, xgboost
from .quantities import canonical_resources
from .reconciliation import (
    TRAINER,
    NotReconciledError,
    PodSet,
    Reconciliation,
    ancestor_of,
    pod_of,
    settle_ports,
    variables_of,
)
from .releases import Release
from .stored import Manifest, normalize_claim, normalize_pod, pruned

INITIALIZER = "TrainJob initializer"


def start(release: Release, runtime: Manifest, train_job: Manifest, namespace: str) -> Reconciliation:
    """The state before the plugins: the template with the TrainJob's patches, and how many pods each job has. Both
    manifests are as the API server stores them, and are changed in place."""
    spec = runtime["spec"]
    template = spec.get("template") or {}
    origins, volume_origins = patch_template(template, train_job["spec"], release.patches_add_jobs)
    jobset = template.get("spec") or {}
    jobset.pop("suspend", None)
    policy = spec.get("mlPolicy")
    work = Reconciliation(
        release=release,
        name=train_job["metadata"]["name"],
        namespace=namespace,
        train_job=train_job["spec"],
        policy=policy,
        pod_group=spec.get("podGroupPolicy"),
        labels=dict((template.get("metadata") or {}).get("labels") or {}),
        annotations=dict((template.get("metadata") or {}).get("annotations") or {}),
        spec=jobset,
        pod_sets=[],
        origins=origins,
        volume_origins=volume_origins,
    )
    for job in jobset.get("replicatedJobs") or ():
        normalize_pod(pod_of(job))
        work.pod_sets.append(PodSet(job, _count(job, policy)))
    for claims in jobset.get("volumeClaimPolicies") or ():
        for claim in claims.get("templates") or ():
            normalize_claim(claim.get("spec") or {})
    return work


def _count(job: Mapping[str, Any], policy: Mapping[str, Any] | None) -> int:
    count = (job["template"].get("spec") or {}).get("parallelism")
    if ancestor_of(job) == TRAINER and policy is not None:
        count = policy.get("numNodes")
    return max(1 if count is None else count, 1)


def build(work: Reconciliation) -> Manifest:
    """Runs Trainer's plugins, and returns the JobSet. Raises NotReconciledError where they fail."""
    _require_containers(work)
    requests = _requests(work)
    # Trainer runs its plugins in any order. This one differs from others in the order of XGBoost's variables alone.
    for plugin in (plain, torch, mpi, jax, xgboost, flux):
        plugin.enforce(work)
    pod_groups.label_pods(work)
    _name_pods(work)
    for pod_set in work.pod_sets:
        job = pod_set.job["template"]["spec"]
        job["parallelism"] = job["completions"] = pod_set.count
        in_containers = work.release.trainer != "2.3.0"
        settle_ports(iter([] if in_containers else pod_set.pod.get("initContainers") or ()))
        settle_ports(iter(pod_set.pod.get("containers") or ()))
    jobset = _jobset(work)
    mpi.build(work)
    flux.build(work)
    pod_groups.build(work, requests)
    return jobset


def _require_containers(work: Reconciliation) -> None:
    """Raise NotReconciledError for a job whose pods have no containers, such as one that a patch adds: the API server
    rejects the JobSet (seen with JobSet 0.12.0)."""
    for pod_set in work.pod_sets:
        if not pod_set.pod.get("containers"):
            raise NotReconciledError(f"The replicated job {pod_set.name} has no containers: the JobSet is rejected.")


def _requests(work: Reconciliation) -> dict[str, Amounts]:
    """What one pod of each job requests, as PodGroups count it. Puts the TrainJob's resources into the containers."""
    given = (work.trainer or {}).get("resourcesPerNode")
    requests: dict[str, Amounts] = {}
    for pod_set in work.pod_sets:
        container = pod_set.container(NODE)
        requests[pod_set.name] = pod_requests(pod_set.pod)
        if given is None or container is None:
            continue
        takes, counts = _takes_resources(work, pod_set)
        present = container.get("resources")
        if takes:
            container["resources"] = _resources(work, present or {}, given)
        if counts:
            requests[pod_set.name] = pod_requests(pod_set.pod)
        if work.release.resources != "merged" and not container.get("resources"):
            # Limits and requests that are both absent replace nothing, but PodGroups of 2.2 count them.
            container["resources"] = present or {}
    return requests


def _takes_resources(work: Reconciliation, pod_set: PodSet) -> tuple[bool, bool]:
    """Whether a job takes the TrainJob's resources, and whether its PodGroup counts them."""
    trains = pod_set.ancestor == TRAINER
    with_policy = trains and work.policy is not None
    match work.release.resources:
        case "merged":
            takes = with_policy or _is_mpi_node(work, pod_set)
            return takes, takes
        case "replaced":
            return trains or _is_mpi_node(work, pod_set), with_policy
        case "replaced late":
            return trains, False


def _resources(work: Reconciliation, present: Mapping[str, Any], given: Mapping[str, Any]) -> Manifest:
    """The resources of a container that takes the TrainJob's. Claims are lost, the runtime's and the TrainJob's:
    Trainer copies limits and requests alone."""
    kinds = ("limits", "requests")
    resources = {kind: canonical_resources(given[kind]) for kind in kinds if kind in given}
    if work.release.resources != "merged":
        return resources
    return {
        kind: {**(present.get(kind) or {}), **resources.get(kind, {})}
        for kind in kinds
        if kind in present or kind in resources
    }


def _is_mpi_node(work: Reconciliation, pod_set: PodSet) -> bool:
    """Whether a job is the nodes of an MPI runtime whose launcher is a node too: from 2.2 on it is given the launcher's
    variables and resources."""
    with_launcher = bool((work.policy_of("mpi") or {}).get("runLauncherAsNode"))
    return with_launcher and pod_set.name == NODE and work.release.resources != "replaced late"


def _name_pods(work: Reconciliation) -> None:
    subdomain = (work.spec.get("network") or {}).get("subdomain") or work.name
    for pod_set in work.pod_sets:
        replicas = pod_set.job["replicas"] if work.release.counts_replicas else 1
        pod_set.endpoints = tuple(
            f"{work.name}-{pod_set.name}-{replica}-{index}.{subdomain}"
            for replica in range(replicas)
            for index in range(pod_set.count)
        )


def _jobset(work: Reconciliation) -> Manifest:
    for pod_set in work.pod_sets:
        _initialize(work, pod_set)
        _train(work, pod_set)
        metadata = pod_set.job["template"]["spec"]["template"].setdefault("metadata", {})
        for kind, added in (("labels", work.pod_labels), ("annotations", work.pod_annotations)):
            if added:
                metadata[kind] = {**(metadata.get(kind) or {}), **added}
    metadata = {**work.metadata(), "labels": work.labels, "annotations": work.annotations}
    spec = {**work.spec, "suspend": work.train_job["suspend"]}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": pruned(metadata),
        "spec": pruned(spec),
    }


def _initialize(work: Reconciliation, pod_set: PodSet) -> None:
    if pod_set.ancestor not in INITIALIZERS:
        return
    pod_set.job["replicas"] = 1
    section = "dataset" if pod_set.ancestor == INITIALIZERS[0] else "model"
    given = (work.train_job.get("initializer") or {}).get(section)
    container = pod_set.container(pod_set.ancestor)
    if given is None or container is None:
        return
    if (uri := given.get("storageUri")) is not None:
        variable = {"name": "STORAGE_URI", "value": uri}
        work.set_variables(pod_set.name, container, [variable], f"{INITIALIZER}.{section}.storageUri")
    work.set_variables(pod_set.name, container, variables_of(given), f"{INITIALIZER}.{section}.env")
    if secret := given.get("secretRef"):
        container.setdefault("envFrom", []).append({"secretRef": dict(secret)})


def _train(work: Reconciliation, pod_set: PodSet) -> None:
    trains = pod_set.ancestor == TRAINER
    trainer, container = work.trainer or {}, pod_set.container(NODE)
    if trains:
        pod_set.job["replicas"] = 1
        if work.release.trainer == "2.0.0" and work.trainer_set is not None:
            job = pod_set.job["template"]["spec"]
            job["parallelism"] = job["completions"] = work.trainer_set.count
    if container is None or work.trainer is None:
        return
    if trains:
        for field in ("image", "command", "args"):
            if field in trainer:
                container[field] = trainer[field]
    if trains or _is_mpi_node(work, pod_set):
        work.set_variables(pod_set.name, container, variables_of(trainer), plain.TRAIN_JOB)

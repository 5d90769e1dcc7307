"""TrainJobs that JobSet or Kubernetes rejects, that do not fit a pool, or that a scheduler never starts."""

from typing import Any

from components.k8s.scheduling import Toleration
from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.placement import Placement
from components.validation.violation import Severity

from ...explain.pairs import job, runtime, train_job
from ..samples import Case, Sample, patches, pod_patch

TORCH = runtime(policy={"torch": {}})
IN_PATCH = "spec.runtimePatches[0].trainingRuntimeSpec.template"
REPLICATED_JOB = f"{IN_PATCH}.spec.replicatedJobs[0]"


def sample(
    made: BaseTrainingRuntime | None = None, *, name: str = "tj", pool: Placement | None = None, **spec: Any
) -> Sample:
    return Sample(train_job(name=name, **spec), made or TORCH, pool)


def named(length: int, made: BaseTrainingRuntime = TORCH, **spec: Any) -> Sample:
    return sample(made, name="a" * length, **spec)


def coordinated(**coordinator: Any) -> BaseTrainingRuntime:
    return runtime(policy={"torch": {}, "numNodes": 3}, coordinator={"replicatedJob": "node", **coordinator})


def claiming(name: str) -> BaseTrainingRuntime:
    template = {
        "metadata": {"name": name},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    mounted = job(container={"volumeMounts": [{"name": name, "mountPath": "/data"}]})
    return runtime(mounted, volumeClaimPolicies=[{"templates": [template]}])


CLAIM = "c" * 40
JOBSET = (
    # <trainjob>-node-0 has 7 more characters, and <trainjob>-node-0-0-abcde has 15 more.
    Case("JSW-04", "metadata.name", named(57), named(48), shows="reconcile"),
    Case("JSW-05", "metadata.name", named(49), named(48), shows="reconcile"),
    Case(
        "JSW-05",
        "metadata.name",
        named(48, trainer={"numNodes": 11}),
        named(48, trainer={"numNodes": 10}),
        shows="reconcile",
    ),
    Case(
        "JSW-22",
        "spec.trainer.numNodes",
        sample(coordinated(podIndex=1), trainer={"numNodes": 1}),
        sample(coordinated(podIndex=1), trainer={"numNodes": 2}),
        shows="reconcile",
    ),
    Case(
        "JSW-23",
        "metadata.name",
        named(27, coordinated(), trainer={}),
        named(26, coordinated(), trainer={}),
        shows="reconcile",
    ),
    Case("JSW-26", "metadata.name", named(23, claiming(CLAIM)), named(22, claiming(CLAIM)), shows="reconcile"),
    Case(
        "JSW-28",
        f"{REPLICATED_JOB}.template.spec.template.spec.volumes[0].name",
        sample(claiming("data"), runtimePatches=patches(pod_patch(volumes=[{"name": "data", "emptyDir": {}}]))),
        sample(claiming("data"), runtimePatches=patches(pod_patch(volumes=[{"name": "more", "emptyDir": {}}]))),
        shows="reconcile",
    ),
)

REQUESTS = runtime(job(container={"resources": {"requests": {"cpu": "2"}}}), policy={"torch": {}})
FOUR = {"nvidia.com/gpu": "4"}
GPUS = runtime(job(container={"resources": {"requests": FOUR, "limits": FOUR}}), policy={"torch": {}})
WITHOUT_IMAGE = runtime(job(container={"image": None}))
SIDECAR = runtime(job(pod={"initContainers": [{"name": "prepare"}]}))
MOUNT = [{"name": "node", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]


def limited(made: BaseTrainingRuntime, **resources: dict[str, str]) -> Sample:
    return sample(made, trainer={"resourcesPerNode": resources})


KUBERNETES = (
    Case(
        "K8S-26",
        "spec.trainer.numNodes",
        sample(trainer={"numNodes": -1}),
        sample(trainer={"numNodes": 1}),
        shows="reconcile",
    ),
    Case(
        "K8S-16",
        "spec.trainer.numNodes",
        sample(trainer={"numNodes": 100_001}),
        sample(trainer={"numNodes": 100_000}),
        shows="reconcile",
        seen=False,
    ),
    Case(
        "K8S-01",
        "spec.trainer.image",
        sample(WITHOUT_IMAGE),
        sample(WITHOUT_IMAGE, trainer={"image": "a:1"}),
        shows="reconcile",
    ),
    Case("K8S-01", "spec.runtimeRef.name", sample(SIDECAR), sample(), shows="reconcile"),
    Case(
        "K8S-01",
        "spec.trainer.image",
        sample(trainer={"image": " a:1"}),
        sample(trainer={"image": "a:1"}),
        shows="never",
    ),
    Case(
        "K8S-26",
        "spec.trainer.numNodes",
        Sample(train_job(trainer={"numNodes": -1})),
        Sample(train_job(trainer={"numNodes": 1})),
        severity=Severity.WARNING,
        shows="never",
        seen=False,
    ),
)

AGAIN = (
    Case(
        "K8S-08",
        "spec.trainer.resourcesPerNode",
        limited(REQUESTS, limits={"cpu": "1"}),
        limited(REQUESTS, limits={"cpu": "2"}),
        shows="reconcile",
    ),
    Case(
        "K8S-09",
        "spec.trainer.resourcesPerNode",
        limited(GPUS, limits={"nvidia.com/gpu": "2"}),
        limited(GPUS, limits={"nvidia.com/gpu": "2"}, requests={"nvidia.com/gpu": "2"}),
        shows="reconcile",
    ),
    Case(
        "K8S-05",
        f"{REPLICATED_JOB}.template.spec.template.spec.containers[0]",
        sample(runtimePatches=patches(pod_patch(containers=MOUNT))),
        sample(runtimePatches=patches(pod_patch(containers=MOUNT, volumes=[{"name": "data", "emptyDir": {}}]))),
        shows="reconcile",
    ),
)
"""Rules for runtimes that are checked again in the JobSet."""

LARGE = Placement(gpus_per_node=8, max_nodes=2)
ONE_GPU = runtime(job(container={"resources": {"limits": {"nvidia.com/gpu": "8"}}}), policy={"torch": {}})
GPU_TAINT = Toleration(key="nvidia.com/gpu", value="present", effect="NoSchedule")
SOFT_TAINT = Toleration(key="nvidia.com/gpu", value="present", effect="PreferNoSchedule")
TAINTS = Placement(gpus_per_node=8, node_selector={"pool": "h100"}, tolerations=(GPU_TAINT,))
SOFT_TAINTS = Placement(gpus_per_node=8, node_selector={"pool": "h100"}, tolerations=(SOFT_TAINT,))


def selecting(**pod: Any) -> BaseTrainingRuntime:
    return runtime(job(pod={"nodeSelector": {"pool": "h100"}, **pod}), policy={"torch": {}})


SELECTING = selecting()
POOL = (
    Case(
        "PLC-07",
        "spec.trainer.numNodes",
        sample(ONE_GPU, pool=LARGE, trainer={"numNodes": 3}),
        sample(ONE_GPU, pool=LARGE, trainer={"numNodes": 2}),
        shows="never",
    ),
    Case(
        "PLC-07",
        "spec.runtimeRef.name",
        sample(runtime(policy={"torch": {}, "numNodes": 3}), pool=LARGE, trainer={}),
        sample(runtime(policy={"torch": {}, "numNodes": 2}), pool=LARGE, trainer={}),
        shows="never",
    ),
    Case(
        "PLC-09",
        REPLICATED_JOB,
        sample(pool=TAINTS, runtimePatches=patches(pod_patch(nodeSelector={"pool": "h100"}))),
        sample(pool=TAINTS, runtimePatches=patches(pod_patch(nodeSelector={"zone": "a"}))),
        shows="never",
    ),
    *(
        Case(
            "PLC-09",
            "spec.runtimeRef.name",
            sample(SELECTING, pool=TAINTS),
            sample(selecting(tolerations=[toleration]), pool=TAINTS),
            shows="never",
        )
        for toleration in (
            {"key": "nvidia.com/gpu", "operator": "Exists"},
            {"operator": "Exists"},
            {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        )
    ),
    *(
        Case(
            "PLC-09",
            "spec.runtimeRef.name",
            sample(selecting(tolerations=[toleration]), pool=TAINTS),
            sample(SELECTING, pool=SOFT_TAINTS),
            shows="never",
        )
        for toleration in (
            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"},
            {"key": "nvidia.com/gpu", "value": "absent"},
            {"key": "team", "operator": "Exists"},
        )
    ),
    Case(
        "PLC-06",
        "spec.trainer.numProcPerNode",
        sample(ONE_GPU, pool=LARGE, trainer={"numProcPerNode": 9}),
        sample(ONE_GPU, pool=LARGE, trainer={"numProcPerNode": 8}),
        severity=Severity.WARNING,
        shows="never",
    ),
)
POOL_AGAIN = (
    Case(
        "PLC-02",
        "spec.trainer.resourcesPerNode.limits[nvidia.com/gpu]",
        sample(pool=LARGE, trainer={"resourcesPerNode": {"limits": {"nvidia.com/gpu": "16"}}}),
        sample(pool=LARGE, trainer={"resourcesPerNode": {"limits": {"nvidia.com/gpu": "8"}}}),
        shows="never",
    ),
    Case(
        "PLC-01",
        REPLICATED_JOB,
        sample(
            pool=Placement(gpus_per_node=8, node_selector={"pool": "h100"}),
            runtimePatches=patches(pod_patch(nodeSelector={"pool": "a100"})),
        ),
        sample(
            pool=Placement(gpus_per_node=8, node_selector={"pool": "h100"}),
            runtimePatches=patches(pod_patch(nodeSelector={"pool": "h100"})),
        ),
        shows="never",
    ),
)
"""Rules for runtimes that are checked again for a pool."""

COMPLETE = [{"name": "prepare", "status": "Complete"}]


def gang(policy: dict[str, Any] | None, scheduler: str | None = None, waits: bool = True) -> BaseTrainingRuntime:
    pod = {"schedulerName": scheduler} if scheduler else {}
    late: dict[str, Any] = {"dependsOn": COMPLETE} if waits else {}
    jobs = job("prepare", None, pod=pod), job(pod=pod, **late)
    return runtime(*jobs, gang=policy)


def annotated(**annotations: str) -> list[dict[str, Any]]:
    return [
        {"manager": "example.com/a", "trainingRuntimeSpec": {"template": {"metadata": {"annotations": annotations}}}}
    ]


def queued(made: BaseTrainingRuntime, **labels: str) -> Sample:
    given = train_job()
    return Sample(given.model_copy(update={"metadata": given.metadata.model_copy(update={"labels": labels})}), made)


MEMBERS, QUEUE = "kai.scheduler/batch-min-member", "scheduling.volcano.sh/queue-name"
KUEUE = "kueue.x-k8s.io/queue-name"
VOLCANO: dict[str, Any] = {"volcano": {}}
GANGS = (
    Case(
        "RUN-01",
        "spec.runtimeRef.name",
        sample(gang(VOLCANO, "volcano")),
        sample(gang(VOLCANO, "volcano", waits=False)),
        shows="never",
        seen=False,
    ),
    Case(
        "RUN-01",
        "spec.runtimeRef.name",
        sample(gang({"coscheduling": {}})),
        sample(gang({"coscheduling": {}}, waits=False)),
        severity=Severity.WARNING,
        shows="never",
        seen=False,
    ),
    Case(
        "RUN-01",
        "spec.runtimeRef.name",
        sample(gang(None, "kai-scheduler")),
        sample(gang(None, "kai-scheduler"), runtimePatches=annotated(**{MEMBERS: "1"})),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "RUN-25",
        f"metadata.labels[{KUEUE}]",
        queued(gang(None), **{KUEUE: "gpus"}),
        queued(gang(None), team="gpus"),
        severity=Severity.WARNING,
        shows="never",
    ),
    Case(
        "TJC-36",
        f"{IN_PATCH}.metadata.annotations[{QUEUE}]",
        sample(gang(VOLCANO, "volcano", waits=False), runtimePatches=annotated(**{QUEUE: ""})),
        sample(gang(VOLCANO, "volcano", waits=False), runtimePatches=annotated(**{QUEUE: "training"})),
    ),
)

CASES = (*JOBSET, *KUBERNETES, *POOL, *GANGS)
CHECKED_AGAIN = (*AGAIN, *POOL_AGAIN)

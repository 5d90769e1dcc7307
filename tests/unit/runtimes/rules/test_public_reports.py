"""Runtimes that people published, or with which they reported bugs of Trainer, in our own words, and what each is told.

Each name says where a runtime is from. An earlier version of the rules failed on all of them: it said nothing, or its
fix was one that another rule refuses.
"""

from typing import Any

import pytest

from components.runtimes import InvalidRuntimeError, deepspeed, mlx, torch, torch_with_cache, torchtune
from components.validation.violation import Severity

from .samples import (
    ANCESTOR,
    FRAMEWORK,
    HELPED,
    JOBSET,
    MPI,
    TORCH,
    Manifest,
    a_container,
    a_job,
    a_runtime,
    changed,
    container,
    job,
    pod,
    spec,
    violations,
)

ONE_GPU: dict[str, Any] = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
SSHD: dict[str, Any] = {"command": ["/usr/sbin/sshd", "-De"], "readinessProbe": {"tcpSocket": {"port": 22}}}
SIDECAR = "Move {!r} to initContainers, with restartPolicy: Always. As a sidecar it is stopped when the training ends."


def torch_runtime(*beside: Manifest, nodes: int = 2, **fields: Any) -> Manifest:
    """Torch on nodes with one GPU, as many people write it."""
    runtime = a_runtime(
        "theirs", "torch", {"torch": {}}, a_job("node", a_container(**ONE_GPU, **fields), *beside, step="trainer")
    )
    return changed(runtime, {"spec.mlPolicy.numNodes": nodes})


def mpi_runtime(*more: Manifest, launcher: Manifest | None = None, scheduler: str | None = None) -> Manifest:
    """NCCL's tests under MPI as root, started by the launcher when a TrainJob comes."""
    jobs = (
        a_job("node", a_container(**SSHD, **ONE_GPU)),
        *more,
        launcher or a_launcher("node", *(each["name"] for each in more)),
    )
    runtime = a_runtime("nccl", "mpi", {"mpi": {"sshAuthMountPath": "/tmp/keys"}}, *jobs)  # noqa: S108
    success = {"operator": "All", "targetReplicatedJobs": ["launcher"]}
    runtime = changed(
        runtime, {f"{JOBSET}.successPolicy": success, f"{JOBSET}.network": {"publishNotReadyAddresses": True}}
    )
    for index in range(len(jobs) if scheduler else 0):
        runtime = changed(runtime, {f"{pod(index)}.schedulerName": scheduler})
    return runtime


def a_launcher(*after: str, waits: Manifest | None = None) -> Manifest:
    launcher = a_job("launcher", a_container(), step="trainer")
    if after:
        launcher["dependsOn"] = [{"name": name, "status": "Ready"} for name in after]
    if waits:
        launcher["template"]["spec"]["template"]["spec"]["initContainers"] = [waits]
    return launcher


WAITS = a_container(
    "wait",
    command=[
        "sh",
        "-c",
        "for h in $(cut -d' ' -f1 /etc/mpi/hostfile); do until ssh $h :; do sleep 2; done; done",
    ],
    volumeMounts=[{"name": "mpi-hostfile", "mountPath": "/etc/mpi", "readOnly": True}],
)


def told(manifest: Manifest) -> list[tuple[str, str, str]]:
    """Rule, severity and fix of everything that is said."""
    return [(found.rule, found.severity.value, found.fix) for found in violations(manifest)]


REPORTS: dict[str, tuple[Manifest, list[tuple[str, str, str]]]] = {
    "kubeflow/trainer issue 3779: a JobSet with a TTL": (
        changed(
            torch_runtime(), {f"{JOBSET}.ttlSecondsAfterFinished": 60, f"{JOBSET}.failurePolicy": {"maxRestarts": 1}}
        ),
        [("RUN-21", "warning", "Remove it, and delete finished TrainJobs: their JobSets are deleted with them.")],
    ),
    "NVIDIA/cluster-readiness-engine: dependsOn under KAI's scheduler": (
        mpi_runtime(scheduler="kai-scheduler"),
        [
            (
                "RUN-01",
                "warning",
                "Remove it, and have an init container of 'launcher' wait until every host of /etc/mpi/hostfile "
                "answers.",
            )
        ],
    ),
    "the same, as its author got it to start": (
        mpi_runtime(launcher=a_launcher(waits=WAITS), scheduler="kai-scheduler"),
        [],
    ),
    "a node exporter and a log shipper beside the training": (
        torch_runtime(
            a_container(
                "exporter", image="prom/node-exporter:v1.8.0", ports=[{"name": "metrics", "containerPort": 9100}]
            ),
            a_container("logs", image="fluent/fluent-bit:3.1"),
        ),
        [("SIL-37", "warning", SIDECAR.format(name)) for name in ("exporter", "logs")],
    ),
    "a reward model beside the training": (
        torch_runtime(
            a_container(
                "reward",
                command=["python", "-m", "reward.server", "--port", "8080"],
                livenessProbe={"httpGet": {"path": "/health", "port": 8080}},
            )
        ),
        [("SIL-37", "warning", SIDECAR.format("reward"))],
    ),
    "kubeflow/katib issue 2181: a loop that copies checkpoints": (
        torch_runtime(
            a_container("sync", command=["sh", "-c", "while true; do aws s3 sync /ckpt s3://b; sleep 30; done"])
        ),
        [("SIL-37", "warning", SIDECAR.format("sync"))],
    ),
    "a container that sleeps beside the only job's": (
        torch_runtime(a_container("side", command=["sleep", "infinity"])),
        [("SIL-05", "error", SIDECAR.format("side"))],
    ),
    "torchrun with variables that Trainer does not set": (
        torch_runtime(
            nodes=1,
            env=[{"name": "LEADER", "value": "$(JOB_NAME)-node-0-0"}, {"name": "WORLD", "value": "$(PET_NNODES)"}],
            command=["torchrun"],
            args=["--nnodes=$(TRAINER_NNODES)", "--rdzv-endpoint=$(PET_RDZV_ENDPOINT)", "train.py"],
        ),
        [
            (
                "SIL-38",
                "warning",
                "Set it before this variable, to the TrainJob's name: valueFrom: {fieldRef: {fieldPath: "
                "\"metadata.labels['jobset.sigs.k8s.io/jobset-name']\"}}.",
            ),
            ("SIL-38", "warning", "Refer to $(PET_NNODES) in command or args."),
            ("SIL-38", "warning", "Write $(PET_NNODES)."),
            ("SIL-38", "warning", "Write $(PET_MASTER_ADDR):$(PET_MASTER_PORT)."),
        ],
    ),
    "an experiment's chart that wants one pod a node": (
        changed(
            torch_runtime(),
            {
                f"{pod(0)}.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution": [
                    {"labelSelector": {"matchLabels": {ANCESTOR: "trainer"}}, "topologyKey": "kubernetes.io/hostname"}
                ]
            },
        ),
        [("SIL-39", "warning", "Select jobset.sigs.k8s.io/replicatedjob-name: node.")],
    ),
    "kubeflow/trainer issue 4076: two nodes with a command": (
        torch_runtime(command=["torchrun", "train.py"]),
        [("SIL-40", "warning", "Write `trainer: {}` in every TrainJob, or leave the command to the TrainJobs.")],
    ),
    "kubeflow/trainer issue 4064: workers of two makes": (
        mpi_runtime(a_job("node-rocm", a_container(**SSHD, resources={"limits": {"amd.com/gpu": "8"}}))),
        [
            (
                "SIL-41",
                "warning",
                "Remove the job, and give 'node' more pods; or make a runtime of its own for it.",
            )
        ],
    ),
    "kubeflow/trainer issue 2269: a runPolicy as in Training Operator v1": (
        changed(torch_runtime(), {"spec.runPolicy": {"backoffLimit": 3, "activeDeadlineSeconds": 3600}}),
        [
            (
                "CTR-36",
                "error",
                "Remove it: for backoffLimit there is spec.template.spec.failurePolicy.maxRestarts; for "
                "activeDeadlineSeconds there is the activeDeadlineSeconds of TrainJobs.",
            )
        ],
    ),
    "a topologyKey where Volcano has none": (
        changed(
            torch_runtime(),
            {
                "spec.podGroupPolicy.volcano.networkTopology": {
                    "topologyKey": "topology.kubernetes.io/zone",
                    "mode": "hard",
                },
                f"{pod(0)}.schedulerName": "volcano",
            },
        ),
        [("CTR-36", "error", "Remove it. Known fields: highestTierAllowed, mode.")],
    ),
    "completions that say what Trainer says": (
        changed(torch_runtime(nodes=1), {f"{spec(0)}.parallelism": 1, f"{spec(0)}.completions": 1}),
        [],
    ),
    "kubeflow/trainer issue 4025: MPI of Intel's": (
        changed(mpi_runtime(), {"spec.mlPolicy.mpi.mpiImplementation": "Intel"}),
        [("CTR-04", "error", "Use 'OpenMPI'.")],
    ),
    "a label and the container that it needs, told together": (
        changed(TORCH, {f"{job(0)}.template.metadata": None, f"{container(0)}.name": "trainer"}),
        [
            ("SIL-15", "error", "Set the label on the job 'node', and name its container 'node'."),
        ],
    ),
    "kubeflow/trainer issue 2363: a job and a container of other names": (
        changed(
            TORCH, {f"{job(0)}.template.metadata": None, f"{job(0)}.name": "worker", f"{container(0)}.name": "trainer"}
        ),
        [
            (
                "SIL-15",
                "error",
                "Set the label on the job 'worker', name the job 'node', and name its container 'node'.",
            ),
        ],
    ),
}


@pytest.mark.parametrize("report", REPORTS)
def test_reported_mistake_gets_its_fix(report: str) -> None:
    manifest, expected = REPORTS[report]
    assert told(manifest) == expected


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("deepspeed", "Write spec.mlPolicy.mpi: DeepSpeed starts under MPI."),
        ("mlx", "Write spec.mlPolicy.mpi: MLX starts under MPI."),
        ("horovod", "Write spec.mlPolicy.mpi: Horovod starts under MPI."),
        (
            "tensorflow",
            "Remove it: Trainer 2.3 has no policy for TensorFlow, and starts such a training as a plain one.",
        ),
        (
            "paddle",
            "Remove it: Trainer 2.3 has no policy for PaddlePaddle, and starts such a training as a plain one.",
        ),
        ("pytorch", "Did you mean torch?"),
    ],
)
def test_fix_for_a_framework_name_is_its_policy(name: str, fix: str) -> None:
    """A UI that writes `mlPolicy: {deepspeed: {}}`: without the key it would be a plain runtime, with no ssh key."""
    manifest = changed(torch_runtime(), {"spec.mlPolicy.torch": None, f"spec.mlPolicy.{name}": {}})
    del manifest["metadata"]["labels"]
    found = told(manifest)
    assert ("CTR-36", "error", fix) in found
    assert ("SIL-04" in [rule for rule, *_ in found]) == ("mlPolicy.mpi" in fix)


@pytest.mark.parametrize(
    ("field", "value", "fix"),
    [
        (
            "spec.runPolicy",
            {"ttlSecondsAfterFinished": 60},
            "Remove it: for ttlSecondsAfterFinished there is nothing (",
        ),
        ("spec.runPolicy", {"cleanPodPolicy": "None"}, "Remove it: for cleanPodPolicy there is nothing ("),
        ("spec.runPolicy", {"suspend": True}, "Remove it: for suspend there is the suspend of TrainJobs."),
        ("spec.runPolicy", {"schedulingPolicy": {}}, "Remove it: for schedulingPolicy there is spec.podGroupPolicy."),
        ("spec.pytorchReplicaSpecs", {}, "Remove it, and write one job a role in spec.template.spec.replicatedJobs."),
        ("spec.slotsPerWorker", 8, "Write spec.mlPolicy.mpi.numProcPerNode."),
        ("spec.trainer", {"numNodes": 2}, "Remove it: it belongs to the TrainJobs, which say it for themselves."),
        ("spec.suspend", True, "Remove it: it belongs to the TrainJobs, which say it for themselves."),
        ("spec.numNodes", 2, "Move it to spec.mlPolicy.numNodes."),
        ("spec.mlPolicy.torch.maxRestarts", 2, "Move it to spec.template.spec.failurePolicy.maxRestarts."),
        (
            f"{container(0)}.nodeSelector",
            {},
            "Move it to spec.template.spec.replicatedJobs[].template.spec.template.spec.",
        ),
        (
            f"{container(0)}.securityContext.fsGroup",
            1,
            "Move it to spec.template.spec.replicatedJobs[].template.spec.",
        ),
        ("spec.mlPolicy.torch.topologyKey", "zone", "Remove it. Known fields: envInjection."),
    ],
)
def test_fix_for_a_field_of_another_api_is_the_equivalent_field(field: str, value: Any, fix: str) -> None:
    (found,) = (found for found in violations(changed(TORCH, {field: value})) if found.rule == "CTR-36")
    assert found.fix[: len(fix)] == fix


@pytest.mark.parametrize("name", ["MPICH", "Intel", "intel"])
def test_message_about_other_mpi_implementations_names_open_mpi(name: str) -> None:
    (found,) = violations(changed(MPI, {"spec.mlPolicy.mpi.mpiImplementation": name}))
    assert found.message == (
        f'"{name}" is not supported here: Trainer 2.3.0 writes Open MPI\'s hostfile and variables, and no others.'
    )


@pytest.mark.parametrize(
    ("framework", "policy"),
    [
        ("mlx", "{numNodes: 1, mpi: {}}"),
        ("deepspeed", "{numNodes: 1, mpi: {}}"),
        ("torch", "{numNodes: 1, torch: {}}"),
        ("jax", "{numNodes: 1, jax: {}}"),
        ("flux", "{numNodes: 1, flux: {}}"),
        ("ours", "{numNodes: 1}"),
    ],
)
def test_fix_for_a_labelled_runtime_without_policy_is_the_policy_of_its_label(framework: str, policy: str) -> None:
    manifest = changed(HELPED, {"spec.mlPolicy": None, "metadata.labels": {FRAMEWORK: framework}})
    assert ("SDK-02", "warning", f"Set mlPolicy, e.g. {policy}.") in told(manifest)


def test_ttl_of_a_catalogue_runtime_is_a_warning() -> None:
    assert [found.rule for found in torch(ttl_seconds_after_finished=60).check()] == ["RUN-21"]
    assert torch().check() == ()


@pytest.mark.parametrize("build", [deepspeed, mlx])
def test_catalogue_runtimes_work_with_the_kai_scheduler(build: Any) -> None:
    runtime = build(scheduler="kai-scheduler")
    assert runtime.check() == ()
    assert "dependsOn" not in str(runtime.to_manifest())
    assert "dependsOn" in str(build().to_manifest())


@pytest.mark.parametrize("build", [torchtune, torch_with_cache])
def test_initializers_with_the_kai_scheduler_are_reported(build: Any) -> None:
    with pytest.raises(InvalidRuntimeError) as refused:
        build(scheduler="kai-scheduler")
    assert [(found.rule, found.severity) for found in refused.value.violations] == [("CAT-22", Severity.ERROR)]


@pytest.mark.parametrize(("size", "rules"), [("128Gi", ["RUN-22"]), ("64Gi", []), ("65G", [])])
def test_more_shared_memory_than_memory_is_reported(size: str, rules: list[str]) -> None:
    runtime = torch(gpus_per_node=8, memory_per_node="64Gi", shared_memory=size)
    assert [found.rule for found in runtime.check()] == rules

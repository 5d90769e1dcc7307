"""Runtimes of public reports, with the findings that they must have."""

from typing import Any

from .samples import (
    ANCESTOR,
    JOBSET,
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

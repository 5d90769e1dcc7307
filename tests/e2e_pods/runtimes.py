"""The stack's runtimes: those of the catalogue as a user sets them, and some with a fault in them on purpose."""

from typing import Any, Literal

from components.k8s.pods import PodSchedulingGate
from components.k8s.volumes import EmptyDirVolumeSource, Volume
from components.runtimes import ClusterTrainingRuntime, deepspeed, with_container, with_pod
from components.runtimes.jobset import FailurePolicy
from tools.real_pods import images, node

from .programs import SAY_RANK

POOL = {"gpu": {"provider": "existing", "nodes": [node.GPU.name], "gpusPerNode": node.GPU.gpus}}
"""The real node as a GPU pool."""

OPENMPI_4, FRAMEWORKS = images.OPENMPI_4.name, images.FRAMEWORKS.name
CHECKPOINTS = "/checkpoints"
"""Where the volume is mounted that the pods share; its claim has the same name."""

GATE = "training-platform/test"
"""Holds the workers back until a test has changed one of them."""


# Ranks wait for each other by spinning. On a machine with fewer cores than ranks each gets its share of them, or the
# launcher's, whose pod has requests already, would leave nothing to the sshd of the others.
SHARE: dict[str, Any] = {"cpusPerNode": "400m"}


ON_FRAMEWORKS: dict[str, Any] = {"image": FRAMEWORKS, "openmpiMajor": 5, **SHARE}


def catalogued(framework: str, **settings: Any) -> dict[str, Any]:
    """A runtime of the catalogue, its image replaced as a user replaces it."""
    return {"framework": framework, "image": OPENMPI_4, "nodePool": "gpu", "gpusPerNode": 1, **settings}


def changed(runtime: ClusterTrainingRuntime) -> dict[str, Any]:
    """A runtime that no setting says, as a manifest."""
    return {"manifest": runtime.to_manifest(), "nodePool": "gpu"}


def mpi(name: str, **arguments: Any) -> ClusterTrainingRuntime:
    """DeepSpeed's runtime, to be changed."""
    return deepspeed(name=name, image=OPENMPI_4, gpus_per_node=1, **arguments)


def with_sshd_after(name: str, script: str, **arguments: Any) -> dict[str, Any]:
    """A runtime whose second worker does something else before it runs sshd."""
    before = f'if [ "$JOB_COMPLETION_INDEX" = 1 ]; then {script}; fi; exec /usr/sbin/sshd "$@"'
    return changed(with_container(mpi(name, **arguments), "node", command=("sh", "-c", before, "sshd")))


def giving_up() -> dict[str, Any]:
    """A runtime whose launcher waits three seconds for the hosts' names, and that is tried twice."""
    runtime = mpi("gives-up", wait_for_hosts_seconds=3, failure_policy=FailurePolicy(max_restarts=1))
    # A failed pod stays, with what it printed, and is the end of its Job.
    manifest = with_pod(runtime, "launcher", restart_policy="Never").to_manifest()
    manifest["spec"]["template"]["spec"]["replicatedJobs"][1]["template"]["spec"]["backoffLimit"] = 0
    return {"manifest": manifest, "nodePool": "gpu"}


def with_openmpi_5(name: str, major: Literal[4, 5]) -> dict[str, Any]:
    """A runtime for an image with Open MPI 5, and mpirun as people write it: the hosts come from the environment."""
    command = ("mpirun", "python", "-c", SAY_RANK)
    runtime = deepspeed(name=name, image=FRAMEWORKS, gpus_per_node=1, openmpi_major=major)
    return changed(with_container(runtime, "launcher", command=command))


ROOT: dict[str, Any] = {"ssh": {"uid": 0, "gid": 0, "home": "/root"}}
ALLOW_ROOT: dict[str, Any] = {"env": {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}}
ONCE = Volume(name="once", empty_dir=EmptyDirVolumeSource())
SHARED = {"name": "shared", "persistentVolumeClaim": {"claimName": CHECKPOINTS.strip("/")}}

RUNTIMES: dict[str, dict[str, Any]] = {
    "deepspeed-distributed": catalogued("deepspeed"),
    "mlx-distributed": catalogued("mlx"),
    "deepspeed-like-upstream": catalogued("deepspeed", likeUpstream=True),
    "mlx-like-upstream": catalogued("mlx", likeUpstream=True),
    "fair-share": catalogued("deepspeed", **SHARE),
    "shares-a-volume": catalogued("deepspeed", volumes={CHECKPOINTS: SHARED}, **SHARE),
    "slow-sshd": with_sshd_after("slow-sshd", "sleep 20"),
    "crashes-once": with_sshd_after(
        "crashes-once", "[ -e /once/crashed ] || { touch /once/crashed; exit 1; }", volumes={"/once": ONCE}
    ),
    "held-back": changed(with_pod(mpi("held-back"), "node", scheduling_gates=[PodSchedulingGate(name=GATE)])),
    "gives-up": giving_up(),
    "openmpi-5": with_openmpi_5("openmpi-5", 5),
    "openmpi-5-as-4": with_openmpi_5("openmpi-5-as-4", 4),
    "root": catalogued("deepspeed", **ROOT, **ALLOW_ROOT),
    "mlx-trains": catalogued("mlx", **ON_FRAMEWORKS),
    "deepspeed-trains": catalogued("deepspeed", **ON_FRAMEWORKS),
    # Debian's PyTorch is built without libuv.
    "torch-distributed": catalogued("torch", image=FRAMEWORKS, env={"USE_LIBUV": "0"}),
}
"""What is in `stacks/Pulumi.local.yaml` of the tests."""

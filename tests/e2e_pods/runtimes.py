"""The stack's runtimes: those of the catalogue as a user sets them, and some with a fault in them on purpose."""

from typing import Any, Literal

from components.k8s.pods import PodSchedulingGate
from components.k8s.scheduling import Toleration
from components.k8s.volumes import EmptyDirVolumeSource, Volume
from components.runtimes import ClusterTrainingRuntime, deepspeed, torch, with_container, with_pod
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
NO_LIBUV = {"USE_LIBUV": "0"}
"""Debian's PyTorch is built without it."""

CPU = "400m"
SHARE: dict[str, Any] = {"cpusPerNode": CPU}


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


def without_gpus(runtime: ClusterTrainingRuntime) -> dict[str, Any]:
    """A runtime for the GPU node that claims none of its GPUs, because they are only numbers. It has no pool, which
    would give it some."""
    there, anyway = {"kubernetes.io/hostname": node.GPU.name}, (Toleration(operator="Exists"),)
    return {"manifest": with_pod(runtime, node_selector=there, tolerations=anyway).to_manifest()}


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
    "validated-mpi4py": without_gpus(deepspeed(name="validated-mpi4py", image=OPENMPI_4, cpus_per_node=CPU)),
    "validated-deepspeed": without_gpus(
        deepspeed(name="validated-deepspeed", image=FRAMEWORKS, openmpi_major=5, cpus_per_node=CPU, env=NO_LIBUV)
    ),
    "validated-torch": without_gpus(torch(name="validated-torch", image=FRAMEWORKS, env=NO_LIBUV, cpus_per_node=CPU)),
    "ranks-on-launcher": without_gpus(
        deepspeed(name="ranks-on-launcher", image=FRAMEWORKS, cpus_per_node=CPU, env=NO_LIBUV)
    ),
    "missing-image": without_gpus(torch(name="missing-image", image="localhost/no-such-image:1", cpus_per_node=CPU)),
    "too-large": without_gpus(torch(name="too-large", image=FRAMEWORKS, cpus_per_node="4000")),
    "root": catalogued("deepspeed", **ROOT, **ALLOW_ROOT),
    "mlx-trains": catalogued("mlx", **ON_FRAMEWORKS),
    "deepspeed-trains": catalogued("deepspeed", **ON_FRAMEWORKS),
    "torch-distributed": catalogued("torch", image=FRAMEWORKS, env=NO_LIBUV),
}
"""What is in `stacks/Pulumi.local.yaml` of the tests."""

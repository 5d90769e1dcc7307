"""Arguments that contradict each other, or that nothing can be made of: all at once, each with its fix."""

from collections.abc import Callable
from typing import Any

import pytest

from components.k8s.invalid import InvalidRuntimeError
from components.k8s.volumes import EmptyDirVolumeSource, Volume
from components.runtimes.catalog import VolumeClaim, deepspeed, flux, jax, mlx, torch, torch_with_cache, torchtune
from components.runtimes.ml_policy import CoschedulingPolicy, PodGroupPolicy, VolcanoPolicy
from components.runtimes.placement import Placement
from components.runtimes.runtime import ClusterTrainingRuntime
from components.validation.violation import Violation

Build = Callable[..., ClusterTrainingRuntime]

POOL = Placement(gpus_per_node=8)
SIZED = Placement(gpus_per_node=8, cpu_per_node="95500m", memory_per_node="1Ti", max_nodes=2, architecture="arm64")
MIG = "nvidia.com/mig-1g.5gb"
SHM = "/dev/shm"  # noqa: S108 - the path of a mount
GANG = PodGroupPolicy(coscheduling=CoschedulingPolicy())
SCRATCH = Volume(name="scratch", empty_dir=EmptyDirVolumeSource())


def found(build: Build, **arguments: Any) -> list[Violation]:
    with pytest.raises(InvalidRuntimeError) as raised:
        build(**arguments)
    return list(raised.value.violations)


def claim(access_mode: str) -> VolumeClaim:
    return VolumeClaim.model_validate({"name": "data", "storage": "1Ti", "accessMode": access_mode})


@pytest.mark.parametrize(
    ("rule", "path", "message", "build", "wrong", "right"),
    [
        (
            "CAT-02",
            "gpu_resource",
            "amd.com/gpu is set, but not the number of GPUs per node.",
            torch,
            {"gpu_resource": "amd.com/gpu"},
            {"gpu_resource": "amd.com/gpu", "gpus_per_node": 8, "cpus_per_node": 96},
        ),
        (
            "CAT-03",
            "gpu_resource",
            "The runtime requests amd.com/gpu, but the pool's nodes have nvidia.com/gpu.",
            torch,
            {"gpu_resource": "amd.com/gpu", "placement": POOL, "cpus_per_node": 96},
            {"gpu_resource": "nvidia.com/gpu", "placement": POOL, "cpus_per_node": 96},
        ),
        (
            "CAT-04",
            "gpus_per_node",
            "The runtime requests 9 GPUs per node, but a node of the pool has 8.",
            deepspeed,
            {"gpus_per_node": 9, "placement": POOL},
            {"gpus_per_node": 8, "placement": POOL},
        ),
        (
            "CAT-15",
            "cpus_per_node",
            "96 exceeds the 95500m that a node of the pool has for pods.",
            torch,
            {"cpus_per_node": 96, "placement": SIZED},
            {"cpus_per_node": "95.5", "placement": SIZED},
        ),
        (
            "CAT-16",
            "memory_per_node",
            "1025Gi exceeds the 1Ti that a node of the pool has for pods.",
            torch,
            {"memory_per_node": "1025Gi", "placement": SIZED},
            {"memory_per_node": "1024Gi", "placement": SIZED},
        ),
        (
            "CAT-17",
            "nodes",
            "3 pods need 3 nodes, but the pool can have at most 2.",
            torch,
            {"nodes": 3, "placement": SIZED},
            {"nodes": 3, "gpus_per_node": 4, "placement": SIZED},
        ),
        (
            "CAT-18",
            "image",
            "r.example.com/train:2-amd64 is for amd64, but the pool's nodes are arm64.",
            torch,
            {"image": "r.example.com/train:2-amd64", "placement": SIZED},
            {"image": "r.example.com/train:2-arm64", "placement": SIZED},
        ),
        (
            "CAT-19",
            "shared_memory",
            "Trainer 2.3.0 mounts its own volume at /dev/shm on Flux's nodes, without a size limit.",
            flux,
            {"shared_memory": "1Gi"},
            {},
        ),
        (
            "CAT-20",
            "processes_per_node",
            "Trainer 2.3.0 requests 8 GPUs for each process, and a node has 8, so 2 processes never start.",
            flux,
            {"gpus_per_node": 8, "processes_per_node": 2},
            {"gpus_per_node": 8, "processes_per_node": 1},
        ),
        *(
            ("CAT-05", f"volumes[{path}]", f"{taken} there.", build, {**more, "volumes": {path: SCRATCH}}, free)
            for path, taken, build, more, free in [
                (SHM, "shared_memory is mounted", torch, {"shared_memory": "1Gi"}, {"volumes": {SHM: SCRATCH}}),
                (
                    "/workspace/",
                    "the initializers' volume is mounted",
                    torchtune,
                    {},
                    {"volumes": {"/workspaces": SCRATCH}},
                ),
                ("/curve", "Trainer mounts Flux's certificate", flux, {}, {"volumes": {"/curves": SCRATCH}}),
                (SHM, "Trainer mounts shared memory", flux, {}, {"volumes": {"/shm": SCRATCH}}),
                ("/etc/mpi", "Trainer mounts the hostfile", mlx, {}, {"volumes": {"/etc/mpi2": SCRATCH}}),
                ("/home/mpiuser/.ssh", "Trainer mounts the SSH keys", mlx, {}, {"volumes": {"/root/.ssh": SCRATCH}}),
            ]
        ),
        (
            "CAT-06",
            "volumes[/data]",
            "ReadWriteOnce allows one node, but 2 nodes mount data.",
            torch,
            {"nodes": 2, "volumes": {"/data": claim("ReadWriteOnce")}},
            {"nodes": 1, "volumes": {"/data": claim("ReadWriteOnce")}},
        ),
        (
            "CAT-06",
            "volumes[/data]",
            "ReadWriteOncePod allows one node, but 2 nodes mount data.",
            mlx,
            {"volumes": {"/data": claim("ReadWriteOncePod")}},
            {"volumes": {"/data": claim("ReadWriteMany")}},
        ),
        (
            "CAT-07",
            "volumes[/b]",
            "Another volume is named scratch as well.",
            torch,
            {"volumes": {"/a": SCRATCH, "/b": Volume(name="scratch")}},
            {"volumes": {"/a": SCRATCH, "/b": Volume(name="scratch", empty_dir=EmptyDirVolumeSource())}},
        ),
        (
            "CAT-08",
            "pod_group",
            "The pod group needs the pods of all jobs at the same time, but some jobs are created only when "
            "others are ready or complete, so no pod is ever scheduled (Trainer 2.3.0 counts all jobs in "
            "minMember).",
            deepspeed,
            {"pod_group": GANG},
            {"pod_group": None},
        ),
        (
            "CAT-09",
            "nodes",
            "torchtune trains llama3.2-1b on one node: Trainer rejects every TrainJob with more (TJC-29).",
            torchtune,
            {"nodes": 2},
            {"nodes": 1},
        ),
        (
            "CAT-10",
            "processes_per_node",
            "Trainer does not count nvidia.com/mig-1g.5gb as GPUs, so mpirun would start one process per node "
            "(SIL-22).",
            mlx,
            {"gpus_per_node": 7, "gpu_resource": MIG},
            {"gpus_per_node": 7, "gpu_resource": MIG, "processes_per_node": 7},
        ),
        (
            "CAT-11",
            "processes_per_node",
            "4 processes cannot use 8 GPUs evenly: with more processes, some share a GPU; with fewer, some GPUs "
            "are idle; and Trainer replaces 1 with the number of GPUs (SIL-23).",
            deepspeed,
            {"gpus_per_node": 8, "processes_per_node": 4},
            {"gpus_per_node": 8, "processes_per_node": 8},
        ),
        (
            "CAT-12",
            "nodes",
            "The launcher is a node, and Trainer creates at least one more (SIL-02), so there are two or more.",
            deepspeed,
            {"nodes": 1},
            {"nodes": 2},
        ),
        *(
            (
                "CAT-14",
                "cpus_per_node",
                "The limits have no device that the SDK supports: its list_runtimes fails for all users (SDK-05).",
                torch,
                wrong,
                right,
            )
            for wrong, right in [
                ({"memory_per_node": "64Gi"}, {"memory_per_node": "64Gi", "cpus_per_node": 8}),
                ({"memory_per_node": "64Gi"}, {"memory_per_node": "64Gi", "gpus_per_node": 1}),
                ({"gpus_per_node": 8, "gpu_resource": "amd.com/gpu"}, {"gpus_per_node": 8, "gpu_resource": MIG}),
            ]
        ),
        *(
            (
                "CAT-13",
                "env[A]",
                "sshd cannot pass a quote, backslash or line break to the processes on other nodes.",
                deepspeed,
                {"env": {"A": f"one{mark}two"}},
                {"env": {"A": "one two=$three '#4"}},
            )
            for mark in ('"', "\\", "\n")
        ),
        *(
            (
                "CAT-21",
                f"env[{name}]",
                f'sshd hands no variable called "{name}" to the processes on other nodes.',
                build,
                {"env": {name: "1"}},
                {"env": {"NCCL_DEBUG": "1", "_x2": "2"}},
            )
            for build in (deepspeed, mlx)
            for name in ("nccl debug", "2nd", "a-b", "a.b")
        ),
        *(
            (
                "CAT-22",
                "scheduler",
                "kai-scheduler needs the pods of all jobs at once, but the nodes are created when the initializers are "
                "complete: no pod is ever scheduled (RUN-01).",
                build,
                {"scheduler": "kai-scheduler"},
                {"scheduler": "other-scheduler"},
            )
            for build in (torchtune, torch_with_cache)
        ),
        *(
            (
                "CAT-22",
                "wait_for_hosts",
                "with kai-scheduler the launcher is created together with the nodes, and has to wait for them by "
                "itself.",
                deepspeed,
                {"scheduler": "kai-scheduler", **wrong},
                {"scheduler": "kai-scheduler", "wait_for_hosts": True, "like_upstream": True},
            )
            for wrong in ({"wait_for_hosts": False}, {"like_upstream": True})
        ),
    ],
)
def test_contradiction_is_found_and_the_valid_case_is_not(  # noqa: PLR0917 - pytest passes them by name
    rule: str, path: str, message: str, build: Build, wrong: dict[str, Any], right: dict[str, Any]
) -> None:
    assert [(each.rule, each.path, each.message) for each in found(build, **wrong)] == [(rule, path, message)]
    assert all(each.fix for each in found(build, **wrong))
    assert build(**right).metadata.name


@pytest.mark.parametrize("build", [mlx, torchtune, torch_with_cache])
def test_pod_group_is_rejected_if_jobs_depend_on_each_other(build: Build) -> None:
    volcano = PodGroupPolicy(volcano=VolcanoPolicy())

    assert [each.rule for each in found(build, pod_group=volcano)] == ["CAT-08"]
    assert jax(pod_group=volcano).spec.pod_group_policy == volcano


def test_any_environment_variable_is_allowed_without_sshd() -> None:
    assert torch(env={"A": 'one"two'}).metadata.name == "torch-distributed"


def test_all_contradictions_and_violations_of_rules_are_reported_at_once() -> None:
    violations = found(
        deepspeed,
        name="Not A Name",
        nodes=1,
        gpus_per_node=16,
        processes_per_node=4,
        placement=POOL,
        env={"A": '"'},
        pod_group=GANG,
    )

    rules = [each.rule for each in violations]
    assert rules[:5] == ["CAT-04", "CAT-08", "CAT-11", "CAT-12", "CAT-13"]
    assert len(rules) == len(set(rules))


@pytest.mark.parametrize(
    ("wrong", "rule", "path", "message", "fix"),
    [
        ({"nodez": 2}, "CAT-01", "nodez", "Unknown argument `nodez`.", "Did you mean `nodes`?"),
        (
            {"registry": "mirror.example.com/hub/"},
            "REG-01",
            "registry",
            '"mirror.example.com/hub/" is not a valid registry: it must have no scheme and no slash at either end.',
            'Write "mirror.example.com/hub".',
        ),
        ({"colour": "red"}, "CAT-01", "colour", "Unknown argument `colour`.", "Remove it."),
        ({"nodes": "2"}, "CAT-01", "nodes", '"2" is not an integer.', "Write an integer, without quotes."),
        (
            {"gpus_per_node": 0},
            "CAT-01",
            "gpus_per_node",
            "0 is not allowed.",
            "Write 1 or more.",
        ),
        ({"openmpi_major": 3}, "CAT-01", "openmpi_major", "3 is not a known value.", "Write 4 or 5."),
        ({"env": {"A": 1}}, "CAT-01", "env[A]", "1 is not a string.", 'Put it in quotes: "1".'),
        (
            {"env": {"text": {"secretKeyRef": {"name": "hub"}}}},
            "CAT-01",
            "env[text].secretKeyRef.key",
            "`key` is required.",
            "Add `key`.",
        ),
        (
            {"volumes": {"/data": {"name": "data", "storage": "1 Ti"}}},
            "CTR-32",
            "volumes[/data].storage",
            '"1 Ti" is not a valid quantity.',
            'Did you mean "1Ti"?',
        ),
        (
            {"volumes": {"/data": {"name": "data", "nfs": {"server": "nfs", "pth": "/"}}}},
            "CAT-01",
            "volumes[/data].nfs.path",
            "`path` is required.",
            "Add `path`.",
        ),
        (
            {"pull_secrets": ["a", 2]},
            "CAT-01",
            "pull_secrets[1]",
            "2 is not a string.",
            'Put it in quotes: "2".',
        ),
    ],
)
def test_invalid_value_is_reported_at_its_argument(
    wrong: dict[str, Any], rule: str, path: str, message: str, fix: str
) -> None:
    assert found(deepspeed, **wrong)[0] == Violation(rule, path, message, fix)


def test_arguments_can_have_their_camel_case_names() -> None:
    arguments: dict[str, Any] = {
        "gpusPerNode": 8,
        "sharedMemory": "1Gi",
        "volumes": {"/data": {"name": "data", "storage": "1Ti"}},
        "env": {"TOKEN": {"secretKeyRef": {"name": "hub", "key": "token"}}},
        "podGroup": {"coscheduling": {}},
    }

    assert torch(**arguments) == torch(
        gpus_per_node=8,
        shared_memory="1Gi",
        volumes={"/data": claim("ReadWriteMany")},
        env=arguments["env"],
        pod_group=GANG,
    )

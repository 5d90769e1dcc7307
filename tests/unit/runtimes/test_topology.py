"""Pod roles: who waits for whom, as whom they run, and what the launcher waits for."""

from collections.abc import Mapping
from typing import Any

import pytest

from components.k8s.containers import Container
from components.k8s.env import EnvVar
from components.k8s.pods import PodSpec, PodTemplate
from components.runtimes.api import TrainingRuntimeSpec
from components.runtimes.ml_policy import MLPolicy, TorchPolicy
from components.runtimes.topology import MPIStartup, SshUser, initializers_then_node, node_only, node_then_launcher

TRAINER = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
TORCH = MLPolicy(num_nodes=2, torch=TorchPolicy())


def pod(name: str = "node", env: tuple[EnvVar, ...] | None = None) -> PodTemplate:
    return PodTemplate(spec=PodSpec(containers=(Container(name=name, image="registry.example.com/train:1", env=env),)))


def wire(spec: TrainingRuntimeSpec) -> dict[str, Any]:
    dumped: dict[str, Any] = spec.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped


def jobs(spec: TrainingRuntimeSpec) -> list[dict[str, Any]]:
    replicated: list[dict[str, Any]] = wire(spec)["template"]["spec"]["replicatedJobs"]
    return replicated


def pod_of(job: Mapping[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = job["template"]["spec"]["template"]["spec"]
    return spec


def test_mpi_training_has_nodes_with_sshd_and_a_launcher_that_depends_on_them() -> None:
    spec = wire(node_then_launcher(pod(), start=MPIStartup(wait_for_hosts_seconds=None)))

    assert spec == {
        "mlPolicy": {
            "numNodes": 1,
            "mpi": {
                "numProcPerNode": 1,
                "mpiImplementation": "OpenMPI",
                "sshAuthMountPath": "/home/mpiuser/.ssh",
                "runLauncherAsNode": True,
            },
        },
        "template": {
            "spec": {
                "network": {"publishNotReadyAddresses": True},
                "successPolicy": {"operator": "All", "targetReplicatedJobs": ["launcher"]},
                "replicatedJobs": [
                    {
                        "name": "node",
                        "template": {
                            "spec": {
                                "template": {
                                    "spec": {
                                        "securityContext": {"fsGroup": 1000},
                                        "containers": [
                                            {
                                                "name": "node",
                                                "image": "registry.example.com/train:1",
                                                "command": ["/usr/sbin/sshd"],
                                                "args": ["-De", "-f", "/home/mpiuser/.sshd_config"],
                                                "securityContext": {"runAsUser": 1000},
                                                "readinessProbe": {
                                                    "tcpSocket": {"port": 2222},
                                                    "initialDelaySeconds": 1,
                                                    "periodSeconds": 1,
                                                },
                                            }
                                        ],
                                    }
                                }
                            }
                        },
                    },
                    {
                        "name": "launcher",
                        "dependsOn": [{"name": "node", "status": "Ready"}],
                        "template": {
                            "metadata": TRAINER,
                            "spec": {
                                "template": {
                                    "spec": {
                                        "securityContext": {"fsGroup": 1000},
                                        "containers": [
                                            {
                                                "name": "node",
                                                "image": "registry.example.com/train:1",
                                                "securityContext": {"runAsUser": 1000},
                                            }
                                        ],
                                    }
                                }
                            },
                        },
                    },
                ],
            }
        },
    }


def test_ssh_user_sets_mount_config_port_and_group_of_the_key() -> None:
    spec = node_then_launcher(pod(), ssh=SshUser(uid=7, gid=8, home="/home/hpc", port=22))

    assert wire(spec)["mlPolicy"]["mpi"]["sshAuthMountPath"] == "/home/hpc/.ssh"
    node, launcher = (pod_of(job) for job in jobs(spec))
    assert node["containers"][0]["args"] == ["-De", "-f", "/home/hpc/.sshd_config"]
    assert node["containers"][0]["readinessProbe"]["tcpSocket"] == {"port": 22}
    for role in (node, launcher):
        assert role["securityContext"] == {"fsGroup": 8}
        assert role["containers"][0]["securityContext"] == {"runAsUser": 7}
    assert launcher["initContainers"][0]["securityContext"] == {"runAsUser": 7}


def test_workers_set_parallelism_and_processes_set_slots() -> None:
    spec = node_then_launcher(pod(), workers=3, processes_per_node=8)

    node, launcher = jobs(spec)
    assert node["template"]["spec"]["parallelism"] == 3
    assert "parallelism" not in launcher["template"]["spec"]
    assert wire(spec)["mlPolicy"]["numNodes"] == 1
    assert wire(spec)["mlPolicy"]["mpi"]["numProcPerNode"] == 8


def test_environment_reaches_both_jobs_and_processes_started_by_mpirun() -> None:
    env = (EnvVar(name="NCCL_DEBUG", value="INFO"), EnvVar(name="OMP_NUM_THREADS", value="4"))

    node, launcher = (pod_of(job)["containers"][0] for job in jobs(node_then_launcher(pod(env=env))))

    assert (
        node["env"]
        == launcher["env"]
        == [
            {"name": "NCCL_DEBUG", "value": "INFO"},
            {"name": "OMP_NUM_THREADS", "value": "4"},
        ]
    )
    assert node["args"] == ["NCCL_DEBUG", "OMP_NUM_THREADS"]


def test_environment_of_the_launcher_is_not_set_on_nodes() -> None:
    spec = node_then_launcher(pod(), launcher_env=(EnvVar(name="ONLY", value="here"),))

    node, launcher = (pod_of(job)["containers"][0] for job in jobs(spec))
    assert launcher["env"] == [{"name": "ONLY", "value": "here"}]
    assert "env" not in node


def test_launcher_waits_in_the_training_image_with_the_hostfile() -> None:
    _, launcher = jobs(node_then_launcher(pod()))

    (wait,) = pod_of(launcher)["initContainers"]
    assert wait["name"] == "wait-for-hosts"
    assert wait["image"] == "registry.example.com/train:1"
    assert wait["command"][:2] == ["sh", "-c"]
    assert wait["resources"]["limits"] == wait["resources"]["requests"] == {"cpu": "100m", "memory": "64Mi"}
    assert wait["volumeMounts"] == [{"name": "mpi-hostfile", "mountPath": "/etc/mpi", "readOnly": True}]
    assert "volumes" not in pod_of(launcher)


def test_training_without_launcher_is_one_job_with_the_trainer_label() -> None:
    assert wire(node_only(TORCH, pod())) == {
        "mlPolicy": {"numNodes": 2, "torch": {}},
        "template": {
            "spec": {
                "replicatedJobs": [
                    {
                        "name": "node",
                        "template": {
                            "metadata": TRAINER,
                            "spec": {
                                "template": {
                                    "spec": {"containers": [{"name": "node", "image": "registry.example.com/train:1"}]}
                                }
                            },
                        },
                    }
                ]
            }
        },
    }


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (("dataset",), ["dataset-initializer"]),
        (("model",), ["model-initializer"]),
        (("dataset", "model"), ["dataset-initializer", "model-initializer"]),
    ],
)
def test_nodes_depend_on_complete_initializers(given: tuple[str, ...], names: list[str]) -> None:
    initializers = {each: pod(f"{each}-initializer") for each in given}

    *first, node = jobs(initializers_then_node(TORCH, pod(), **initializers))

    assert [job["name"] for job in first] == names
    assert [pod_of(job)["containers"][0]["name"] for job in first] == names
    steps = [job["template"]["metadata"]["labels"]["trainer.kubeflow.org/trainjob-ancestor-step"] for job in first]
    assert steps == names
    assert not any("dependsOn" in job for job in first)
    assert node["name"] == "node"
    assert node["template"]["metadata"] == TRAINER
    assert node["dependsOn"] == [{"name": name, "status": "Complete"} for name in names]

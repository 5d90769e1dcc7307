"""Every argument of the MPI runtimes lands where it belongs, and nowhere else."""

from components.runtimes.catalog import deepspeed, mlx
from components.runtimes.topology import SshUser

from ..differences import added


def test_processes_per_node_are_the_slots_of_the_hostfile() -> None:
    runtime = mlx(processes_per_node=7, gpus_per_node=7, gpu_resource="nvidia.com/mig-1g.5gb")

    assert added(runtime, to=mlx(gpus_per_node=7)) == {
        "node: resources.limits.nvidia.com/gpu": None,
        "node: resources.limits.nvidia.com/mig-1g.5gb": "7",
        "launcher: resources.limits.nvidia.com/gpu": None,
        "launcher: resources.limits.nvidia.com/mig-1g.5gb": "7",
    }
    assert added(mlx(processes_per_node=3), to=mlx()) == {"spec.mlPolicy.mpi.numProcPerNode": 3}


def test_env_is_set_in_launcher_nodes_and_ssh_sessions() -> None:
    env = [{"name": "NCCL_DEBUG", "value": "INFO"}]

    found = added(deepspeed(env={"NCCL_DEBUG": "INFO"}), to=deepspeed())
    shell, flag, script, name = found.pop("node: command")
    assert found == {"node: env": env, "launcher: env": env, "node: args": ["NCCL_DEBUG"]}
    assert (shell, flag, name) == ("sh", "-c", "sshd")
    assert script.endswith('exec /usr/sbin/sshd -De -f "$config"\n')


def test_launcher_waits_in_an_init_container_with_the_kai_scheduler() -> None:
    found = added(mlx(scheduler="kai-scheduler", ssh=SshUser(port=2022)), to=mlx(ssh=SshUser(port=2022)))
    (wait,) = found.pop("launcher: initContainers[wait-for-hosts].command")[2:]
    assert found == {
        "node: schedulerName": "kai-scheduler",
        "launcher].dependsOn": None,
        "launcher: schedulerName": "kai-scheduler",
    }
    assert 'ssh-keyscan -T 2 -p 2022 "$host"' in wait
    assert mlx(scheduler="kai-scheduler").check() == ()
    assert "launcher].dependsOn" not in added(mlx(scheduler="other"), to=mlx())


def test_open_mpi_5_gets_the_settings_of_trainer_in_the_launcher() -> None:
    env = [
        {"name": "PRTE_MCA_prte_default_hostfile", "value": "/etc/mpi/hostfile"},
        {"name": "PRTE_MCA_plm_ssh_args", "value": "-o ConnectionAttempts=10"},
        {"name": "PRTE_MCA_plm_ssh_no_tree_spawn", "value": "true"},
    ]
    mine = {"PRTE_MCA_plm_ssh_args": "-v"}

    assert added(deepspeed(openmpi_major=5), to=deepspeed()) == {"launcher: env": env}
    assert added(deepspeed(openmpi_major=5, env=mine), to=deepspeed(env=mine)) == {
        f"launcher: env[{each['name']}]": each for each in (env[0], env[2])
    }


def test_wait_for_hosts_can_be_disabled_limited_or_added_to_like_upstream() -> None:
    upstream = mlx(like_upstream=True)
    (wait,) = added(mlx(), to=mlx(wait_for_hosts=False))["launcher: initContainers"]

    assert added(mlx(wait_for_hosts=False), to=mlx()) == {"launcher: initContainers": None}
    assert added(mlx(like_upstream=True, wait_for_hosts=True), to=upstream) == {"launcher: initContainers": [wait]}
    (bounded,) = added(mlx(wait_for_hosts_seconds=42), to=mlx()).values()
    assert bounded == ["sh", "-c", wait["command"][2].replace(" 300 ]", " 42 ]")]


def test_readiness_period_is_the_period_of_the_sshd_probe() -> None:
    period = "node: readinessProbe.periodSeconds"

    assert added(mlx(readiness_period_seconds=3), to=mlx()) == {period: 3}
    assert added(mlx(readiness_period_seconds=3, like_upstream=True), to=mlx(like_upstream=True)) == {period: 3}


def test_ssh_sets_the_user_of_the_image() -> None:
    assert added(deepspeed(ssh=SshUser(uid=7, gid=8, home="/home/hpc", port=22)), to=deepspeed()) == {
        "spec.mlPolicy.mpi.sshAuthMountPath": "/home/hpc/.ssh",
        "node: securityContext.fsGroup": 8,
        "node: securityContext.runAsUser": 7,
        "node: args": ["-De", "-f", "/home/hpc/.sshd_config"],
        "node: readinessProbe.tcpSocket.port": 22,
        "launcher: securityContext.fsGroup": 8,
        "launcher: securityContext.runAsUser": 7,
        "launcher: initContainers[wait-for-hosts].securityContext.runAsUser": 7,
    }

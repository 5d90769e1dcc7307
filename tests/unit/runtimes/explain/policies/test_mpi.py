"""MPI: nodes, slots, keys and the hostfile."""

from typing import Any

import pytest

from components.runtimes.api import BaseTrainingRuntime
from components.runtimes.explain import Explanation
from tests.unit.runtimes.explain.pairs import VERSIONS, container, explained, job, of_kind, runtime, variables

NEWER = ("2.2.0", "2.3.0")


def mpi(*jobs: dict[str, Any], nodes: int | None = None, **policy: Any) -> BaseTrainingRuntime:
    count = {} if nodes is None else {"numNodes": nodes}
    roles = [*jobs] or [job(ancestor=None), job("launcher")]
    return runtime(*roles, policy={**count, "mpi": {"runLauncherAsNode": True, **policy}})


def hostfile(explanation: Explanation) -> list[str]:
    return next(
        each["data"]["hostfile"].splitlines()
        for each in of_kind(explanation, "ConfigMap")
        if each["metadata"]["name"] == "tj-mpi-hostfile"
    )


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("given", "policy_nodes", "as_node", "hosts"),
    [
        # Seen with the real controller of 2.3.0 and upstream's DeepSpeed runtime.
        (None, None, True, ["tj-node-0-0.tj", "tj-launcher-0-0.tj"]),
        (1, 1, True, ["tj-node-0-0.tj", "tj-launcher-0-0.tj"]),
        (2, 1, True, ["tj-node-0-0.tj", "tj-launcher-0-0.tj"]),
        (4, 1, True, ["tj-node-0-0.tj", "tj-node-0-1.tj", "tj-node-0-2.tj", "tj-launcher-0-0.tj"]),
        (2, 1, False, ["tj-node-0-0.tj", "tj-node-0-1.tj"]),
        (None, 4, True, ["tj-node-0-0.tj", *(f"tj-launcher-0-{index}.tj" for index in range(4))]),
    ],
)
def test_the_hostfile_has_the_nodes(
    version: str, given: int | None, policy_nodes: int | None, as_node: bool, hosts: list[str]
) -> None:
    made = mpi(nodes=policy_nodes, runLauncherAsNode=as_node)
    spec = {} if given is None else {"trainer": {"numNodes": given}}
    explanation = explained(made, version, **spec)
    assert hostfile(explanation) == [f"{host} slots=1" for host in hosts]
    workers = [host for host in hosts if "node" in host]
    assert [each.pods for each in explanation.jobs] == [len(workers), policy_nodes or 1]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_launcher_gets_open_mpi_s_environment(version: str) -> None:
    explanation = explained(mpi(numProcPerNode=2), version)
    assert variables(explanation, "launcher") == {
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_orte_set_default_slots": "2",
        "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
    }
    assert variables(explanation) == {}


@pytest.mark.parametrize(
    ("version", "gpus", "policy", "given", "slots"),
    [
        ("2.0.0", 8, {}, {}, 1),
        ("2.2.0", 8, {}, {}, 8),
        ("2.3.0", 8, {}, {}, 8),
        ("2.3.0", 8, {"numProcPerNode": 2}, {}, 2),
        ("2.3.0", 8, {}, {"numProcPerNode": 3}, 3),
        ("2.3.0", 8, {}, {"resourcesPerNode": {"limits": {"nvidia.com/gpu": 4}}}, 4),
        ("2.0.0", 8, {}, {"numProcPerNode": "5"}, 5),
        ("2.0.0", 8, {}, {"numProcPerNode": "auto"}, 0),
    ],
)
def test_slots_are_processes_or_gpus(
    version: str, gpus: int, policy: dict[str, Any], given: dict[str, Any], slots: int
) -> None:
    resources = {"resources": {"limits": {"nvidia.com/gpu": gpus}}}
    made = mpi(job(ancestor=None, container=resources), job("launcher", container=resources), **policy)
    assert {line.split()[1] for line in hostfile(explained(made, version, trainer=given))} == {f"slots={slots}"}


@pytest.mark.parametrize(("version", "files"), [("2.2.0", [None] * 3), ("2.3.0", [0o640, 0o644, 0o644])])
def test_keys_have_modes_from_2_3_on(version: str, files: list[int | None]) -> None:
    explanation = explained(mpi(), version)
    for each in explanation.jobs:
        volumes = each.manifest["spec"]["template"]["spec"]["volumes"]
        secret = next(volume["secret"] for volume in volumes if volume["name"] == "mpi-ssh-auth")
        assert [item.get("mode") for item in secret["items"]] == files
        assert secret.get("defaultMode") == (0o400 if version == "2.3.0" else None)
        assert [item["path"] for item in secret["items"]] == ["id_rsa", "id_rsa.pub", "authorized_keys"]


def test_keys_and_the_hostfile_are_mounted_in_the_container_node() -> None:
    explanation = explained(mpi(sshAuthMountPath="/home/mpiuser/.ssh"))
    keys = {"name": "mpi-ssh-auth", "mountPath": "/home/mpiuser/.ssh"}
    assert container(explanation)["volumeMounts"] == [keys]
    assert container(explanation, "launcher")["volumeMounts"] == [
        keys,
        {"name": "mpi-hostfile", "mountPath": "/etc/mpi"},
    ]


def test_the_secret_shows_no_keys() -> None:
    assert of_kind(explained(mpi()), "Secret") == [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "tj-mpi-ssh-auth", "namespace": "default"},
            "type": "kubernetes.io/ssh-auth",
            "immutable": True,
            "data": {"ssh-privatekey": "<private key>", "ssh-publickey": "<public key>"},
        }
    ]


@pytest.mark.parametrize(("version", "names"), [("2.0.0", {}), ("2.2.0", {"A": "1"}), ("2.3.0", {"A": "1"})])
def test_nodes_get_the_launcher_s_variables_from_2_2_on(version: str, names: dict[str, str]) -> None:
    explanation = explained(mpi(), version, trainer={"env": [{"name": "A", "value": "1"}]})
    assert variables(explanation) == names
    assert variables(explanation, "launcher")["A"] == "1"


@pytest.mark.parametrize(("version", "hosts"), [("2.2.0", 1), ("2.3.0", 2)])
def test_only_2_3_names_the_pods_of_all_replicas(version: str, hosts: int) -> None:
    made = mpi(job(ancestor=None, replicas=2), job("launcher"), runLauncherAsNode=False)
    assert len(hostfile(explained(made, version))) == hosts


def test_the_subdomain_is_the_network_s() -> None:
    made = runtime(job(ancestor=None), job("launcher"), policy={"mpi": {}}, network={"subdomain": "net"})
    assert hostfile(explained(made)) == ["tj-node-0-0.net slots=1"]

"""MPI: SSH keys for all nodes, the hostfile and mpirun's environment for the launcher.

Source: plugins/mpi/mpi.go.
"""

from ...topology import LAUNCHER, NODE
from ..node_resources import gpus_of, node_resources
from ..reconciliation import NotReconciledError, PodSet, Reconciliation, set_mounts, variable
from ..stored import Manifest

ORIGIN = "Trainer (mpi)"

_KEY, _PUBLIC_KEY = "ssh-privatekey", "ssh-publickey"
_HOSTFILE_FOLDER = "/etc/mpi"


def enforce(work: Reconciliation) -> None:
    """Counts nodes and slots, and mounts keys and the hostfile."""
    policy = work.policy_of("mpi")
    if policy is None:
        return
    trainer = work.trainer or {}
    node = work.pod_set(NODE)
    if (nodes := trainer.get("numNodes")) is not None and node is not None:
        node.count = max(nodes - 1, 1) if policy["runLauncherAsNode"] else nodes
    if (processes := trainer.get("numProcPerNode")) is not None:
        policy["numProcPerNode"] = processes if isinstance(processes, int) else _integer(processes)
    elif work.release.hostfile_slots_from_gpus and policy["numProcPerNode"] == 1:
        policy["numProcPerNode"] = max(1, gpus_of(node_resources(work)))
    for pod_set in work.pod_sets:
        if pod_set.name in {NODE, LAUNCHER}:
            _mount(work, pod_set, policy)


def build(work: Reconciliation) -> None:
    """Adds the Secret with the keys, and the ConfigMap with the hostfile."""
    policy = work.policy_of("mpi")
    if policy is None:
        return
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": work.metadata("-mpi-ssh-auth"),
        "type": "kubernetes.io/ssh-auth",
        "immutable": True,
        "data": {_KEY: "<private key>", _PUBLIC_KEY: "<public key>"},
    }
    nodes = {NODE, LAUNCHER} if policy["runLauncherAsNode"] else {NODE}
    hosts = "".join(
        f"{host} slots={policy['numProcPerNode']}\n"
        for pod_set in work.pod_sets
        if pod_set.name in nodes and policy["mpiImplementation"] == "OpenMPI"
        for host in pod_set.endpoints
    )
    hostfile = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": work.metadata("-mpi-hostfile"),
        "data": {"hostfile": hosts},
    }
    work.objects += [secret, hostfile]


def _mount(work: Reconciliation, pod_set: PodSet, policy: Manifest) -> None:
    launches = pod_set.name == LAUNCHER
    work.set_volumes(pod_set, [_ssh_volume(work)], ORIGIN)
    if launches:
        items = [{"key": "hostfile", "path": "hostfile", "mode": 0o444}]
        hostfile = {"name": f"{work.name}-mpi-hostfile", "items": items}
        work.set_volumes(pod_set, [{"name": "mpi-hostfile", "configMap": hostfile}], ORIGIN)
    for container in pod_set.pod.get("containers") or ():
        if container["name"] != NODE:
            continue
        set_mounts(container, {"name": "mpi-ssh-auth", "mountPath": policy["sshAuthMountPath"]})
        if launches:
            set_mounts(container, {"name": "mpi-hostfile", "mountPath": _HOSTFILE_FOLDER})
            if policy["mpiImplementation"] != "OpenMPI":
                raise NotReconciledError(f'mpiImplementation "{policy["mpiImplementation"]}" is not supported.')
            variables = [
                variable("OMPI_MCA_orte_default_hostfile", f"{_HOSTFILE_FOLDER}/hostfile"),
                variable("OMPI_MCA_orte_keep_fqdn_hostnames", "true"),
                variable("OMPI_MCA_orte_set_default_slots", policy["numProcPerNode"]),
                variable("OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10"),
            ]
            work.set_variables(pod_set.name, container, variables, ORIGIN)


def _ssh_volume(work: Reconciliation) -> Manifest:
    files = [(_KEY, "id_rsa", 0o640), (_PUBLIC_KEY, "id_rsa.pub", 0o644), (_PUBLIC_KEY, "authorized_keys", 0o644)]
    modes = work.release.ssh_key_modes
    items = [{"key": key, "path": path, **({"mode": mode} if modes else {})} for key, path, mode in files]
    default = {"defaultMode": 0o400} if modes else {}
    secret = {"secretName": f"{work.name}-mpi-ssh-auth", **default, "items": items}
    return {"name": "mpi-ssh-auth", "secret": secret}


def _integer(text: str) -> int:
    """`IntOrString.IntValue`: 0 for a text without a number."""
    return int(text) if text.lstrip("+-").isdecimal() else 0

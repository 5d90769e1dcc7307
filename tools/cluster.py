"""The local Kubernetes cluster: real control plane, simulated nodes, operators as processes."""

import os
import shutil
import subprocess

from tools import BIN, KUBECONFIG, LOCAL, PROJECT, STATE, charts, process_kubelet, toolchain

NAME = "training-platform"
CONTEXT = f"kwok-{NAME}"
"""The kubeconfig context that kwokctl gives a cluster of that name; `stacks/Pulumi.local.yaml` names it."""
STAGES = PROJECT / "tools" / "stages.yaml"
SIMULATED = "kwok.x-k8s.io/node=fake"
"""The annotation of nodes that kwok plays; others may be real (`tools/pods`)."""
SYSTEM_NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "system-0", "annotations": {"kwok.x-k8s.io/node": "fake"}},
    "status": {name: {"cpu": "8", "memory": "32Gi", "pods": "110"} for name in ("capacity", "allocatable")},
}
"""Where the operators' pods run, as in a real cluster: nodes without GPUs, which no node pool of ours makes."""


class ClusterFailed(Exception):
    """The local cluster could not be made, started or stopped; the message says why and what to do."""


OWNER = "TRAINING_PLATFORM_OWNER"
"""The variable with the number of the process whose end, however it comes, takes the cluster with it; tests set it."""


def start() -> None:
    """Make the cluster, or start the one that was made before; a running one is left as it is.

    Raises:
        ClusterFailed: It did not come up; what had come up of it is gone again.
    """
    with toolchain.locked("cluster"):
        if process_kubelet.is_running():
            return
        try:
            if KUBECONFIG.exists():
                _kwokctl("start", "cluster", "--wait", "90s")
            else:
                _create()
            process_kubelet.start(int(os.environ[OWNER]) if OWNER in os.environ else None)
        except BaseException:
            # Also on Ctrl-C: half a cluster is of no use, and would hold its ports.
            _delete()
            raise


def _create() -> None:
    from kubernetes.client import ApiException, CoreV1Api
    from urllib3.exceptions import HTTPError

    _delete()
    charts.assemble()
    components = {"etcd": "etcd", "kube-apiserver": "kube-apiserver", "kwok-controller": "kwok"} | {
        name: name for name in ("kube-controller-manager", "kube-scheduler")
    }
    binaries = [part for name, file in components.items() for part in (f"--{name}-binary", str(BIN / file))]
    _kwokctl(
        *("create", "cluster", "--runtime", "binary", "--wait", "90s"),
        *("--kubeconfig", str(KUBECONFIG), "--config", str(STAGES), *binaries),
        *("--extra-args", "kwok-controller=manage-all-nodes=false"),
        *("--extra-args", f"kwok-controller=manage-nodes-with-annotation-selector={SIMULATED}"),
    )
    KUBECONFIG.chmod(0o600)
    try:
        CoreV1Api(process_kubelet.client_of(KUBECONFIG)).create_node(SYSTEM_NODE)
    except (ApiException, HTTPError) as error:
        raise ClusterFailed(f"The local cluster came up, but its API server takes no node: {error}") from error


def delete() -> None:
    """Stop the cluster and remove everything of it, and what the local stack's state says of it, whatever there is."""
    with toolchain.locked("cluster"):
        _delete()


def _delete() -> None:
    process_kubelet.stop()
    if (LOCAL / "kwok").exists():
        _kwokctl("delete", "cluster", "--kubeconfig", str(KUBECONFIG))
    for folder in (LOCAL / "kwok", charts.CHARTS, process_kubelet.HOME, STATE):
        shutil.rmtree(folder, ignore_errors=True)
    KUBECONFIG.unlink(missing_ok=True)


def _kwokctl(*arguments: str) -> None:
    environment = os.environ | {"KWOK_WORKDIR": str(LOCAL / "kwok"), "HOME": str(LOCAL / "kwok")}
    command = [str(BIN / "kwokctl"), *arguments, "--name", NAME]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode != 0:
        log = "\n".join(done.stderr.splitlines()[-15:])
        raise ClusterFailed(
            f"The local cluster failed at `{' '.join(arguments[:2])}`:\n{log}\n`make down` clears it away."
        )


def components() -> dict[str, bool]:
    """Each process of the cluster, and whether it runs; empty when there is no cluster."""
    if not KUBECONFIG.exists():
        return {}
    pids = (LOCAL / "kwok" / "clusters" / NAME / "pids").glob("*.pid")
    found = {file.stem: process_kubelet.is_alive(int(file.read_text())) for file in sorted(pids)}
    return found | {"operators": process_kubelet.is_running()}

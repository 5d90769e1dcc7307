"""Flux: an init container that installs it, and the scripts that start the brokers.

Source: plugins/flux/flux.go (v2.2.0, v2.3.0).
"""

from ...topology import NODE
from ..node_resources import gpus_of, node_resources
from ..reconciliation import NotReconciledError, Reconciliation, set_mounts
from ..stored import Manifest

ORIGIN = "Trainer (flux)"

_INSTALLER = "flux-installer"
_IMAGE = "FLUX_VIEW_IMAGE"
_CONFIG_FOLDER = "/etc/flux-config"


def enforce(work: Reconciliation) -> None:
    """Wraps the command, and adds the init container, volumes and mounts."""
    if work.policy_of("flux") is None:
        return
    if work.trainer is None:
        raise NotReconciledError("Trainer's Flux plugin panics: the TrainJob has no spec.trainer.")
    config = f"{work.name}-flux-entrypoint"
    image = _image(work)
    command = ["/bin/bash", f"{_CONFIG_FOLDER}/entrypoint.sh", _command(work)]
    trainer = {key: value for key, value in work.trainer.items() if key != "args"}
    work.train_job["trainer"] = {**trainer, "command": command}
    config_mount = {"name": config, "mountPath": _CONFIG_FOLDER, "readOnly": True}
    install_mount = {"name": "flux-install", "mountPath": "/mnt/flux"}
    for pod_set in work.pod_sets:
        if pod_set.name != NODE:
            continue
        work.set_volumes(pod_set, _volumes(work, config), ORIGIN)
        pod_set.pod.setdefault("initContainers", []).append(
            {
                "name": _INSTALLER,
                "image": image,
                "command": ["/bin/bash", f"{_CONFIG_FOLDER}/init.sh"],
                "volumeMounts": [install_mount, config_mount],
            }
        )
        for container in pod_set.pod.get("containers") or ():
            if container["name"] == NODE:
                mounts: list[Manifest] = [
                    install_mount,
                    {"name": "spack-install", "mountPath": "/opt/software"},
                    config_mount,
                    {"name": "flux-curve", "mountPath": "/curve", "readOnly": True},
                ]
                if _has_memory(work):
                    mounts.append({"name": "shared-memory", "mountPath": "/dev/shm", "readOnly": True})  # noqa: S108 - a mount
                set_mounts(container, *mounts)


def build(work: Reconciliation) -> None:
    """Adds the ConfigMap with the scripts, and the Secret with the brokers' certificate."""
    policy = work.policy_of("flux")
    if policy is None:
        return
    trainer = work.trainer or {}
    if trainer.get("numNodes") is None:
        raise NotReconciledError("Trainer's Flux plugin panics: the TrainJob has no spec.trainer.numNodes.")
    tasks = trainer.get("numProcPerNode", policy["numProcPerNode"]) * trainer["numNodes"]
    gpus = gpus_of(node_resources(work))
    flags = f"-N {trainer['numNodes']} -n {tasks}" + (f" -g {gpus}" if gpus else "")
    scripts = {"entrypoint.sh": f"<script that runs flux run {flags}>", "init.sh": "<script that installs Flux>"}
    metadata = work.metadata("-flux-entrypoint")
    curve = {"curve.cert": "<certificate>"}
    work.objects += [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": scripts},
        {"apiVersion": "v1", "kind": "Secret", "metadata": work.metadata("-flux-curve"), "data": curve},
    ]


def _has_memory(work: Reconciliation) -> bool:
    return work.release.trainer != "2.2.0"


def _volumes(work: Reconciliation, config: str) -> list[Manifest]:
    memory: list[Manifest] = [{"name": "shared-memory", "emptyDir": {"medium": "Memory"}}]
    return [
        {"name": "spack-install", "emptyDir": {}},
        {"name": "flux-install", "emptyDir": {}},
        {"name": config, "configMap": {"name": config, "defaultMode": 0o755}},
        *(memory if _has_memory(work) else []),
        {"name": "flux-curve", "secret": {"secretName": f"{work.name}-flux-curve", "defaultMode": 0o400}},
    ]


def _image(work: Reconciliation) -> str:
    given = [*((work.trainer_container or {}).get("env") or ()), *((work.trainer or {}).get("env") or ())]
    images = [each.get("value", "") for each in given if each["name"] == _IMAGE and "valueFrom" not in each]
    return images[-1] if images else "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy"


def _command(work: Reconciliation) -> str:
    """The command that Flux runs: the TrainJob's. From 2.3 on it is the runtime's where that has none."""
    trainer = work.trainer or {}
    own = {} if work.release.trainer == "2.2.0" else work.trainer_container or {}
    command: list[str] = trainer["command"] if "command" in trainer else own.get("command") or []
    args: list[str] = trainer.get("args") or []
    return " ".join([*command, *args]).strip()

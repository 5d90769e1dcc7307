"""MPI's SSH keys, and the other files that Trainer injects."""

from tests.unit.runtimes.rules.samples import MPI, Case, a_container, changed, container, pod, warns

SSH_MOUNT = f"{container(0)}.volumeMounts"
KEYS = {f"{pod(0)}.volumes": [{"name": "keys", "emptyDir": {}}]}
OWN_HOSTS = {f"{pod(1)}.volumes": [{"name": "hosts", "emptyDir": {}}]}
FS_GROUP = f"{pod(0)}.securityContext"

ANYBODY = {f"{container(index)}.securityContext": None for index in (0, 1)}

CASES = [
    Case("SIL-07", f"{FS_GROUP}.fsGroup", MPI, {FS_GROUP: None}, {FS_GROUP: {"fsGroup": 2000}}),
    Case(
        "SIL-07",
        f"{pod(1)}.securityContext.fsGroup",
        MPI,
        {f"{pod(1)}.securityContext": {"runAsGroup": 1000}},
        {f"{pod(1)}.securityContext": None, f"{container(1)}.securityContext": None},
    ),
    Case(
        "SIL-07",
        f"{FS_GROUP}.fsGroup",
        MPI,
        {FS_GROUP: {"runAsNonRoot": True}, f"{container(0)}.securityContext": None},
        {
            FS_GROUP: {"runAsNonRoot": True},
            f"{container(0)}.securityContext": None,
            f"{pod(0)}.initContainers": [
                a_container("copy", volumeMounts=[{"name": "mpi-ssh-auth", "mountPath": "/keys"}])
            ],
        },
    ),
    warns(
        "SIL-07",
        f"{container(0)}.securityContext.runAsUser",
        MPI,
        {f"{container(0)}.securityContext.runAsUser": 0},
        {f"{container(0)}.securityContext.runAsUser": 1001},
    ),
    Case(
        "SIL-12",
        f"{SSH_MOUNT}[0].mountPath",
        MPI,
        {**KEYS, SSH_MOUNT: [{"name": "keys", "mountPath": "/home/mpiuser/.ssh"}]},
        {**KEYS, SSH_MOUNT: [{"name": "keys", "mountPath": "/home/mpiuser/keys"}]},
    ),
    Case(
        "SIL-12",
        f"{SSH_MOUNT}[0].mountPath",
        changed(MPI, {"spec.mlPolicy.mpi.sshAuthMountPath": None, **ANYBODY}),
        {**KEYS, SSH_MOUNT: [{"name": "keys", "mountPath": "/root/.ssh"}]},
        {SSH_MOUNT: [{"name": "mpi-ssh-auth", "mountPath": "/root/.ssh"}]},
    ),
    Case(
        "SIL-12",
        f"{container(1)}.volumeMounts[0].mountPath",
        MPI,
        {**OWN_HOSTS, f"{container(1)}.volumeMounts": [{"name": "hosts", "mountPath": "/etc/mpi"}]},
        {f"{container(1)}.volumeMounts": [{"name": "mpi-hostfile", "mountPath": "/etc/mpi"}]},
    ),
    warns(
        "SIL-12",
        f"{pod(1)}.volumes[0]",
        MPI,
        {f"{pod(1)}.volumes": [{"name": "mpi-hostfile", "emptyDir": {}}]},
        {f"{pod(0)}.volumes": [{"name": "mpi-hostfile", "emptyDir": {}}]},
    ),
    warns(
        "SIL-12",
        f"{pod(0)}.volumes[0]",
        MPI,
        {f"{pod(0)}.volumes": [{"name": "mpi-ssh-auth", "secret": {"secretName": "mine"}}]},
        {},
    ),
    warns(
        "RUN-12",
        f"{container(0)}.securityContext.runAsUser",
        changed(MPI, {f"{container(1)}.securityContext": None}),
        {"spec.mlPolicy.mpi.sshAuthMountPath": "/root/.ssh"},
        {"spec.mlPolicy.mpi.sshAuthMountPath": "/home/mpiuser/.ssh"},
    ),
    warns(
        "RUN-12",
        f"{container(1)}.securityContext",
        changed(MPI, {f"{container(0)}.securityContext": None, "spec.mlPolicy.mpi.sshAuthMountPath": None}),
        {f"{container(1)}.securityContext": {"runAsNonRoot": True}},
        {f"{container(1)}.securityContext": None},
    ),
    warns(
        "RUN-12",
        f"{container(1)}.securityContext.runAsUser",
        changed(MPI, {f"{container(0)}.securityContext": None}),
        {"spec.mlPolicy.mpi.sshAuthMountPath": None},
        {
            "spec.mlPolicy.mpi.sshAuthMountPath": None,
            f"{pod(1)}.initContainers": [
                a_container("copy", volumeMounts=[{"name": "mpi-ssh-auth", "mountPath": "/keys"}])
            ],
        },
    ),
    *(
        warns(
            "SIL-07",
            f"{FS_GROUP}.fsGroup",
            MPI,
            {FS_GROUP: of_pod, f"{container(0)}.securityContext": {"runAsUser": 1001, **own}},
            {FS_GROUP: {**of_pod, "fsGroup": 0}, f"{container(0)}.securityContext": {"runAsUser": 1001, **own}},
        )
        for of_pod, own in (
            ({}, {"runAsGroup": 0}),
            ({"runAsGroup": 0}, {}),
            ({"supplementalGroups": [5, 0]}, {"runAsGroup": 1001}),
        )
    ),
    Case(
        "SIL-07",
        f"{FS_GROUP}.fsGroup",
        MPI,
        {FS_GROUP: {"runAsGroup": 0}, f"{container(0)}.securityContext": {"runAsUser": 1001, "runAsGroup": 1001}},
        {},
    ),
]

"""What the frameworks' plugins count on."""

from tests.unit.runtimes.rules.samples import (
    FLUX,
    HELPED,
    JAX,
    JOBSET,
    MPI,
    TORCH,
    XGBOOST,
    Case,
    a_container,
    container,
    init,
    job,
    pod,
    warns,
)

TARGET = "spec.mlPolicy.torch.envInjection.targets"
PORTS = f"{container(0)}.ports"
ENV = f"{container(0)}.env"
RESOURCES = f"{container(0)}.resources"
NAMED = {PORTS: [{"name": "rdzv", "containerPort": 29500}]}
PROBE = f"{container(0)}.readinessProbe"
ASCEND = {"huawei.com/Ascend910": "8"}
OWN = {f"{pod(0)}.volumes": [{"name": "own", "emptyDir": {}}]}
TWO_GPUS = {"aliyun.com/gpu-mem": "40", "nvidia.com/gpu": "2"}

CASES = [
    Case(
        "TJC-26",
        f"{TARGET}[0].containerNames[0]",
        TORCH,
        {TARGET: [{"jobName": "node", "containerNames": ["watcher"]}]},
        {
            TARGET: [{"jobName": "node", "containerNames": ["watcher"]}],
            f"{pod(0)}.initContainers": [a_container("watcher")],
        },
    ),
    Case(
        "TJC-26",
        f"{TARGET}[0].jobName",
        HELPED,
        {TARGET: [{"jobName": "helpers", "containerNames": ["helper"]}]},
        {TARGET: [{"jobName": "helper", "containerNames": ["helper"]}]},
    ),
    Case(
        "TJC-35",
        f"{init(0)}.name",
        FLUX,
        {f"{pod(0)}.initContainers": [a_container("flux-installer")]},
        {f"{pod(0)}.initContainers": [a_container("installer")]},
    ),
    warns("REC-09", "spec.mlPolicy.numNodes", FLUX, {"spec.mlPolicy.numNodes": 4}, {"spec.mlPolicy.numNodes": 1}),
    *(
        Case("SIL-10", f"{job(0)}.name", base, {f"{job(0)}.name": "trainer"}, {})
        for base in (TORCH, JAX, XGBOOST, FLUX)
    ),
    *(
        Case(
            "SIL-11",
            f"{JOBSET}.network.subdomain",
            base,
            {f"{JOBSET}.network": {"subdomain": "team"}},
            {f"{JOBSET}.network": {"publishNotReadyAddresses": False}},
        )
        for base in (TORCH, JAX, XGBOOST, FLUX)
    ),
    *(
        Case(
            "SIL-11",
            f"{JOBSET}.network.enableDNSHostnames",
            base,
            {f"{JOBSET}.network": {"enableDNSHostnames": False}},
            {f"{JOBSET}.network": {"enableDNSHostnames": True}},
        )
        for base in (TORCH, MPI)
    ),
    *(
        warns(
            "SIL-12",
            f"{PORTS}[0]",
            base,
            {PORTS: [{"containerPort": 8080}]},
            {PORTS: [{"containerPort": 8080, "name": "metrics"}]},
        )
        for base in (TORCH, JAX, XGBOOST)
    ),
    warns(
        "SIL-12",
        f"{PORTS}[1]",
        TORCH,
        {PORTS: [{"containerPort": 9000, "name": "a"}, {"containerPort": 8080}]},
        {PORTS: [{"containerPort": 29500}]},
    ),
    Case(
        "SIL-12",
        f"{PROBE}.tcpSocket.port",
        TORCH,
        {**NAMED, PROBE: {"tcpSocket": {"port": "rdzv"}}},
        {**NAMED, PROBE: {"tcpSocket": {"port": 29500}}},
    ),
    Case(
        "SIL-12",
        f"{PROBE}.httpGet.port",
        JAX,
        {**NAMED, PROBE: {"httpGet": {"port": "rdzv"}}},
        NAMED,
    ),
    warns(
        "SIL-13",
        f"{ENV}[0]",
        TORCH,
        {ENV: [{"name": "PET_NNODES", "value": "3"}]},
        {ENV: [{"name": "PET_X", "value": "3"}]},
    ),
    warns("SIL-13", f"{ENV}[0]", JAX, {ENV: [{"name": "JAX_PROCESS_ID", "value": "0"}]}, {}),
    warns("SIL-13", f"{ENV}[0]", XGBOOST, {ENV: [{"name": "DMLC_TASK_ID", "value": "0"}]}, {}),
    warns(
        "SIL-13",
        f"{container(1)}.env[0]",
        MPI,
        {f"{container(1)}.env": [{"name": "OMPI_MCA_plm_rsh_args", "value": "-v"}]},
        {ENV: [{"name": "OMPI_MCA_plm_rsh_args", "value": "-v"}]},
    ),
    warns(
        "SIL-13",
        f"{container(0)}.env[0]",
        HELPED,
        {
            TARGET: [{"jobName": "helper", "containerNames": ["helper"]}],
            ENV: [{"name": "PET_MASTER_ADDR", "value": "me"}],
        },
        {ENV: [{"name": "PET_MASTER_ADDR", "value": "me"}]},
    ),
    *(
        warns(
            "SIL-22",
            f"{RESOURCES}.limits[{name}]",
            base,
            {RESOURCES: {"limits": {name: "1", "cpu": "4"}}},
            {RESOURCES: {"limits": {"nvidia.com/gpu": "1", name: "1", "cpu": "4"}}},
        )
        for base, name in (
            (TORCH, "nvidia.com/mig-1g.10gb"),
            (XGBOOST, "google.com/tpu"),
            (TORCH, "huawei.com/Ascend910B4"),
            (TORCH, "aws.amazon.com/neurondevice"),
        )
    ),
    warns(
        "SIL-22",
        f"{RESOURCES}.limits[nvidia.com/mig-1g.10gb]",
        MPI,
        {RESOURCES: {"limits": {"nvidia.com/mig-1g.10gb": "2"}}},
        {RESOURCES: {"limits": {"nvidia.com/mig-1g.10gb": "2"}}, "spec.mlPolicy.mpi.numProcPerNode": 2},
    ),
    Case(
        "SIL-35",
        RESOURCES,
        XGBOOST,
        {RESOURCES: {"limits": TWO_GPUS}},
        {RESOURCES: {"limits": {"amd.com/gpu": "2", "nvidia.com/gpu": "2"}}},
    ),
    Case(
        "SIL-35",
        RESOURCES,
        MPI,
        {RESOURCES: {"limits": TWO_GPUS, "requests": TWO_GPUS}},
        {RESOURCES: {"limits": TWO_GPUS}, "spec.mlPolicy.mpi.numProcPerNode": 2},
    ),
    Case(
        "SIL-35",
        RESOURCES,
        MPI,
        {RESOURCES: {"limits": TWO_GPUS}},
        {RESOURCES: {"limits": {"nvidia.com/gpu": "2"}}},
    ),
    *(
        warns(
            "SIL-12",
            f"{container(0)}.volumeMounts[0].mountPath",
            FLUX,
            {**OWN, f"{container(0)}.volumeMounts": [{"name": "own", "mountPath": folder}]},
            {**OWN, f"{container(0)}.volumeMounts": [{"name": "own", "mountPath": f"{folder}/own"}]},
        )
        for folder in ("/dev/shm", "/mnt/flux", "/opt/software", "/curve")  # noqa: S108 - paths of mounts
    ),
    warns(
        "SIL-12",
        f"{pod(0)}.volumes[0]",
        FLUX,
        {f"{pod(0)}.volumes": [{"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}]},
        {f"{container(0)}.volumeMounts": [{"name": "shared-memory", "mountPath": "/own"}]},
    ),
    Case(
        "SIL-12",
        f"{PORTS}[0]",
        JAX,
        {PORTS: [{"containerPort": 80, "hostPort": 80}]},
        {PORTS: [{"containerPort": 80, "hostPort": 80}], "spec.mlPolicy.jax": None},
    ),
    Case(
        "TJC-35",
        f"{init(0)}.name",
        FLUX,
        {f"{pod(0)}.initContainers": [a_container("flux-installer")]},
        {f"{pod(0)}.containers[1]": a_container("flux-installer")},
    ),
    warns(
        "SIL-22",
        f"{RESOURCES}.limits[huawei.com/Ascend910]",
        TORCH,
        {RESOURCES: {"limits": ASCEND, "requests": ASCEND}},
        {RESOURCES: {"limits": {"cpu": "8", "huawei.com/Ascend910-memory": "8"}}},
    ),
]

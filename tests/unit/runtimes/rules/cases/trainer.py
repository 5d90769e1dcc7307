"""What Trainer's webhook and plugins make of a runtime."""

from ..samples import (
    ANCESTOR,
    FLUX,
    FRAMEWORK,
    HELPED,
    JAX,
    JOBSET,
    MPI,
    PLAIN,
    TORCH,
    TUNE,
    XGBOOST,
    Case,
    a_container,
    a_job,
    container,
    init,
    job,
    pod,
    spec,
    warns,
)

LABELS = f"{job(0)}.template.metadata.labels"
POD_LABELS = f"{spec(0)}.template.metadata.labels"
SUPPORT = "trainer.kubeflow.org/support"
VALIDATION = "trainer.kubeflow.org/webhook-validation"
QUEUE = "scheduling.volcano.sh/queue-name"
TORCH_LABEL = {FRAMEWORK: "torch"}

WEBHOOK = [
    Case("WHR-01", f"{job(0)}.replicas", TORCH, {f"{job(0)}.replicas": 2}, {f"{job(0)}.replicas": 1}),
    Case("WHR-01", f"{job(0)}.replicas", TUNE, {f"{job(0)}.replicas": 0}, {f"{job(0)}.replicas": 1}),
    Case(
        "WHR-02",
        f"{pod(0)}.containers",
        TORCH,
        {f"{container(0)}.name": "trainer"},
        {f"{pod(0)}.containers[1]": a_container("trainer")},
    ),
    Case(
        "WHR-02",
        f"{pod(1)}.containers",
        TUNE,
        {f"{container(1)}.name": "model"},
        {f"{container(1)}.name": "model-initializer"},
    ),
    warns(
        "WHR-03",
        f"metadata.labels[{SUPPORT}]",
        TORCH,
        {"metadata.labels": {**TORCH_LABEL, SUPPORT: "deprecated"}},
        {"metadata.labels": {**TORCH_LABEL, SUPPORT: "full"}},
    ),
    warns(
        "WHR-04",
        f"metadata.labels[{VALIDATION}]",
        TORCH,
        {"metadata.labels": {**TORCH_LABEL, VALIDATION: "disabled"}, f"{job(0)}.replicas": 2},
        {"metadata.labels": {**TORCH_LABEL, VALIDATION: "enabled"}},
    ),
]

_POLICIES = f"{JOBSET}.volumeClaimPolicies"
_NO_CLAIM = {_POLICIES: None, f"{container(1)}.volumeMounts": None, f"{container(2)}.volumeMounts": None}
_UNLABELLED = {f"{job(0)}.template.metadata": None}

INITIALIZERS = [
    warns(
        "TJC-14",
        f"{job(0)}.name",
        TUNE,
        {f"{job(0)}.name": "dataset", f"{job(2)}.dependsOn[0].name": "dataset"},
        {},
    ),
    warns(
        "TJC-15",
        f"{pod(0)}.containers",
        TUNE,
        {**_UNLABELLED, f"{container(0)}.name": "dataset"},
        {},
    ),
    warns("TJC-16", f"{container(0)}.volumeMounts", TUNE, {f"{container(0)}.volumeMounts": None}, {}),
    warns(
        "TJC-17",
        f"{job(1)}.name",
        TUNE,
        {f"{job(1)}.name": "model", f"{job(2)}.dependsOn[1].name": "model"},
        {},
    ),
    warns(
        "TJC-17",
        f"{pod(1)}.containers",
        TUNE,
        {f"{job(1)}.template.metadata": None, f"{container(1)}.name": "model"},
        {},
    ),
    warns("TJC-17", f"{container(1)}.volumeMounts", TUNE, {f"{container(1)}.volumeMounts": []}, {}),
    warns("SIL-28", f"{job(0)}.template.metadata.labels", TUNE, _UNLABELLED, {}),
    warns(
        "SIL-28",
        f"{job(1)}.template.metadata.labels",
        TUNE,
        {f"{job(1)}.template.metadata.labels": {"team": "vision"}},
        {f"{job(1)}.template.metadata.labels": {ANCESTOR: "model-initializer", "team": "vision"}},
    ),
    warns(
        "SIL-29",
        f"{job(2)}.dependsOn",
        TUNE,
        {f"{job(2)}.dependsOn": [{"name": "model-initializer", "status": "Complete"}]},
        {
            f"{job(1)}.dependsOn": [{"name": "dataset-initializer", "status": "Complete"}],
            f"{job(2)}.dependsOn": [{"name": "model-initializer", "status": "Complete"}],
        },
    ),
    warns(
        "SIL-29",
        f"{job(2)}.dependsOn",
        TUNE,
        {f"{job(2)}.dependsOn[0].status": "Ready"},
        {f"{job(2)}.dependsOn[0].status": "Complete"},
    ),
]

_COMMAND = f"{container(2)}.command"
TORCHTUNE = [
    warns(
        "TJC-28", "metadata.name", TUNE, {"metadata.name": "torchtune-gemma3-4b"}, {"metadata.name": "our-qwen2.5-1.5b"}
    ),
    warns("TJC-28", "metadata.name", TUNE, {"metadata.name": "torchtune-llama3.2-1b-lab"}, {}),
    warns("SIL-30", _COMMAND, TUNE, {_COMMAND: ["tune", "run", "output_dir=/o"]}, {}),
    warns(
        "SDK-08",
        f"metadata.labels[{FRAMEWORK}]",
        TUNE,
        {"metadata.labels": {FRAMEWORK: "torch"}},
        {"metadata.labels": {FRAMEWORK: "torch"}, _COMMAND: ["python"]},
    ),
    warns("SDK-08", f"metadata.labels[{FRAMEWORK}]", TUNE, {"spec.mlPolicy.torch": None}, {}),
]

_TARGET = "spec.mlPolicy.torch.envInjection.targets"
_PORTS = f"{container(0)}.ports"
_ENV = f"{container(0)}.env"
_RESOURCES = f"{container(0)}.resources"
_NAMED = {_PORTS: [{"name": "rdzv", "containerPort": 29500}]}
_PROBE = f"{container(0)}.readinessProbe"
_TWO_GPUS = {"aliyun.com/gpu-mem": "40", "nvidia.com/gpu": "2"}

FRAMEWORKS = [
    Case(
        "TJC-26",
        f"{_TARGET}[0].containerNames[0]",
        TORCH,
        {_TARGET: [{"jobName": "node", "containerNames": ["watcher"]}]},
        {
            _TARGET: [{"jobName": "node", "containerNames": ["watcher"]}],
            f"{pod(0)}.initContainers": [a_container("watcher")],
        },
    ),
    Case(
        "TJC-26",
        f"{_TARGET}[0].jobName",
        HELPED,
        {_TARGET: [{"jobName": "helpers", "containerNames": ["helper"]}]},
        {_TARGET: [{"jobName": "helper", "containerNames": ["helper"]}]},
    ),
    Case(
        "TJC-35",
        f"{init(0)}.name",
        FLUX,
        {f"{pod(0)}.initContainers": [a_container("flux-installer")]},
        {f"{pod(0)}.initContainers": [a_container("installer")]},
    ),
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
        Case(
            "SIL-12",
            f"{_PORTS}[0]",
            base,
            {_PORTS: [{"containerPort": 8080}]},
            {_PORTS: [{"containerPort": 8080, "name": "metrics"}]},
        )
        for base in (TORCH, JAX, XGBOOST)
    ),
    Case(
        "SIL-12",
        f"{_PORTS}[1]",
        TORCH,
        {_PORTS: [{"containerPort": 9000, "name": "a"}, {"containerPort": 8080}]},
        {_PORTS: [{"containerPort": 29500}]},
    ),
    Case(
        "SIL-12",
        f"{_PROBE}.tcpSocket.port",
        TORCH,
        {**_NAMED, _PROBE: {"tcpSocket": {"port": "rdzv"}}},
        {**_NAMED, _PROBE: {"tcpSocket": {"port": 29500}}},
    ),
    Case(
        "SIL-12",
        f"{_PROBE}.httpGet.port",
        JAX,
        {**_NAMED, _PROBE: {"httpGet": {"port": "rdzv"}}},
        _NAMED,
    ),
    warns(
        "SIL-13",
        f"{_ENV}[0]",
        TORCH,
        {_ENV: [{"name": "PET_NNODES", "value": "3"}]},
        {_ENV: [{"name": "PET_X", "value": "3"}]},
    ),
    warns("SIL-13", f"{_ENV}[0]", JAX, {_ENV: [{"name": "JAX_PROCESS_ID", "value": "0"}]}, {}),
    warns("SIL-13", f"{_ENV}[0]", XGBOOST, {_ENV: [{"name": "DMLC_TASK_ID", "value": "0"}]}, {}),
    warns(
        "SIL-13",
        f"{container(1)}.env[0]",
        MPI,
        {f"{container(1)}.env": [{"name": "OMPI_MCA_plm_rsh_args", "value": "-v"}]},
        {_ENV: [{"name": "OMPI_MCA_plm_rsh_args", "value": "-v"}]},
    ),
    warns(
        "SIL-13",
        f"{container(0)}.env[0]",
        HELPED,
        {
            _TARGET: [{"jobName": "helper", "containerNames": ["helper"]}],
            _ENV: [{"name": "PET_MASTER_ADDR", "value": "me"}],
        },
        {_ENV: [{"name": "PET_MASTER_ADDR", "value": "me"}]},
    ),
    *(
        warns(
            "SIL-22",
            f"{_RESOURCES}.limits[{name}]",
            base,
            {_RESOURCES: {"limits": {name: "1", "cpu": "4"}}},
            {_RESOURCES: {"limits": {"nvidia.com/gpu": "1", name: "1", "cpu": "4"}}},
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
        f"{_RESOURCES}.limits[nvidia.com/mig-1g.10gb]",
        MPI,
        {_RESOURCES: {"limits": {"nvidia.com/mig-1g.10gb": "2"}}},
        {_RESOURCES: {"limits": {"nvidia.com/mig-1g.10gb": "2"}}, "spec.mlPolicy.mpi.numProcPerNode": 2},
    ),
    Case(
        "SIL-35",
        f"{_RESOURCES}.limits",
        XGBOOST,
        {_RESOURCES: {"limits": _TWO_GPUS}},
        {_RESOURCES: {"limits": {"amd.com/gpu": "2", "nvidia.com/gpu": "2"}}},
    ),
    Case(
        "SIL-35",
        f"{_RESOURCES}.requests",
        MPI,
        {_RESOURCES: {"limits": _TWO_GPUS, "requests": _TWO_GPUS}},
        {_RESOURCES: {"limits": _TWO_GPUS}, "spec.mlPolicy.mpi.numProcPerNode": 2},
    ),
    Case(
        "SIL-35",
        f"{_RESOURCES}.limits",
        MPI,
        {_RESOURCES: {"limits": _TWO_GPUS}},
        {_RESOURCES: {"limits": {"nvidia.com/gpu": "2"}}},
    ),
]

_HELPER_COUNTS = f"{spec(0)}.completions"
_NODE_COUNTS = f"{spec(1)}.completions"
_FAR = {f"{POD_LABELS}": {ANCESTOR: "trainer"}, f"{job(0)}.template.metadata": None}

LABELLED = [
    Case(
        "SIL-15",
        LABELS,
        TORCH,
        {f"{job(0)}.template.metadata": None},
        {LABELS: {ANCESTOR: "trainer", "team": "vision"}},
    ),
    Case(
        "SIL-15",
        LABELS,
        TORCH,
        {f"{job(0)}.template.metadata": None, f"{container(0)}.command": ["python", "train.py"]},
        {f"{container(0)}.command": ["python", "train.py"]},
    ),
    Case(
        "SIL-15",
        f"{job(1)}.template.metadata.labels",
        MPI,
        {f"{job(1)}.template.metadata": None},
        {},
    ),
    Case(
        "SIL-16",
        f"{job(1)}.template.metadata.labels[{ANCESTOR}]",
        TORCH,
        {f"{JOBSET}.replicatedJobs[1]": a_job("more", a_container(), step="trainer")},
        {f"{JOBSET}.replicatedJobs[1]": a_job("more", a_container())},
    ),
    Case(
        "SIL-17",
        f"{LABELS}[trainer.kubeflow.org/trainjob-ancestor]",
        TORCH,
        {LABELS: {"trainer.kubeflow.org/trainjob-ancestor": "trainer"}},
        {LABELS: {"trainer.kubeflow.org/team": "vision", ANCESTOR: "trainer"}},
    ),
    Case("SIL-17", f"{LABELS}[{ANCESTOR}]", PLAIN, {LABELS: {ANCESTOR: "trainr"}}, {LABELS: {ANCESTOR: "trainer"}}),
    Case("SIL-17", f"{POD_LABELS}[{ANCESTOR}]", TORCH, _FAR, {POD_LABELS: {ANCESTOR: "trainer"}}),
    Case(
        "SIL-17",
        f"{POD_LABELS}[trainer.kubeflow.org/trainjob-ancester-step]",
        TORCH,
        {
            f"{job(0)}.template.metadata": None,
            POD_LABELS: {"trainer.kubeflow.org/trainjob-ancester-step": "trainer"},
        },
        {POD_LABELS: {"team": "vision"}},
    ),
    Case(
        "SIL-17",
        f"spec.template.metadata.labels[{ANCESTOR}]",
        TORCH,
        {f"{job(0)}.template.metadata": None, "spec.template.metadata.labels": {ANCESTOR: "trainer"}},
        {"spec.template.metadata.labels": {"team": "vision"}},
    ),
    warns(
        "SIL-17",
        f"{job(0)}.template.metadata.labels[{ANCESTOR}]",
        HELPED,
        {f"{job(0)}.template.metadata.labels": {ANCESTOR: "evaluator"}},
        {f"{job(0)}.template.metadata.labels": {"step": "evaluator"}},
    ),
]

COUNTED = [
    Case("SIL-14", _HELPER_COUNTS, HELPED, {_HELPER_COUNTS: 6}, {_HELPER_COUNTS: 6, f"{spec(0)}.parallelism": 6}),
    Case("SIL-14", _NODE_COUNTS, HELPED, {_NODE_COUNTS: 4}, {"spec.mlPolicy.numNodes": 4}),
    warns("SIL-14", _NODE_COUNTS, HELPED, {_NODE_COUNTS: 1}, {}),
    warns(
        "SIL-14",
        f"{spec(1)}.parallelism",
        HELPED,
        {f"{spec(1)}.parallelism": 2},
        {f"{spec(1)}.parallelism": 2, "spec.mlPolicy.numNodes": 2},
    ),
    Case("SIL-14", f"{spec(0)}.parallelism", HELPED, {f"{spec(0)}.parallelism": 0}, {f"{spec(0)}.parallelism": 1}),
    Case("SIL-19", "spec.mlPolicy.numNodes", TORCH, {"spec.mlPolicy.numNodes": 0}, {"spec.mlPolicy.numNodes": 1}),
    *(
        Case(
            "SIL-27",
            f"{spec(0)}.completionMode",
            base,
            {f"{spec(0)}.completionMode": "NonIndexed"},
            {f"{spec(0)}.completionMode": "Indexed"},
        )
        for base in (TORCH, JAX, XGBOOST, FLUX, MPI)
    ),
    Case(
        "SIL-27",
        f"{spec(1)}.completionMode",
        MPI,
        {f"{spec(1)}.completionMode": "NonIndexed"},
        {},
    ),
    warns(
        "REC-03",
        "spec.podGroupPolicy",
        TORCH,
        {"spec.podGroupPolicy": {"coscheduling": {}, "volcano": {}}},
        {"spec.podGroupPolicy": {"volcano": {}}},
    ),
    Case(
        "REC-05",
        "spec",
        TORCH,
        {_ENV: [{"name": f"V{i}", "value": "x" * 90_000} for i in range(12)]},
        {_ENV: [{"name": f"V{i}", "value": "x" * 90_000} for i in range(11)]},
    ),
    Case(
        "REC-07",
        f"{_PORTS}[1]",
        TORCH,
        {_PORTS: [{"containerPort": 8000}, {"containerPort": 9000}]},
        {_PORTS: [{"containerPort": 8000, "name": "a"}, {"containerPort": 9000, "name": "b"}]},
    ),
    Case(
        "REC-07",
        f"{_PORTS}[1].containerPort",
        HELPED,
        {_PORTS: [{"containerPort": 53, "name": "a"}, {"containerPort": 53, "protocol": "UDP", "name": "b"}]},
        {_PORTS: [{"containerPort": 53, "name": "a"}, {"containerPort": 54, "protocol": "UDP", "name": "b"}]},
    ),
    Case(
        "REC-07",
        f"{init(1)}.ports[1]",
        HELPED,
        {
            f"{pod(1)}.initContainers": [
                a_container("init", ports=[{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}])
            ]
        },
        {f"{pod(1)}.initContainers": [a_container("init", ports=[{"containerPort": 53}])]},
    ),
    Case(
        "TJC-36",
        f"spec.template.metadata.annotations[{QUEUE}]",
        TORCH,
        {"spec.podGroupPolicy.volcano": {}, "spec.template.metadata.annotations": {QUEUE: ""}},
        {"spec.podGroupPolicy.volcano": {}, "spec.template.metadata.annotations": {QUEUE: "training"}},
    ),
    Case(
        "TJC-36",
        f"spec.template.metadata.annotations[{QUEUE}]",
        TORCH,
        {"spec.podGroupPolicy.volcano": {}, "spec.template.metadata.annotations": {QUEUE: ""}},
        {"spec.template.metadata.annotations": {QUEUE: ""}},
    ),
]

CASES = [*WEBHOOK, *INITIALIZERS, *TORCHTUNE, *FRAMEWORKS, *LABELLED, *COUNTED]

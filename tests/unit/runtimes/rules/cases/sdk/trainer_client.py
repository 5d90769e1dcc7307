"""What the Python SDK needs."""

from tests.unit.runtimes.rules.samples import (
    FRAMEWORK,
    HELPED,
    MPI,
    PLAIN,
    TORCH,
    Case,
    changed,
    container,
    job,
    pod,
    spec,
    warns,
)

LIMITS = f"{container(0)}.resources.limits"
BENCHMARK = changed(MPI, {f"{container(1)}.command": ["mpirun", "benchmark"]})
TOLERATIONS = f"{pod(0)}.tolerations"

SLICES = {"nvidia.com/mig-1g.10gb": "1", "nvidia.com/mig-2g.20gb": "1"}

CASES = [
    warns(
        "SDK-01",
        f"metadata.labels[{FRAMEWORK}]",
        TORCH,
        {"metadata.labels": None},
        {"metadata.labels": {FRAMEWORK: "torch"}},
    ),
    warns("SDK-02", "spec.mlPolicy", PLAIN, {"spec.mlPolicy": None}, {"spec.mlPolicy": {}}),
    warns(
        "SDK-03",
        f"{job(1)}.template.metadata.labels",
        BENCHMARK,
        {f"{job(1)}.template.metadata": None},
        {},
    ),
    warns(
        "SDK-03",
        f"{job(0)}.template.metadata.labels",
        PLAIN,
        {f"{job(0)}.template.metadata": None, f"{container(0)}.command": ["train"]},
        {f"{container(0)}.command": ["train"]},
    ),
    Case("SDK-04", f"{container(0)}.image", TORCH, {f"{container(0)}.image": None}, {}),
    Case("SDK-04", f"{container(1)}.image", MPI, {f"{container(1)}.image": ""}, {}),
    warns("SDK-05", LIMITS, TORCH, {LIMITS: {"memory": "8Gi"}}, {LIMITS: {"memory": "8Gi", "cpu": "4"}}),
    warns("SDK-05", LIMITS, TORCH, {LIMITS: {"amd.com/gpu": "8"}}, {LIMITS: {"nvidia.com/gpu": "8"}}),
    warns("SDK-05", LIMITS, TORCH, {LIMITS: {}}, {f"{container(0)}.resources": {"requests": {"memory": "8Gi"}}}),
    warns(
        "SDK-06",
        LIMITS,
        PLAIN,
        {LIMITS: {"nvidia.com/mig-1g.10gb": "1", "nvidia.com/mig-2g.20gb": "1"}},
        {LIMITS: {"nvidia.com/mig-1g.10gb": "2"}},
    ),
    warns("SDK-09", f"metadata.labels[{FRAMEWORK}]", TORCH, {"spec.mlPolicy.torch": None}, {"spec.mlPolicy.torch": {}}),
    warns(
        "SDK-09",
        f"metadata.labels[{FRAMEWORK}]",
        TORCH,
        {"metadata.labels": {FRAMEWORK: "mlx"}},
        {"metadata.labels": {FRAMEWORK: "deepspeed"}},
    ),
    warns("SDK-10", f"{job(0)}.name", PLAIN, {f"{job(0)}.name": "train"}, {f"{job(0)}.name": "launcher"}),
    warns(
        "SDK-12",
        f"{spec(0)}.completionMode",
        PLAIN,
        {f"{spec(0)}.completionMode": "NonIndexed"},
        {f"{spec(0)}.completionMode": "Indexed"},
    ),
    warns(
        "SDK-12",
        f"{spec(1)}.completionMode",
        changed(MPI, {"spec.mlPolicy.mpi.runLauncherAsNode": False}),
        {f"{spec(1)}.completionMode": "NonIndexed"},
        {},
    ),
    *(
        warns("SDK-15", f"{place}.{name}", TORCH, {f"{place}.{name}": ""}, {f"{place}.{name}": value})
        for place, name, value in (
            (pod(0), "dnsPolicy", "Default"),
            (pod(0), "restartPolicy", "Never"),
            (container(0), "imagePullPolicy", "Always"),
            (container(0), "terminationMessagePolicy", "File"),
        )
    ),
    warns(
        "SDK-15",
        f"{TOLERATIONS}[0].effect",
        TORCH,
        {TOLERATIONS: [{"key": "a", "effect": ""}]},
        {TOLERATIONS: [{"key": "a", "value": ""}]},
    ),
    warns("SDK-15", f"{TOLERATIONS}[0].operator", TORCH, {TOLERATIONS: [{"key": "a", "operator": ""}]}, {}),
    warns(
        "SDK-15",
        f"{container(0)}.ports[0].protocol",
        HELPED,
        {f"{container(0)}.ports": [{"containerPort": 1, "protocol": ""}]},
        {f"{container(0)}.ports": [{"containerPort": 1, "protocol": "TCP"}]},
    ),
    warns(
        "SDK-15",
        f"{container(0)}.readinessProbe.httpGet.scheme",
        TORCH,
        {f"{container(0)}.readinessProbe": {"httpGet": {"port": 1, "scheme": ""}}},
        {f"{container(0)}.readinessProbe": {"httpGet": {"port": 1, "scheme": "HTTPS"}}},
    ),
    warns("SDK-06", LIMITS, PLAIN, {LIMITS: SLICES}, {LIMITS: {**SLICES, "nvidia.com/gpu": "1"}}),
]

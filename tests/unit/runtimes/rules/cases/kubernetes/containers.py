"""What Kubernetes refuses in containers: names, images, ports, restarts."""

from typing import Any

from tests.unit.runtimes.rules.samples import HELPED, PLAIN, TORCH, Case, a_container, changed, container, init, pod

MAIN = container(0)
RESTARTED = [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]
PORTS = f"{MAIN}.ports"
INITS = f"{pod(0)}.initContainers"


ENDS = changed(TORCH, {INITS: [a_container("side")]})
PORT = {"name": "p", "containerPort": 80}


def port(**fields: Any) -> dict[str, Any]:
    return {PORTS: [{**PORT, **fields}]}


BESIDE = {f"{pod(0)}.containers[1]": a_container("side", ports=[{"name": "b", "containerPort": 80}])}

CASES = [
    Case("K8S-01", f"{init(0)}.image", ENDS, {f"{init(0)}.image": ""}, {}),
    Case(
        "K8S-01", f"{MAIN}.image", TORCH, {f"{MAIN}.image": " example.com/a:1"}, {f"{MAIN}.image": "example.com:5000/a"}
    ),
    Case("K8S-02", f"{MAIN}.name", HELPED, {f"{MAIN}.name": "Side_Car"}, {f"{MAIN}.name": "1-side-car"}),
    Case("K8S-02", f"{MAIN}.name", HELPED, {f"{MAIN}.name": "s" * 64}, {f"{MAIN}.name": "s" * 63}),
    Case("K8S-04", f"{init(0)}.name", ENDS, {f"{init(0)}.name": "node"}, {}),
    Case("K8S-18", f"{PORTS}[0].containerPort", TORCH, port(containerPort=70000), port(containerPort=65535)),
    Case("K8S-18", f"{PORTS}[0].containerPort", TORCH, port(containerPort=0), port(containerPort=1)),
    Case("K8S-18", f"{PORTS}[0].hostPort", TORCH, port(hostPort=65536), port(hostPort=0)),
    *(
        Case("K8S-18", f"{PORTS}[0].name", TORCH, port(name=bad), port(name=good))
        for bad, good in (
            ("distributed-metrics", "metrics"),
            ("Http", "http"),
            ("80", "p80"),
            ("a--b", "a-b"),
            ("-a", "a-1"),
        )
    ),
    Case("K8S-18", f"{PORTS}[1].name", TORCH, {PORTS: [PORT, {**PORT, "containerPort": 81}]}, port()),
    Case("K8S-18", f"{PORTS}[0].protocol", TORCH, port(protocol="tcp"), port(protocol="SCTP")),
    Case(
        "K8S-22",
        f"{PORTS}[0].hostPort",
        PLAIN,
        {**port(hostPort=81), f"{pod(0)}.hostNetwork": True},
        {**port(hostPort=80), f"{pod(0)}.hostNetwork": True},
    ),
    Case(
        "K8S-22",
        f"{PORTS}[1].hostPort",
        TORCH,
        {PORTS: [{**PORT, "hostPort": 90}, {"name": "q", "containerPort": 81, "hostPort": 90}]},
        {PORTS: [{**PORT, "hostPort": 90}, {"name": "q", "containerPort": 81, "hostPort": 90, "protocol": "UDP"}]},
    ),
    Case(
        "K8S-22",
        f"{MAIN}.imagePullPolicy",
        TORCH,
        {f"{MAIN}.imagePullPolicy": "always"},
        {f"{MAIN}.imagePullPolicy": "Always"},
    ),
    Case(
        "K8S-22",
        f"{MAIN}.terminationMessagePolicy",
        TORCH,
        {f"{MAIN}.terminationMessagePolicy": "Logs"},
        {f"{MAIN}.terminationMessagePolicy": "FallbackToLogsOnError"},
    ),
    Case(
        "K8S-22",
        f"{init(0)}.restartPolicy",
        ENDS,
        {f"{init(0)}.restartPolicy": "always"},
        {f"{init(0)}.restartPolicy": "Always"},
    ),
    *(
        Case(
            "K8S-22",
            f"{MAIN}.{path}",
            TORCH,
            {f"{MAIN}.restartPolicy": policy, f"{MAIN}.restartPolicyRules": bad},
            {
                f"{MAIN}.restartPolicy": "Never",
                f"{MAIN}.restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}],
            },
        )
        for path, policy, bad in (
            (
                "restartPolicyRules[0].action",
                "Never",
                [{"action": "Stop", "exitCodes": {"operator": "In", "values": [1]}}],
            ),
            ("restartPolicyRules[0].exitCodes", "Never", [{"action": "Restart"}]),
            ("restartPolicyRules[0].exitCodes", "Never", [{"action": "Restart", "exitCodes": {"operator": "Is"}}]),
            (
                "restartPolicyRules",
                "Never",
                [{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}] * 21,
            ),
        )
    ),
    Case(
        "K8S-22",
        f"{MAIN}.restartPolicy",
        TORCH,
        {f"{MAIN}.restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}]},
        {},
    ),
    Case(
        "K8S-22",
        f"{PORTS}[0].hostPort",
        PLAIN,
        {**port(hostPort=81), f"{pod(0)}.hostNetwork": True},
        {
            INITS: [a_container("init", ports=[{"name": "a", "containerPort": 80, "hostPort": 81}])],
            f"{pod(0)}.hostNetwork": True,
        },
    ),
    Case("K8S-18", f"{PORTS}[0].hostPort", TORCH, port(hostPort=65536), port(hostPort=65535)),
    Case(
        "K8S-22",
        f"{INITS}[0].resizePolicy[0].restartPolicy",
        TORCH,
        {INITS: [a_container("init", resizePolicy=RESTARTED)]},
        {INITS: [a_container("init", resizePolicy=RESTARTED, restartPolicy="Always")]},
    ),
    Case(
        "K8S-22",
        f"{container(0, 1)}.ports[0].hostPort",
        HELPED,
        {**port(), **BESIDE, f"{pod(0)}.hostNetwork": True, f"{pod(0)}.dnsPolicy": "ClusterFirstWithHostNet"},
        {**port(), **BESIDE},
    ),
]


RESIZE = f"{MAIN}.resizePolicy"


CASES += [
    Case("K8S-22", f"{RESIZE}[0].{path}", TORCH, {RESIZE: [{**policy, **bad}], **more}, {RESIZE: [policy], **more})
    for policy in [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]
    for path, bad, more in (
        ("resourceName", {"resourceName": "nvidia.com/gpu"}, {}),
        ("restartPolicy", {"restartPolicy": "Restart"}, {}),
        ("restartPolicy", {"restartPolicy": "RestartContainer"}, {f"{pod(0)}.restartPolicy": "Never"}),
    )
]


CASES.append(
    Case(
        "K8S-22",
        f"{RESIZE}[1].resourceName",
        TORCH,
        {RESIZE: [{"resourceName": "cpu", "restartPolicy": "NotRequired"}] * 2},
        {RESIZE: [{"resourceName": name, "restartPolicy": "RestartContainer"} for name in ("cpu", "memory")]},
    )
)

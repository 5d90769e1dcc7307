"""What Kubernetes refuses in probes and lifecycle hooks."""

from typing import Any

from tests.unit.runtimes.rules.samples import TORCH, Case, a_container, changed, container, init, pod

MAIN = container(0)
PORTS = f"{MAIN}.ports"
INITS = f"{pod(0)}.initContainers"
STAYS = changed(TORCH, {INITS: [a_container("side", restartPolicy="Always")]})
ENDS = changed(TORCH, {INITS: [a_container("side")]})
PORT = {"name": "p", "containerPort": 80}


def port(**fields: Any) -> dict[str, Any]:
    return {PORTS: [{**PORT, **fields}]}


PROBE = f"{MAIN}.livenessProbe"
READY = f"{MAIN}.readinessProbe"
TCP = {"tcpSocket": {"port": 80}}


def probing(**fields: Any) -> dict[str, Any]:
    return {PROBE: {**TCP, **fields}}


CASES = [
    Case("K8S-19", READY, TORCH, {READY: {"initialDelaySeconds": 5}}, {READY: TCP}),
    Case("K8S-19", PROBE, TORCH, probing(exec={"command": ["true"]}), probing()),
    *(
        Case("K8S-19", f"{PROBE}.{name}", TORCH, probing(**{name: -1}), probing(**{name: 1}))
        for name in ("initialDelaySeconds", "periodSeconds", "timeoutSeconds", "successThreshold", "failureThreshold")
    ),
    Case(
        "K8S-19",
        f"{PROBE}.successThreshold",
        TORCH,
        probing(successThreshold=2),
        {READY: {**TCP, "successThreshold": 2}},
    ),
    Case(
        "K8S-19",
        f"{READY}.terminationGracePeriodSeconds",
        TORCH,
        {READY: {**TCP, "terminationGracePeriodSeconds": 10}},
        probing(terminationGracePeriodSeconds=10),
    ),
    Case(
        "K8S-19",
        f"{PROBE}.terminationGracePeriodSeconds",
        TORCH,
        probing(terminationGracePeriodSeconds=0),
        probing(terminationGracePeriodSeconds=1),
    ),
    *(
        Case("K8S-19", f"{PROBE}.{path}", TORCH, {PROBE: bad}, {PROBE: good})
        for path, bad, good in (
            ("exec.command", {"exec": {"command": []}}, {"exec": {"command": ["true"]}}),
            ("tcpSocket.port", {"tcpSocket": {"port": 0}}, {"tcpSocket": {"port": 1}}),
            ("tcpSocket.port", {"tcpSocket": {"port": "8080"}}, {"tcpSocket": {"port": "http"}}),
            ("grpc.port", {"grpc": {"port": 65536}}, {"grpc": {"port": 65535}}),
            ("httpGet.port", {"httpGet": {"port": "a--b"}}, {"httpGet": {"port": 80}}),
            (
                "httpGet.scheme",
                {"httpGet": {"port": 80, "scheme": "http"}},
                {"httpGet": {"port": 80, "scheme": "HTTPS"}},
            ),
            (
                "httpGet.httpHeaders[0].name",
                {"httpGet": {"port": 80, "httpHeaders": [{"name": "X Key", "value": ""}]}},
                {"httpGet": {"port": 80, "httpHeaders": [{"name": "X-Key", "value": ""}]}},
            ),
        )
    ),
    *(
        Case(
            "K8S-19",
            f"{init(0)}.{name}",
            ENDS,
            {f"{init(0)}.{name}": value},
            {f"{init(0)}.{name}": value, f"{init(0)}.restartPolicy": "Always"},
        )
        for name, value in (
            ("readinessProbe", TCP),
            ("livenessProbe", TCP),
            ("startupProbe", TCP),
            ("lifecycle", {"preStop": {"sleep": {"seconds": 5}}}),
        )
    ),
    Case("K8S-19", f"{init(0)}.startupProbe", STAYS, {f"{init(0)}.startupProbe": {}}, {f"{init(0)}.startupProbe": TCP}),
    *(
        Case("K8S-19", f"{MAIN}.lifecycle.{path}", TORCH, {f"{MAIN}.lifecycle": bad}, {f"{MAIN}.lifecycle": good})
        for path, bad, good in (
            ("postStart", {"postStart": {}}, {"postStart": {"exec": {"command": ["true"]}}}),
            ("preStop.sleep.seconds", {"preStop": {"sleep": {"seconds": 31}}}, {"preStop": {"sleep": {"seconds": 30}}}),
        )
    ),
    Case(
        "K8S-19",
        f"{MAIN}.lifecycle.preStop.sleep.seconds",
        TORCH,
        {f"{MAIN}.lifecycle": {"preStop": {"sleep": {"seconds": 5}}}, f"{pod(0)}.terminationGracePeriodSeconds": 0},
        {f"{MAIN}.lifecycle": {"preStop": {"sleep": {"seconds": 60}}}, f"{pod(0)}.terminationGracePeriodSeconds": 60},
    ),
]

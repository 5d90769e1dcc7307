"""What Kubernetes refuses in containers, their probes, environment and resources."""

from typing import Any

from ..samples import HELPED, MPI, TORCH, Case, a_container, changed, container, init, pod

MAIN = container(0)
PORTS = f"{MAIN}.ports"
INITS = f"{pod(0)}.initContainers"
STAYS = changed(TORCH, {INITS: [a_container("side", restartPolicy="Always")]})
ENDS = changed(TORCH, {INITS: [a_container("side")]})
PORT = {"name": "p", "containerPort": 80}


def port(**fields: Any) -> dict[str, Any]:
    return {PORTS: [{**PORT, **fields}]}


NAMES = [
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
        TORCH,
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
]

RESIZE = f"{MAIN}.resizePolicy"
NAMES += [
    Case("K8S-22", f"{RESIZE}[0].{path}", TORCH, {RESIZE: [{**policy, **bad}], **more}, {RESIZE: [policy], **more})
    for policy in [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]
    for path, bad, more in (
        ("resourceName", {"resourceName": "nvidia.com/gpu"}, {}),
        ("restartPolicy", {"restartPolicy": "Restart"}, {}),
        ("restartPolicy", {"restartPolicy": "RestartContainer"}, {f"{pod(0)}.restartPolicy": "Never"}),
    )
]
NAMES.append(
    Case(
        "K8S-22",
        f"{RESIZE}[1].resourceName",
        TORCH,
        {RESIZE: [{"resourceName": "cpu", "restartPolicy": "NotRequired"}] * 2},
        {RESIZE: [{"resourceName": name, "restartPolicy": "RestartContainer"} for name in ("cpu", "memory")]},
    )
)

PROBE = f"{MAIN}.livenessProbe"
READY = f"{MAIN}.readinessProbe"
TCP = {"tcpSocket": {"port": 80}}


def probing(**fields: Any) -> dict[str, Any]:
    return {PROBE: {**TCP, **fields}}


PROBES = [
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
            ("stopSignal", {"stopSignal": "SIGUSR1"}, {"preStop": {"tcpSocket": {"port": 1}}}),
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

PROBES += [
    Case(
        "K8S-19",
        f"{MAIN}.lifecycle.stopSignal",
        TORCH,
        {f"{MAIN}.lifecycle": {"stopSignal": bad}, f"{pod(0)}.os": {"name": system}},
        {f"{MAIN}.lifecycle": {"stopSignal": good}, f"{pod(0)}.os": {"name": system}},
    )
    for system, bad, good in (("linux", "SIGRTMIN+16", "SIGRTMIN+15"), ("windows", "SIGUSR1", "SIGTERM"))
]

ENV = f"{MAIN}.env"
FROM = f"{ENV}[0].valueFrom"
KEY = {"name": "conf", "key": "a"}
EMPTY_DIR = {f"{pod(0)}.volumes": [{"name": "files", "emptyDir": {}}]}


def var(source: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {ENV: [{"name": "A", "valueFrom": source, **fields}]}


ENVIRONMENT = [
    Case(
        "K8S-20",
        f"{ENV}[0].name",
        TORCH,
        {ENV: [{"name": "A=B", "value": "1"}]},
        {ENV: [{"name": "a.b-1 c", "value": "1"}]},
    ),
    Case("K8S-20", f"{ENV}[0].name", TORCH, {ENV: [{"name": "", "value": "1"}]}, {}),
    Case(
        "K8S-20",
        FROM,
        TORCH,
        var({"fieldRef": {"fieldPath": "metadata.name"}}, value="x"),
        var({"fieldRef": {"fieldPath": "metadata.name"}}, value=""),
    ),
    Case("K8S-20", FROM, TORCH, var({}), var({"secretKeyRef": KEY})),
    Case("K8S-20", FROM, TORCH, var({"secretKeyRef": KEY, "configMapKeyRef": KEY}), var({"configMapKeyRef": KEY})),
    *(
        Case("K8S-20", f"{FROM}.{path}", TORCH, var(bad), var(good))
        for path, bad, good in (
            (
                "fieldRef.fieldPath",
                {"fieldRef": {"fieldPath": "spec.nodename"}},
                {"fieldRef": {"fieldPath": "spec.nodeName"}},
            ),
            (
                "fieldRef.fieldPath",
                {"fieldRef": {"fieldPath": "metadata.labels"}},
                {"fieldRef": {"fieldPath": "metadata.labels['a/b']"}},
            ),
            (
                "fieldRef.fieldPath",
                {"fieldRef": {"fieldPath": "metadata.labels['a b']"}},
                {"fieldRef": {"fieldPath": "metadata.annotations['A']"}},
            ),
            (
                "fieldRef.apiVersion",
                {"fieldRef": {"fieldPath": "metadata.uid", "apiVersion": "v2"}},
                {"fieldRef": {"fieldPath": "metadata.uid", "apiVersion": "v1"}},
            ),
            (
                "resourceFieldRef.resource",
                {"resourceFieldRef": {"resource": "limits.gpu"}},
                {"resourceFieldRef": {"resource": "requests.hugepages-2Mi"}},
            ),
            (
                "resourceFieldRef.divisor",
                {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1Ki"}},
                {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}},
            ),
            (
                "resourceFieldRef.divisor",
                {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1m"}},
                {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Gi"}},
            ),
            ("secretKeyRef.name", {"secretKeyRef": {"key": "a"}}, {"secretKeyRef": KEY}),
            ("secretKeyRef.key", {"secretKeyRef": {**KEY, "key": "a b"}}, {"secretKeyRef": {**KEY, "key": ".a_b"}}),
            ("configMapKeyRef.name", {"configMapKeyRef": {**KEY, "name": "A"}}, {"configMapKeyRef": KEY}),
            (
                "configMapKeyRef.key",
                {"configMapKeyRef": {**KEY, "key": ".."}},
                {"configMapKeyRef": {**KEY, "key": ".a"}},
            ),
        )
    ),
    *(
        Case(
            "K8S-20",
            f"{FROM}.fileKeyRef.{name}",
            TORCH,
            {**EMPTY_DIR, **var({"fileKeyRef": {"volumeName": "files", "path": "a", "key": "A", name: bad}})},
            {**EMPTY_DIR, **var({"fileKeyRef": {"volumeName": "files", "path": "a", "key": "A"}})},
        )
        for name, bad in (("volumeName", "other"), ("path", "../a"), ("path", ""), ("key", "A=B"))
    ),
    *(
        Case("K8S-20", f"{MAIN}.envFrom[0]{path}", TORCH, {f"{MAIN}.envFrom": [bad]}, {f"{MAIN}.envFrom": [good]})
        for path, bad, good in (
            ("", {}, {"secretRef": {"name": "a"}}),
            ("", {"secretRef": {"name": "a"}, "configMapRef": {"name": "a"}}, {"configMapRef": {"name": "a"}}),
            (".prefix", {"prefix": "A=", "secretRef": {"name": "a"}}, {"prefix": "A_", "secretRef": {"name": "a"}}),
            (".secretRef.name", {"secretRef": {}}, {"secretRef": {"name": "a"}}),
            (".configMapRef.name", {"configMapRef": {"name": "A"}}, {"configMapRef": {"name": "a-"}}),
        )
    ),
]

RESOURCES = f"{MAIN}.resources"


def asking(limits: dict[str, Any] | None = None, requests: dict[str, Any] | None = None) -> dict[str, Any]:
    given = {"limits": limits, "requests": requests}
    return {RESOURCES: {name: amounts for name, amounts in given.items() if amounts is not None}}


CLAIMS = f"{pod(0)}.resourceClaims"
CLAIM = {"name": "gpu", "resourceClaimTemplateName": "big"}
WHOLE = f"{pod(0)}.resources"

AMOUNTS = [
    Case(
        "K8S-08",
        f"{RESOURCES}.requests[cpu]",
        TORCH,
        asking({"cpu": "1"}, {"cpu": "1001m"}),
        asking({"cpu": "1"}, {"cpu": "1000m"}),
    ),
    Case(
        "K8S-08",
        f"{RESOURCES}.requests[memory]",
        HELPED,
        asking({"memory": "1Gi"}, {"memory": "1.1Gi"}),
        asking({"memory": "1Gi"}, {"memory": "1G"}),
    ),
    Case(
        "K8S-09",
        f"{RESOURCES}.limits",
        HELPED,
        asking(None, {"nvidia.com/gpu": "1"}),
        asking({"nvidia.com/gpu": "1"}, None),
    ),
    Case(
        "K8S-09",
        f"{RESOURCES}.requests[nvidia.com/gpu]",
        HELPED,
        asking({"nvidia.com/gpu": "8"}, {"nvidia.com/gpu": "4"}),
        asking({"nvidia.com/gpu": 8}, {"nvidia.com/gpu": "8"}),
    ),
    Case(
        "K8S-09",
        f"{RESOURCES}.limits[nvidia.com/gpu]",
        TORCH,
        asking({"nvidia.com/gpu": "500m"}),
        asking({"nvidia.com/gpu": "1e0"}),
    ),
    Case("K8S-09", f"{RESOURCES}.limits[cpu]", TORCH, asking({"cpu": "-1"}), asking({"cpu": "0"})),
    Case(
        "K8S-09",
        f"{RESOURCES}.limits[hugepages-2Mi]",
        HELPED,
        asking({"hugepages-2Mi": "3Mi", "cpu": "1"}),
        asking({"hugepages-2Mi": "4Mi", "cpu": "1"}),
    ),
    Case(
        "K8S-09", RESOURCES, HELPED, asking({"hugepages-2Mi": "4Mi"}), asking({"hugepages-2Mi": "4Mi", "memory": "1Gi"})
    ),
    *(
        Case("K8S-22", f"{RESOURCES}.limits[{bad}]", HELPED, asking({bad: "1"}), asking({good: "1", "cpu": "1"}))
        for bad, good in (
            ("gpu", "nvidia.com/gpu"),
            ("a b", "cpu"),
            ("requests.acme.io/a", "acme.io/a"),
            ("storage", "ephemeral-storage"),
        )
    ),
    Case(
        "K8S-22",
        f"{RESOURCES}.claims[0].name",
        TORCH,
        {f"{RESOURCES}.claims": [{"name": "gpus"}], CLAIMS: [CLAIM]},
        {f"{RESOURCES}.claims": [{"name": "gpu"}], CLAIMS: [CLAIM]},
    ),
    Case(
        "K8S-22",
        f"{RESOURCES}.claims[0].request",
        TORCH,
        {f"{RESOURCES}.claims": [{"name": "gpu", "request": "A"}], CLAIMS: [CLAIM]},
        {f"{RESOURCES}.claims": [{"name": "gpu", "request": "a"}], CLAIMS: [CLAIM]},
    ),
    *(
        Case("K8S-22", f"{CLAIMS}[0]{path}", TORCH, {CLAIMS: [{**CLAIM, **bad}]}, {CLAIMS: [CLAIM]})
        for path, bad in (
            (".name", {"name": "GPU"}),
            ("", {"resourceClaimName": "one"}),
            (".resourceClaimTemplateName", {"resourceClaimTemplateName": "Big"}),
        )
    ),
    Case(
        "K8S-22",
        f"{CLAIMS}[0]",
        TORCH,
        {CLAIMS: [{"name": "gpu"}]},
        {CLAIMS: [{"name": "gpu", "resourceClaimName": "a"}]},
    ),
    *(
        Case(
            "K8S-22",
            f"{WHOLE}{path}",
            TORCH,
            {WHOLE: bad, **asking({"cpu": "2"}, {"cpu": "2"})},
            {WHOLE: good, **asking({"cpu": "2"}, {"cpu": "2"})},
        )
        for path, bad, good in (
            (".claims", {"claims": []}, {}),
            (".limits[nvidia.com/gpu]", {"limits": {"nvidia.com/gpu": "1"}}, {"limits": {"memory": "1Gi"}}),
            (".limits[memory]", {"limits": {"memory": -1}}, {"limits": {"memory": 1}}),
            (
                ".requests[memory]",
                {"limits": {"memory": "1Gi"}, "requests": {"memory": "2Gi"}},
                {"limits": {"memory": "2Gi"}, "requests": {"memory": "2Gi"}},
            ),
            (".requests[cpu]", {"requests": {"cpu": "1"}}, {"requests": {"cpu": "2"}}),
        )
    ),
    Case(
        "K8S-22",
        f"{RESOURCES}.limits[cpu]",
        TORCH,
        {WHOLE: {"limits": {"cpu": "1"}}, **asking({"cpu": "2"})},
        {WHOLE: {"limits": {"cpu": "2"}}, **asking({"cpu": "2"})},
    ),
]

VOLUMES = f"{pod(0)}.volumes"
MOUNTS = f"{MAIN}.volumeMounts"
DEVICES = f"{MAIN}.volumeDevices"
CLAIMED = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
MOUNT = {"name": "v", "mountPath": "/v"}


def mounting(**fields: Any) -> dict[str, Any]:
    return {VOLUMES: [CLAIMED], MOUNTS: [{**MOUNT, **fields}]}


MOUNTED = [
    Case("K8S-05", f"{MOUNTS}[0].name", TORCH, {MOUNTS: [MOUNT]}, mounting()),
    Case(
        "K8S-05",
        f"{MOUNTS}[0].name",
        MPI,
        {MOUNTS: [{**MOUNT, "name": "mpi-hostfile"}]},
        {MOUNTS: [{**MOUNT, "name": "mpi-ssh-auth"}]},
    ),
    Case(
        "K8S-05",
        f"{DEVICES}[0].name",
        TORCH,
        {DEVICES: [{"name": "w", "devicePath": "/w"}]},
        {VOLUMES: [CLAIMED], DEVICES: [{"name": "v", "devicePath": "/w"}]},
    ),
    Case(
        "K8S-05",
        f"{DEVICES}[0].name",
        TORCH,
        {VOLUMES: [{"name": "v", "emptyDir": {}}], DEVICES: [{"name": "v", "devicePath": "/w"}]},
        {},
    ),
    Case(
        "K8S-06",
        f"{MOUNTS}[0].mountPath",
        TORCH,
        {VOLUMES: [CLAIMED, {**CLAIMED, "name": "w"}], MOUNTS: [MOUNT], DEVICES: [{"name": "w", "devicePath": "/v"}]},
        {VOLUMES: [CLAIMED, {**CLAIMED, "name": "w"}], MOUNTS: [MOUNT], DEVICES: [{"name": "w", "devicePath": "/w"}]},
    ),
    Case(
        "K8S-06",
        f"{MOUNTS}[0].name",
        TORCH,
        {VOLUMES: [CLAIMED], MOUNTS: [MOUNT], DEVICES: [{"name": "v", "devicePath": "/w"}]},
        mounting(),
    ),
    *(
        Case("K8S-22", f"{MOUNTS}[0].{path}", TORCH, mounting(**bad), mounting(**good))
        for path, bad, good in (
            ("mountPath", {"mountPath": ""}, {"mountPath": "v"}),
            ("subPath", {"subPath": "/a"}, {"subPath": "a/b"}),
            ("subPath", {"subPath": "a/../b"}, {"subPath": "a/..b"}),
            ("subPathExpr", {"subPathExpr": "../$(A)"}, {"subPathExpr": "$(A)"}),
            ("subPathExpr", {"subPath": "a", "subPathExpr": "a"}, {"subPath": "a"}),
            ("mountPropagation", {"mountPropagation": "Both"}, {"mountPropagation": "HostToContainer"}),
            ("mountPropagation", {"mountPropagation": "Bidirectional"}, {"mountPropagation": "None"}),
            ("recursiveReadOnly", {"recursiveReadOnly": "Yes"}, {"recursiveReadOnly": "Disabled"}),
            ("recursiveReadOnly", {"recursiveReadOnly": "Enabled"}, {"recursiveReadOnly": "Enabled", "readOnly": True}),
        )
    ),
    Case(
        "K8S-22",
        f"{MOUNTS}[0].mountPropagation",
        TORCH,
        {**mounting(mountPropagation="Bidirectional"), f"{MAIN}.securityContext": {"privileged": False}},
        {**mounting(mountPropagation="Bidirectional"), f"{MAIN}.securityContext": {"privileged": True}},
    ),
    Case(
        "K8S-22",
        f"{DEVICES}[0].devicePath",
        TORCH,
        {VOLUMES: [CLAIMED], DEVICES: [{"name": "v", "devicePath": "/a/../b"}]},
        {},
    ),
]

MOUNTED.append(
    Case(
        "K8S-22",
        DEVICES,
        TORCH,
        {VOLUMES: [CLAIMED], DEVICES: [{"name": "v", "devicePath": "/w"}], f"{pod(0)}.hostUsers": False},
        {VOLUMES: [CLAIMED], DEVICES: [{"name": "v", "devicePath": "/w"}], f"{pod(0)}.hostUsers": True},
    )
)

CASES = [*NAMES, *PROBES, *ENVIRONMENT, *AMOUNTS, *MOUNTED]

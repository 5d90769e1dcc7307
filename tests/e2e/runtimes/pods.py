"""Pods that work, with every kind of field that a pod has: strategies for parts of manifests."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .parts import IDS, KEY, LABELS, NAME, PATH, SECONDS, TEXT, Part, both, few, named, one
from .volumes import FIELD

SELECTOR = st.fixed_dictionaries(
    {},
    optional={
        "matchLabels": LABELS,
        "matchExpressions": st.lists(
            st.one_of(
                st.fixed_dictionaries(
                    {"key": KEY, "operator": st.sampled_from(["In", "NotIn"]), "values": st.just(["a", "b"])}
                ),
                st.fixed_dictionaries({"key": KEY, "operator": st.sampled_from(["Exists", "DoesNotExist"])}),
            ),
            max_size=2,
        ),
    },
)

# What containers have.
KEY_REFERENCE = both({"name": NAME, "key": KEY.filter(lambda key: "/" not in key)}, {"optional": st.booleans()})
RESOURCE = both(
    {"resource": st.sampled_from(["limits.cpu", "requests.cpu"])}, {"divisor": st.sampled_from(["1", "1m", 1])}
)
SOURCE = one(
    {
        "configMapKeyRef": KEY_REFERENCE,
        "secretKeyRef": KEY_REFERENCE,
        "fieldRef": FIELD | st.just({"fieldPath": "status.podIP"}) | st.just({"fieldPath": "spec.nodeName"}),
        "resourceFieldRef": RESOURCE,
    }
)
VARIABLE: SearchStrategy[Part] = st.fixed_dictionaries({}, optional={"value": TEXT}) | one({"valueFrom": SOURCE})
ENV = st.dictionaries(st.from_regex(r"[A-Z][A-Z0-9_]{2,8}", fullmatch=True), VARIABLE, max_size=3).map(
    lambda by: [{"name": name, **part} for name, part in by.items()]
)
ENV_FROM = st.lists(
    one(
        {
            "configMapRef": both({"name": NAME}, {"optional": st.booleans()}),
            "secretRef": st.fixed_dictionaries({"name": NAME}),
        }
    ),
    max_size=2,
)
PORT = st.integers(1, 29499)
HANDLER: dict[str, SearchStrategy[Any]] = {
    "exec": st.fixed_dictionaries({"command": st.lists(TEXT, min_size=1, max_size=2)}),
    "httpGet": both(
        {"port": PORT},
        {
            "path": PATH,
            "host": NAME,
            "scheme": st.sampled_from(["HTTP", "HTTPS"]),
            "httpHeaders": named(st.fixed_dictionaries({"value": TEXT})),
        },
    ),
}
PROBE = st.tuples(
    one(HANDLER | {"tcpSocket": both({"port": PORT}, {"host": NAME}), "grpc": both({"port": PORT}, {"service": NAME})}),
    few(
        {
            "initialDelaySeconds": IDS,
            "periodSeconds": SECONDS,
            "timeoutSeconds": SECONDS,
            "failureThreshold": SECONDS,
            "successThreshold": st.just(1),
        }
    ),
).map(lambda parts: parts[0] | parts[1])
PROFILE = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["RuntimeDefault", "Unconfined"])}),
    st.just({"type": "Localhost", "localhostProfile": "profiles/a"}),
)
SELINUX = few({"user": NAME, "role": NAME, "type": NAME, "level": st.just("s0:c1,c2")})
CONTAINER: dict[str, SearchStrategy[Any]] = {
    "command": st.lists(TEXT, max_size=2),
    "args": st.lists(TEXT, max_size=2),
    "workingDir": PATH,
    "env": ENV,
    "envFrom": ENV_FROM,
    "imagePullPolicy": st.sampled_from(["Always", "Never", "IfNotPresent"]),
    "ports": st.dictionaries(NAME, PORT, max_size=2)
    .filter(lambda by: len(set(by.values())) == len(by))
    .map(lambda by: [{"name": name, "containerPort": port} for name, port in by.items()]),
    "livenessProbe": PROBE,
    "startupProbe": PROBE,
    "lifecycle": few(
        {
            name: one(HANDLER | {"sleep": st.fixed_dictionaries({"seconds": st.integers(1, 20)})})
            for name in ("postStart", "preStop")
        }
    ),
    "resizePolicy": st.just([{"resourceName": "cpu", "restartPolicy": "NotRequired"}]),
    "terminationMessagePath": PATH,
    "terminationMessagePolicy": st.sampled_from(["File", "FallbackToLogsOnError"]),
    "stdin": st.booleans(),
    "stdinOnce": st.booleans(),
    "tty": st.booleans(),
    "securityContext": few(
        {
            "privileged": st.booleans(),
            "readOnlyRootFilesystem": st.booleans(),
            "capabilities": few({"add": st.just(["IPC_LOCK"]), "drop": st.just(["ALL"])}),
            "seccompProfile": PROFILE,
            "appArmorProfile": PROFILE,
            "seLinuxOptions": SELINUX,
            "procMount": st.just("Default"),
        }
    ),
}
IMAGE = st.sampled_from(["registry.example.com/team/train:1", "train", "train@sha256:" + "0" * 64])

# What pods have. The first are those that decide where they land.
TERM = st.fixed_dictionaries(
    {
        "matchExpressions": st.lists(
            st.one_of(
                st.fixed_dictionaries(
                    {"key": KEY, "operator": st.sampled_from(["In", "NotIn"]), "values": st.just(["a", "b"])}
                ),
                st.fixed_dictionaries({"key": KEY, "operator": st.sampled_from(["Exists", "DoesNotExist"])}),
                st.fixed_dictionaries(
                    {"key": KEY, "operator": st.sampled_from(["Gt", "Lt"]), "values": st.just(["3"])}
                ),
            ),
            min_size=1,
            max_size=2,
        )
    }
)
NEIGHBOURS = both(
    {"topologyKey": KEY, "labelSelector": SELECTOR}, {"namespaces": st.just(["team-a"]), "namespaceSelector": SELECTOR}
)
WEIGHT = st.integers(1, 100)
REQUIRED, PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)
NEAR = few(
    {
        REQUIRED: st.lists(NEIGHBOURS, max_size=1),
        PREFERRED: st.lists(st.fixed_dictionaries({"weight": WEIGHT, "podAffinityTerm": NEIGHBOURS}), max_size=1),
    }
)
WHERE: dict[str, SearchStrategy[Any]] = {
    "nodeSelector": LABELS,
    "affinity": few(
        {
            "nodeAffinity": few(
                {
                    REQUIRED: st.fixed_dictionaries({"nodeSelectorTerms": st.lists(TERM, min_size=1, max_size=2)}),
                    PREFERRED: st.lists(st.fixed_dictionaries({"weight": WEIGHT, "preference": TERM}), max_size=1),
                }
            ),
            "podAffinity": NEAR,
            "podAntiAffinity": NEAR,
        }
    ),
    "topologySpreadConstraints": st.lists(
        both(
            {
                "maxSkew": WEIGHT,
                "topologyKey": KEY,
                "whenUnsatisfiable": st.just("ScheduleAnyway"),
                "labelSelector": SELECTOR,
            },
            {
                "nodeAffinityPolicy": st.sampled_from(["Honor", "Ignore"]),
                "nodeTaintsPolicy": st.sampled_from(["Honor", "Ignore"]),
            },
        ),
        max_size=2,
        unique_by=lambda item: item["topologyKey"],
    ),
    "schedulerName": NAME,
    "schedulingGates": named(st.just({})),
    "priorityClassName": NAME,
    "runtimeClassName": NAME,
    "resourceClaims": named(one({"resourceClaimName": NAME, "resourceClaimTemplateName": NAME})),
}
POD: dict[str, SearchStrategy[Any]] = {
    "serviceAccountName": NAME,
    "automountServiceAccountToken": st.booleans(),
    "imagePullSecrets": named(st.just({})),
    "terminationGracePeriodSeconds": IDS,
    "tolerations": st.lists(
        st.one_of(
            st.just({"operator": "Exists"}),
            both({"key": KEY}, {"value": NAME, "effect": st.sampled_from(["NoSchedule", "PreferNoSchedule"])}),
            both(
                {"key": KEY, "operator": st.just("Exists"), "effect": st.just("NoExecute")}, {"tolerationSeconds": IDS}
            ),
        ),
        max_size=2,
    ),
    "preemptionPolicy": st.just("PreemptLowerPriority"),
    "os": st.just({"name": "linux"}),
    "enableServiceLinks": st.booleans(),
    "shareProcessNamespace": st.booleans(),
    "setHostnameAsFQDN": st.booleans(),
    "hostPID": st.just(False),
    "hostIPC": st.booleans(),
    "hostAliases": st.lists(
        both({"ip": st.sampled_from(["10.0.0.1", "10.0.0.2", "::1"])}, {"hostnames": st.lists(NAME, max_size=2)}),
        max_size=2,
        unique_by=lambda item: item["ip"],
    ),
    "dnsConfig": few(
        {
            "nameservers": st.just(["10.0.0.53"]),
            "searches": st.lists(NAME, max_size=2),
            "options": named(few({"value": TEXT})),
        }
    ),
}
POD_SECURITY: dict[str, SearchStrategy[Any]] = {
    "fsGroupChangePolicy": st.sampled_from(["Always", "OnRootMismatch"]),
    "supplementalGroups": st.lists(IDS, max_size=2),
    "supplementalGroupsPolicy": st.sampled_from(["Merge", "Strict"]),
    "seccompProfile": PROFILE,
    "appArmorProfile": PROFILE,
    "seLinuxOptions": SELINUX,
    "seLinuxChangePolicy": st.sampled_from(["Recursive", "MountOption"]),
    "sysctls": st.just([{"name": "net.core.somaxconn", "value": "1024"}]),
}
OF_LONG_LIVED = ("livenessProbe", "startupProbe", "lifecycle", "resizePolicy")
"""What init containers, which end, don't have."""

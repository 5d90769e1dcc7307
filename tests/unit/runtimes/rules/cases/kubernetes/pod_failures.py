"""What Kubernetes refuses in a Job's policy for failed pods."""

from typing import Any

from tests.unit.runtimes.rules.samples import TORCH, Case, pod, spec

POLICY = f"{spec(0)}.podFailurePolicy"
RULE = f"{POLICY}.rules[0]"
CODES = {"operator": "In", "values": [1]}


def failing(**rule: Any) -> dict[str, Any]:
    return {POLICY: {"rules": [{"action": "FailJob", **rule}]}, f"{pod(0)}.restartPolicy": "Never"}


def codes(**changes: Any) -> dict[str, Any]:
    return failing(onExitCodes={**CODES, **changes})


SOUND = failing(onExitCodes=CODES)
CONDITION = {"type": "DisruptionTarget"}

CASES = [
    Case("K8S-11", f"{pod(0)}.restartPolicy", TORCH, {POLICY: SOUND[POLICY]}, {**SOUND}),
    Case("K8S-11", f"{pod(0)}.restartPolicy", TORCH, {**SOUND, f"{pod(0)}.restartPolicy": "OnFailure"}, {}),
    Case(
        "K8S-11",
        f"{spec(0)}.podReplacementPolicy",
        TORCH,
        {**SOUND, f"{spec(0)}.podReplacementPolicy": "TerminatingOrFailed"},
        {**SOUND, f"{spec(0)}.podReplacementPolicy": "Failed"},
    ),
    Case(
        "K8S-11",
        f"{spec(0)}.podReplacementPolicy",
        TORCH,
        {f"{spec(0)}.podReplacementPolicy": "Never"},
        {f"{spec(0)}.podReplacementPolicy": "TerminatingOrFailed"},
    ),
    Case(
        "K8S-12",
        f"{POLICY}.rules",
        TORCH,
        {**SOUND, POLICY: {"rules": [{"action": "Count", "onExitCodes": CODES}] * 21}},
        {**SOUND, POLICY: {"rules": [{"action": "Count", "onExitCodes": CODES}] * 20}},
    ),
    Case("K8S-12", f"{POLICY}.rules", TORCH, {**SOUND, POLICY: {"rules": []}}, SOUND),
    Case(
        "K8S-12",
        f"{RULE}.action",
        TORCH,
        failing(action="Fail", onExitCodes=CODES),
        failing(action="Ignore", onExitCodes=CODES),
    ),
    Case(
        "K8S-12",
        f"{RULE}.action",
        TORCH,
        failing(action="FailIndex", onExitCodes=CODES),
        {**failing(action="FailIndex", onExitCodes=CODES), f"{spec(0)}.backoffLimitPerIndex": 1},
    ),
    Case("K8S-12", RULE, TORCH, failing(), SOUND),
    Case(
        "K8S-12",
        RULE,
        TORCH,
        failing(onExitCodes=CODES, onPodConditions=[CONDITION]),
        failing(onPodConditions=[CONDITION]),
    ),
    Case("K8S-12", f"{RULE}.onExitCodes.operator", TORCH, codes(operator="Is"), codes(operator="NotIn", values=[0])),
    Case(
        "K8S-12", f"{RULE}.onExitCodes.containerName", TORCH, codes(containerName="main"), codes(containerName="node")
    ),
    Case("K8S-12", f"{RULE}.onExitCodes.values", TORCH, codes(values=[]), codes(values=[1, 2])),
    Case(
        "K8S-12",
        f"{RULE}.onExitCodes.values",
        TORCH,
        codes(values=list(range(1, 257))),
        codes(values=list(range(1, 256))),
    ),
    Case("K8S-12", f"{RULE}.onExitCodes.values", TORCH, codes(values=[0, 1]), codes(operator="NotIn", values=[0, 1])),
    Case("K8S-12", f"{RULE}.onExitCodes.values", TORCH, codes(values=[2, 1]), SOUND),
    Case(
        "K8S-12",
        f"{RULE}.onPodConditions",
        TORCH,
        failing(onPodConditions=[CONDITION] * 21),
        failing(onPodConditions=[CONDITION] * 20),
    ),
    Case(
        "K8S-12",
        f"{RULE}.onPodConditions[0].type",
        TORCH,
        failing(onPodConditions=[{"type": "Is Bad"}]),
        failing(onPodConditions=[{"type": "acme.io/IsBad"}]),
    ),
    Case(
        "K8S-12",
        f"{RULE}.onPodConditions[0].status",
        TORCH,
        failing(onPodConditions=[{**CONDITION, "status": "true"}]),
        failing(onPodConditions=[{**CONDITION, "status": "True"}]),
    ),
]

"""What failed jobs mean."""

from tests.unit.runtimes.rules.samples import HELPED, JOBSET, TORCH, Case, job, spec, warns

INT32_MAX = 2**31 - 1


FAILURE = f"{JOBSET}.failurePolicy"
RULE = {"name": "a", "action": "FailJobSet"}
READY = {f"{spec(0)}.backoffLimit": INT32_MAX, f"{spec(0)}.podReplacementPolicy": "Failed"}
MANY = {f"{job(0)}.replicas": 1025}

CASES = [
    *(
        Case(
            "JSW-11",
            f"{FAILURE}.rules[0].action",
            TORCH,
            {FAILURE: {"rules": [{**RULE, "action": action}]}},
            {FAILURE: {"rules": [{**RULE, "action": action.replace("RestartJob", "RestartJobSet")}]}},
        )
        for action in ("RestartJob", "RestartJobAndIgnoreMaxRestarts")
    ),
    Case(
        "JSW-18",
        f"{FAILURE}.rules[0].action",
        HELPED,
        {**MANY, FAILURE: {"rules": [{**RULE, "action": "RestartJob"}]}},
        {**MANY, FAILURE: {"rules": [RULE]}},
    ),
    Case(
        "JSW-12",
        f"{FAILURE}.restartStrategy",
        TORCH,
        {FAILURE: {"restartStrategy": "InPlaceRestart"}, **READY},
        {FAILURE: {"restartStrategy": "BlockingRecreate"}},
    ),
    Case(
        "JSW-13",
        f"{spec(0)}.backoffLimit",
        TORCH,
        {FAILURE: {"restartStrategy": "InPlaceRestart"}, **READY, f"{spec(0)}.backoffLimit": 3},
        {**READY, f"{spec(0)}.backoffLimit": 3},
    ),
    Case(
        "JSW-13",
        f"{spec(0)}.podReplacementPolicy",
        TORCH,
        {FAILURE: {"restartStrategy": "InPlaceRestart"}, f"{spec(0)}.backoffLimit": INT32_MAX},
        {},
    ),
    *(
        Case(
            "JSW-14",
            f"{FAILURE}.rules[0].name",
            TORCH,
            {FAILURE: {"rules": [{**RULE, "name": bad}]}},
            {FAILURE: {"rules": [{**RULE, "name": good}]}},
        )
        for bad, good in (("rule-1", "rule_1"), ("1a", "a1"), ("x" * 129, "x" * 128), ("a:", ""))
    ),
    Case(
        "JSW-15",
        f"{FAILURE}.rules[2].name",
        TORCH,
        {FAILURE: {"rules": [RULE, {**RULE, "name": "b"}, RULE]}},
        {FAILURE: {"rules": [{**RULE, "name": ""}, {**RULE, "name": ""}]}},
    ),
    Case(
        "JSW-15",
        f"{FAILURE}.rules[1].name",
        TORCH,
        {FAILURE: {"rules": [{**RULE, "name": ""}, {**RULE, "name": "failurePolicyRule0"}]}},
        {},
    ),
    Case(
        "JSW-16",
        f"{FAILURE}.rules[0].targetReplicatedJobs[1]",
        TORCH,
        {FAILURE: {"rules": [{**RULE, "targetReplicatedJobs": ["node", "worker"]}]}},
        {FAILURE: {"rules": [{**RULE, "targetReplicatedJobs": ["node"]}]}},
    ),
    Case(
        "JSW-17",
        f"{FAILURE}.rules[0].onJobFailureReasons[0]",
        TORCH,
        {FAILURE: {"rules": [{**RULE, "onJobFailureReasons": ["OOMKilled"]}]}},
        {FAILURE: {"rules": [{**RULE, "onJobFailureReasons": ["DeadlineExceeded", "PodFailurePolicy"]}]}},
    ),
    Case(
        "JSW-11",
        f"{FAILURE}.rules[0].action",
        HELPED,
        {f"{job(0)}.replicas": 1024, FAILURE: {"rules": [{**RULE, "action": "RestartJob"}]}},
        {f"{job(0)}.replicas": 1024, FAILURE: {"rules": [RULE]}},
    ),
    *(
        warns(
            "RUN-18",
            f"{FAILURE}.rules[0].onJobFailureMessagePatterns[0]",
            TORCH,
            {FAILURE: {"rules": [{**RULE, "onJobFailureMessagePatterns": [wrong]}]}},
            {FAILURE: {"rules": [{**RULE, "onJobFailureMessagePatterns": [right]}]}},
        )
        for wrong, right in (
            ("*oom", ".*oom"),
            ("(?!ok)", "(?i:oom|killed)"),
            ("(?<=code )1", r"exit code [1-9]\d* \(!\)"),
            (r"(a)\1", r"\\1"),
            ("a{1001}", "a{1000}"),
            ("a{1,1001}", r"a\{1001}"),
            ("a{99999999999}", "a{9}"),
            ("(" * 2000, "(" * 100 + ")" * 100),
            ("()" * 101, "()" * 100),
            ("a" * 4097, "a" * 4096),
        )
    ),
]

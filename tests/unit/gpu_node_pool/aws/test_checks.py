"""Checks that all pools of AWS machines have."""

from typing import Any

import pytest

from components.gpu_node_pool.eks.pool import EksPool
from components.gpu_node_pool.karpenter.pool import KarpenterPool

from ..assertions import refusals, warnings
from .samples import EKS, KARPENTER

EFA = {"network": {"kind": "efa"}}
Pool = type[EksPool | KarpenterPool]
BOTH = pytest.mark.parametrize(("pool", "sound"), [(EksPool, EKS), (KarpenterPool, KARPENTER)])
B200 = EKS | EFA | {"machineType": "p6-b200.48xlarge", "securityGroupIds": ["sg-1"]}
EFA_PLUGIN = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin"


@BOTH
def test_minimal_spec_has_no_violations(pool: Pool, sound: dict[str, Any]) -> None:
    assert pool.model_validate(sound).check() == ()


@BOTH
@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        (
            {"driver": "operator"},
            (
                "AWS-02",
                ("driver",),
                "EKS' GPU images include the driver, which conflicts with the GPU operator's.",
                "Set `none`, and install the operator with `driver.enabled=false` and `toolkit.enabled=false`.",
            ),
        ),
        (
            {"capacity": {"kind": "reservation", "reservation": "p5-block"}},
            (
                "AWS-04",
                ("capacity", "reservation"),
                '"p5-block" is not the id of a capacity reservation.',
                "Use its id, `cr-...`.",
            ),
        ),
    ],
)
def test_mistakes_are_refused(
    pool: Pool, sound: dict[str, Any], changed: dict[str, Any], refusal: tuple[Any, ...]
) -> None:
    assert refusals(pool, sound | changed) == [refusal]


@BOTH
@pytest.mark.parametrize(
    "changed",
    [
        {"machineType": "g4dn.xlarge"},
        {"driver": "none"},
        {"capacity": {"kind": "reservation", "reservation": "cr-0123456789abcdef0"}},
        {"labels": {"node.kubernetes.io/team": "a", "team": "b", "example.com/kubernetes.io": "c"}},
        {"machineType": "p9.48xlarge", "machineSpec": {"gpus": 8}},
    ],
)
def test_similar_valid_specs_are_accepted(pool: Pool, sound: dict[str, Any], changed: dict[str, Any]) -> None:
    assert pool.model_validate(sound | changed).check() == ()


@pytest.mark.parametrize(
    ("pool", "sound", "refused", "taken"),
    [
        (
            EksPool,
            EKS,
            ("node-role.kubernetes.io/gpu", "eks.amazonaws.com/team", "node-restriction.kubernetes.io/team"),
            ("karpenter.sh/controller",),
        ),
        (
            KarpenterPool,
            KARPENTER,
            ("karpenter.sh/team", "karpenter.k8s.aws/team", "kubernetes.io/hostname"),
            ("node-role.kubernetes.io/gpu", "node-restriction.kubernetes.io/team"),
        ),
    ],
)
def test_reserved_labels_are_rejected(
    pool: Pool, sound: dict[str, Any], refused: tuple[str, ...], taken: tuple[str, ...]
) -> None:
    for key in refused:
        assert refusals(pool, sound | {"labels": {key: "a"}}) == [
            (
                "POOL-12",
                ("labels", key),
                f"Label {key} is reserved: a node with it is rejected.",
                "Use a prefix of your own domain.",
            )
        ]
    assert pool.model_validate(sound | {"labels": dict.fromkeys(taken, "a")}).check() == ()


def test_efa_is_rejected_for_a_machine_type_without_it() -> None:
    without = EKS | EFA | {"machineType": "g5.xlarge", "securityGroupIds": ["sg-1"]}
    assert refusals(EksPool, without) == [
        (
            "AWS-03",
            ("network",),
            "g5.xlarge is not known to support EFA.",
            "Use a machine type with EFA, remove `network`, or set `machineSpec.efaInterfaces`.",
        )
    ]
    new = without | {"machineType": "p9.48xlarge", "machineSpec": {"gpus": 8, "efaInterfaces": 16}}
    assert EksPool.model_validate(new).efa_devices == 16


@pytest.mark.parametrize("tag", ["v0.5.8", "v0.4.14", "0.5.9", "v0.5.6-eksbuild.1", "v0.5.9@sha256:" + "0" * 64])
def test_device_plugin_that_reports_nvlink_as_efa_is_rejected(tag: str) -> None:
    """aws/sagemaker-hyperpod-cli#282: p6-b200 has ten devices that older ones take for EFA, and eight are."""
    assert refusals(EksPool, B200 | {"efaPluginImage": f"{EFA_PLUGIN}:{tag}"}) == [
        (
            "AWS-05",
            ("efaPluginImage",),
            "EFA's device plugin before 0.5.10 reports other devices of p6-b200.48xlarge as EFA.",
            "Use version 0.5.10 or later.",
        )
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"efaPluginImage": f"{EFA_PLUGIN}:v0.5.10"},
        {"efaPluginImage": f"{EFA_PLUGIN}:v0.5.21-eksbuild.13"},
        {"efaPluginImage": f"{EFA_PLUGIN}:v1.0.0"},
        {"efaPluginImage": f"{EFA_PLUGIN}@sha256:" + "0" * 64},
        {"efaPluginImage": f"{EFA_PLUGIN}:v0.5.8", "machineType": "p5.48xlarge"},
        {"efaPluginImage": f"{EFA_PLUGIN}:v0.5.8", "network": {"kind": "ethernet"}},
    ],
)
def test_other_device_plugins_are_accepted(changed: dict[str, Any]) -> None:
    assert EksPool.model_validate(B200 | changed).check() == ()


@BOTH
@pytest.mark.parametrize("machine", ["p4d.24xlarge", "p5.48xlarge", "p6-b200.48xlarge", "g7e.48xlarge"])
def test_unused_efa_is_a_warning(pool: Pool, sound: dict[str, Any], machine: str) -> None:
    assert warnings(pool, sound | {"machineType": machine, "size": {"max": 2}}) == [
        (
            "AWS-06",
            "network",
            f"Without EFA, communication between several {machine} is slow.",
            "Set `network: {kind: efa}`, unless every job uses one node.",
        )
    ]


@BOTH
@pytest.mark.parametrize(
    "changed",
    [
        {"size": {"max": 1}},
        {"machineType": "g5.48xlarge"},
        {"machineType": "g4dn.xlarge"},
        {"network": {"kind": "efa"}, "securityGroupIds": ["sg-1"], "zones": ["us-east-1a"]},
    ],
)
def test_pools_without_efa_or_with_one_node_have_no_warning(
    pool: Pool, sound: dict[str, Any], changed: dict[str, Any]
) -> None:
    known = {field.alias for field in pool.model_fields.values()}
    given = {key: value for key, value in changed.items() if key in known}
    assert pool.model_validate(sound | {"size": {"max": 4}} | given).check() == ()


@BOTH
@pytest.mark.parametrize(
    "key", ["efs.csi.aws.com/agent-not-ready", "node.cilium.io/agent-not-ready", "ebs.csi.aws.com/agent-not-ready"]
)
def test_taint_that_an_agent_removes_is_a_warning(pool: Pool, sound: dict[str, Any], key: str) -> None:
    """chanzuckerberg/cztack#893: whoever writes it in extraTaints gets the contrary."""
    taint = {"key": key, "effect": "NoExecute"}
    assert warnings(pool, sound | {"extraTaints": [taint]}) == [
        (
            "POOL-18",
            "extraTaints[0]",
            f"Runtimes of the pool tolerate {key}: their pods start before the agent is ready.",
            pool.agent_taint_fix,
        )
    ]
    assert pool.model_validate(sound | {"extraTaints": [taint | {"key": "team"}]}).check() == ()

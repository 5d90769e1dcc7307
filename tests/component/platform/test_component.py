"""`TrainingPlatform` in a program: what it declares, what it takes, what it says of what is wrong."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
import pytest
from pulumi.output import contains_unknowns
from pulumi.runtime import rpc

from components.cluster.client import ClusterClient
from components.cluster.context import StackContext
from components.gpu_node_pool import ExistingPool
from components.jobset import JobSetOperatorSpec
from components.platform import InvalidPlatformError, TrainingPlatform, TrainingPlatformArgs, layers
from components.runtimes import deepspeed, torch

from ..conftest import CLUSTER_ID
from ..monitor import STACK_URN, Monitor, Outside, run

MINE = "training-platform:index"
PROVIDER = "pulumi:providers:kubernetes"
RUNTIME = "kubernetes:trainer.kubeflow.org/v1alpha1:ClusterTrainingRuntime"
CLUSTERS = "acme/clusters/shared"
KUBECONFIG = "apiVersion: v1\nkind: Config\n"
MINIMAL: dict[str, Any] = {"context": "mine", "runtimes": [deepspeed(gpus_per_node=8)]}


def declared(
    args: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None, monitor: Monitor | None = None
) -> Monitor:
    exports: dict[str, Any] = {}

    def program() -> None:
        platform = TrainingPlatform("training", args, opts)  # type: ignore[arg-type]
        for output in ("namespaces", "versions", "runtimes", "placements"):
            getattr(platform, output).apply(partial(exports.__setitem__, output))

    done = run(program, monitor=monitor)
    done.exports = exports
    return done


def shown(monitor: Monitor) -> list[str]:
    """Everything that was registered, by type and name, in the program's order."""
    return [f"{each.type} {each.name}" for each in monitor.registered.values()]


def test_context_and_runtimes_are_sufficient() -> None:
    assert sorted(shown(declared(MINIMAL))) == sorted(
        [
            f"{MINE}:TrainingPlatform training",
            "pulumi:index:Stash training-identity",
            *(f"{PROVIDER} training-{name}" for name in ("cluster", "operators", "runtimes")),
            f"{MINE}:JobSet training-jobset",
            "kubernetes:core/v1:Namespace training-jobset",
            "kubernetes:helm.sh/v4:Chart training-jobset",
            f"{MINE}:KubeflowTrainer training-trainer",
            "kubernetes:core/v1:Namespace training-trainer",
            "kubernetes:helm.sh/v4:Chart training-trainer",
            f"{MINE}:TrainingRuntimes training-runtimes",
            f"{RUNTIME} training-runtimes:deepspeed-distributed",
            f"{MINE}:TrainingGate training-gate",
            "kubernetes:core/v1:ConfigMap training-gate",
        ]
    )


def test_all_layers_are_children_and_have_the_provider_of_the_context() -> None:
    monitor = declared(MINIMAL)
    (platform,) = monitor.of_type(f"{MINE}:TrainingPlatform")
    assert platform.parent == STACK_URN
    below = [each for each in monitor.registered.values() if each.type.startswith((MINE, "pulumi:"))]
    assert {each.name: each.parent for each in below if each is not platform} == dict.fromkeys(
        [each.name for each in below if each is not platform], platform.urn
    )
    connection = {"kubeconfig": "", "context": "mine", "clusterIdentifier": CLUSTER_ID}
    assert {each.name: each.inputs for each in monitor.of_type(PROVIDER)} == {
        "training-cluster": connection,
        "training-operators": {**connection, "upsertExistingObjects": "true"},
        "training-runtimes": {**connection, "enableServerSideApply": "false"},
    }
    (stash,) = monitor.of_type("pulumi:index:Stash")
    assert all(stash.urn in each.dependencies for each in monitor.of_type(PROVIDER))


def test_platform_has_outputs() -> None:
    pool = {"provider": "existing", "nodes": ["a"], "gpus_per_node": 8}
    monitor = declared({**MINIMAL, "gpu_node_pools": {"gpu": pool}, "trainer": {"version": "2.3.1"}})
    outputs = {
        "namespaces": {"jobset": "jobset-system", "trainer": "kubeflow-system"},
        "versions": {"jobset": "0.12.0", "trainer": "2.3.1"},
        "runtimes": ["deepspeed-distributed"],
        "placements": {
            "gpu": {
                "nodeSelector": {"training-platform/node-pool": "gpu"},
                "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
                "gpuResource": "nvidia.com/gpu",
                "gpusPerNode": 8,
                "maxNodes": 1,
            }
        },
    }
    assert monitor.exports == outputs
    (platform,) = monitor.of_type(f"{MINE}:TrainingPlatform")
    assert monitor.outputs[platform.urn] == outputs


def test_dict_and_spec_declare_the_same() -> None:
    pool = ExistingPool(provider="existing", nodes=("a", "b"), gpus_per_node=8)
    specs = {
        "context": "mine",
        "gpu_node_pools": {"gpu": pool},
        "jobset": JobSetOperatorSpec(replicas=2, host_network=True),
        "runtimes": [torch(name="ours", placement=pool.placement("gpu"), shared_memory="64Gi")],
    }
    dicts = {
        "context": "mine",
        "gpu_node_pools": {"gpu": {"provider": "existing", "nodes": ["a", "b"], "gpus_per_node": 8}},
        "jobset": {"replicas": 2, "hostNetwork": True},
        "runtimes": {"ours": {"framework": "torch", "node_pool": "gpu", "shared_memory": "64Gi"}},
    }
    assert declared(dicts).registered == declared(specs).registered


@pytest.mark.parametrize("external", ["external", {"mode": "external"}], ids=str)
def test_an_operator_of_another_owner_is_not_installed(external: Any) -> None:
    monitor = declared({**MINIMAL, "jobset": external, "trainer": external})
    assert monitor.of_type("kubernetes:helm.sh/v4:Chart") == []
    assert monitor.exports["namespaces"] == {}
    assert [each.name for each in monitor.of_type(RUNTIME)] == ["training-runtimes:deepspeed-distributed"]


def test_all_layers_wait_for_what_the_platform_depends_on() -> None:
    urns: list[str] = []

    def program() -> None:
        provider = kubernetes.Provider("network", kubeconfig="", context="network")
        opts = pulumi.ResourceOptions(provider=provider)
        before = kubernetes.core.v1.ConfigMap("network", metadata={"name": "network"}, opts=opts)
        before.urn.apply(urns.append)
        TrainingPlatform("training", MINIMAL, pulumi.ResourceOptions(depends_on=[before]))  # type: ignore[arg-type]

    monitor = run(program)
    kinds = ("TrainingPlatform", "JobSet", "KubeflowTrainer", "TrainingRuntimes", "TrainingGate")
    for kind in kinds:
        (component,) = monitor.of_type(f"{MINE}:{kind}")
        assert urns[0] in component.dependencies, kind


def test_dependents_of_ready_and_of_outputs_depend_on_the_gate() -> None:
    def program() -> None:
        platform = TrainingPlatform("training", MINIMAL)  # type: ignore[arg-type]
        pulumi.ComponentResource("mine:index:After", "ready", {}, pulumi.ResourceOptions(depends_on=platform.ready))
        pulumi.ComponentResource("mine:index:After", "names", {"names": platform.runtimes})

    monitor = run(program)
    (gate,) = monitor.of_type("kubernetes:core/v1:ConfigMap")
    order = [*monitor.registered]
    afters = {after.name: after for after in monitor.of_type("mine:index:After")}
    assert {name: order.index(gate.urn) < order.index(after.urn) for name, after in afters.items()} == {
        "ready": True,
        "names": True,
    }
    assert gate.urn in afters["ready"].dependencies


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str | None, str | None]]:
    """Context and kubeconfig of each cluster that was asked for its id."""
    found: list[tuple[str | None, str | None]] = []

    def uid(access: ClusterClient) -> str:
        found.append((access.context, access.kubeconfig))
        return CLUSTER_ID

    def get(access: ClusterClient, _: str) -> None:
        found.append((access.context, access.kubeconfig))

    monkeypatch.setattr(ClusterClient, "uid", uid)
    monkeypatch.setattr(ClusterClient, "get", get)
    return found


def of_stack(exported: Any, preview: bool = False, **more: Any) -> Monitor:
    """A platform whose kubeconfig another stack exports."""

    def program() -> None:
        kubeconfig = pulumi.StackReference(CLUSTERS).require_output("kubeconfig")
        args: TrainingPlatformArgs = {"kubeconfig": kubeconfig, "runtimes": MINIMAL["runtimes"], **more}  # type: ignore[typeddict-item]
        TrainingPlatform("training", args)

    outside = Outside({CLUSTERS: {"kubeconfig": exported}}, secret=["kubeconfig"])
    return run(program, preview=preview, monitor=Monitor(outside))


def test_providers_and_hooks_have_one_kubeconfig_and_it_stays_a_secret(
    asked: list[tuple[str | None, str | None]],
) -> None:
    monitor = of_stack(KUBECONFIG)
    assert {*asked} == {(None, KUBECONFIG)}
    given = [provider.inputs["kubeconfig"] for provider in monitor.of_type(PROVIDER)]
    assert [(rpc.is_rpc_secret(each), rpc.unwrap_rpc_secret(each)) for each in given] == [(True, KUBECONFIG)] * 3


def test_unknown_kubeconfig_declares_all_layers_without_requests(
    asked: list[tuple[str | None, str | None]],
) -> None:
    preview = of_stack(rpc.UNKNOWN, preview=True)
    assert asked == []
    up = of_stack(KUBECONFIG)
    assert sorted(preview.registered) == sorted(up.registered)
    # A text would be an ambient kubeconfig, or another one.
    given = [provider.inputs["kubeconfig"] for provider in preview.of_type(PROVIDER)]
    assert [rpc.is_rpc_secret(each) and contains_unknowns(each) for each in given] == [True] * 3


async def resolved(value: Any) -> Any:
    return value


@pytest.mark.parametrize(
    ("known", "preview", "reached"),
    [(True, True, True), (True, False, True), (False, True, False), (False, False, True)],
)
def test_hooks_skip_checks_only_in_a_preview_with_an_unknown_kubeconfig(
    known: bool, preview: bool, reached: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[StackContext] = []
    monkeypatch.setattr(layers, "register_removal_hooks", lambda _, stack_context, __: seen.append(stack_context))

    def program() -> None:
        kubeconfig = pulumi.Output(set(), resolved(KUBECONFIG), resolved(known))
        TrainingPlatform("training", {"kubeconfig": kubeconfig})

    run(program, preview=preview)
    # In an update without a kubeconfig hooks ask one that leads nowhere, and refuse.
    assert [(each.is_reached, each.access.kubeconfig) for each in seen] == [(reached, KUBECONFIG if known else "{}")]


@pytest.mark.parametrize("argument", ["kubeconfig", "context"])
def test_empty_kubeconfig_output_is_rejected(argument: str, asked: list[tuple[str | None, str | None]]) -> None:
    def program() -> None:
        args: Any = {**MINIMAL, argument: pulumi.Output.from_input("")}
        TrainingPlatform("training", args)

    monitor = Monitor()
    with pytest.raises(InvalidPlatformError) as refused:
        run(program, monitor=monitor)
    assert str(refused.value) == (
        "1 error in the arguments of TrainingPlatform 'training'. Nothing was changed.\n\n"
        f"  {argument} [STK-05]\n"
        f"    `{argument}` is empty, so it names no cluster.\n"
        f"    Fix: Set `{argument}`."
    )
    assert (asked, monitor.of_type(PROVIDER)) == ([], [])


def test_cluster_that_differs_from_the_state_is_rejected_with_the_argument() -> None:
    monitor = Monitor(Outside(identity={"id": "mine", "cluster": "other"}))
    with pytest.raises(InvalidPlatformError) as refused:
        declared(MINIMAL, monitor=monitor)
    assert f'write `"cluster_id": "{CLUSTER_ID}", "replaces": "other"`' in str(refused.value)
    assert monitor.of_type(PROVIDER) == []


def test_warnings_are_shown_once() -> None:
    pool = {"provider": "existing", "nodes": ["a"], "gpus_per_node": 7, "gpu_resource": "nvidia.com/mig-1g.5gb"}
    monitor = declared({**MINIMAL, "gpu_node_pools": {"mig": pool}, "jobset": {"version": "0.13.0"}})
    (of_operators, of_pool) = monitor.log.warnings
    assert of_operators == (
        "",
        "jobset.version: Trainer 2.3.0 is built and tested with JobSet 0.12, not with 0.13.0. Fix: Use JobSet 0.12. "
        "[VER-01]",
    )
    assert of_pool == (
        "",
        "gpu_node_pools.mig.gpu_resource: Trainer does not count nvidia.com/mig-1g.5gb, so torch starts one process "
        "per CPU. Fix: Set the number of processes in runtimes, or use whole GPUs. [POOL-10]",
    )


def test_manifests_in_a_folder_need_no_cluster(asked: list[tuple[str | None, str | None]]) -> None:
    monitor = declared({"render_to": "rendered", "runtimes": MINIMAL["runtimes"]})
    assert asked == []
    assert monitor.of_type(f"{MINE}:TrainingGate") == []
    assert [each.name for each in monitor.registered.values() if any(each.hooks.values())] == []


def test_two_platforms_in_one_program_have_different_names() -> None:
    def program() -> None:
        for name in ("one", "two"):
            TrainingPlatform(name, {**MINIMAL, "context": name})  # type: ignore[arg-type]

    monitor = run(program)
    names = [each.name for each in monitor.of_type("kubernetes:helm.sh/v4:Chart")]
    assert names == ["one-jobset", "one-trainer", "two-jobset", "two-trainer"]


VALIDATION = f"{MINE}:TrainingValidation"


def test_validation_comes_after_the_gate_with_a_report_for_each_runtime() -> None:
    runtimes = [deepspeed(gpus_per_node=8), torch(gpus_per_node=8)]
    monitor = declared({**MINIMAL, "runtimes": runtimes, "validation": {"namespace": "team-a"}})
    (validation,), (gate,) = monitor.of_type(VALIDATION), monitor.of_type(f"{MINE}:TrainingGate")
    (config_map,) = [each for each in monitor.registered.values() if each.parent == gate.urn]
    assert config_map.urn in validation.dependencies
    reports = [each for each in monitor.of_type("kubernetes:core/v1:ConfigMap") if each.parent == validation.urn]
    assert {each.name: each.inputs["metadata"]["name"] for each in reports} == {
        f"training-validation:{runtime}": f"training-validation-{runtime}"
        for runtime in ("deepspeed-distributed", "torch-distributed")
    }
    for each in reports:
        # The hook writes `data`, which is therefore not an input.
        assert each.inputs.keys() == {"apiVersion", "kind", "metadata"}
        assert each.inputs["metadata"]["namespace"] == "team-a"
        assert each.hooks["before_create"] == each.hooks["before_update"] == ["training-validation:run"]
        assert each.hooks["before_delete"] == ["training-validation:own"]


def test_platform_without_a_validation_has_no_reports_and_can_remove_those_that_it_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hooks: list[str] = []
    monkeypatch.setattr(layers, "removal_hook", lambda name, _: hooks.append(name))
    assert declared(MINIMAL).of_type(VALIDATION) == []
    assert hooks == ["training-validation"]


def fingerprints(**args: Any) -> set[str]:
    monitor = declared({**MINIMAL, "validation": {}, **args})
    (validation,) = monitor.of_type(VALIDATION)
    reports = [each for each in monitor.of_type("kubernetes:core/v1:ConfigMap") if each.parent == validation.urn]
    return {each.inputs["metadata"]["annotations"]["training-platform/fingerprint"] for each in reports}


def test_validation_runs_again_if_an_operator_a_runtime_or_the_settings_change() -> None:
    first = fingerprints()
    assert first == fingerprints()
    assert first != fingerprints(jobset={"replicas": 2})
    assert first != fingerprints(runtimes=[deepspeed(gpus_per_node=4)])
    assert first != fingerprints(validation={"nodes": 2})
    assert first != fingerprints(validation={"strict": True})


@pytest.mark.parametrize(
    ("validation", "path", "message"),
    [
        (7, "validation", "`validation` is 7, not a spec."),
        ({"node": 2}, "validation.node", "Unknown key `node`."),
        ({"runtimes": ["torch"]}, "validation.runtimes[0]", "There is no runtime `torch`."),
    ],
)
def test_wrong_validation_is_an_error(validation: Any, path: str, message: str) -> None:
    with pytest.raises(InvalidPlatformError) as refused:
        declared({**MINIMAL, "validation": validation})
    assert [(each.path, each.message) for each in refused.value.violations] == [(path, message)]


def test_validation_needs_a_cluster() -> None:
    with pytest.raises(InvalidPlatformError, match="no cluster is known"):
        declared({"render_to": "folder", "runtimes": MINIMAL["runtimes"], "validation": {}})

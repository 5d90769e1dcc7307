"""What is run to validate a runtime, and what it must show."""

import ast
from typing import Any

import pytest

from components.gpu_node_pool import ExistingPool, SimulatedPool
from components.k8s.metadata import ObjectMeta
from components.runtimes import TrainingRuntime, deepspeed, flux, jax, mlx, torch, torchtune, xgboost
from components.runtimes.placement import Placement, PodNetwork
from components.training_validation.plan import (
    LABEL,
    Runtime,
    TrainingPlan,
    ValidationPool,
    check_runtimes,
    plan_trainings,
    rank_program,
    validation_pools,
)
from components.training_validation.spec import ValidationSpec

POOL = ExistingPool(provider="existing", nodes=("a", "b", "c", "d"), gpus_per_node=8)
PLACEMENT = POOL.placement("gpu")
POOLS = validation_pools({"gpu": POOL}, {})


def plan_of(runtime: Runtime, pools: tuple[ValidationPool, ...] = POOLS, **settings: Any) -> TrainingPlan:
    (plan,) = plan_trainings(ValidationSpec(**settings), [runtime], pools, {"owner": "me"})
    return plan


def command_of(plan: TrainingPlan) -> tuple[str, ...]:
    trainer = plan.train_job.spec.trainer
    return (trainer and trainer.command) or ()


def test_train_job_uses_the_runtime_as_it_is() -> None:
    plan = plan_of(torch(placement=PLACEMENT), labels={"queue": "q"}, namespace="team-a", timeout_seconds=100)
    manifest = plan.train_job.to_manifest()
    assert manifest["metadata"] == {
        "name": "validate",
        "namespace": "team-a",
        "labels": {"queue": "q", LABEL: "true"},
        "annotations": {"owner": "me"},
    }
    assert manifest["spec"] == {
        "runtimeRef": {"name": "torch-distributed", "kind": "ClusterTrainingRuntime"},
        "trainer": {
            "numNodes": 2,
            "command": ["torchrun", "--no-python", "python3", "-c", rank_program(), "torch", "2", "0"],
        },
        "activeDeadlineSeconds": 160,
    }


def test_label_of_the_validation_cannot_be_replaced() -> None:
    assert plan_of(torch(placement=PLACEMENT), labels={LABEL: "no"}).train_job.metadata.labels == {LABEL: "true"}


@pytest.mark.parametrize(
    ("runtime", "starter", "hosts", "ranks", "pods"),
    [
        (torch(placement=PLACEMENT), "torchrun", 2, 16, {"node": 2}),
        (deepspeed(placement=PLACEMENT), "mpirun", 3, 24, {"node": 2, "launcher": 1}),
        (mlx(placement=PLACEMENT), "mpirun", 3, 24, {"node": 2, "launcher": 1}),
        (jax(placement=PLACEMENT), "python3", 2, 2, {"node": 2}),
        (xgboost(placement=PLACEMENT), "python3", 2, 16, {"node": 2}),
    ],
    ids=["torch", "deepspeed", "mlx", "jax", "xgboost"],
)
def test_pods_hosts_ranks_and_gpus_are_expected(
    runtime: Runtime, starter: str, hosts: int, ranks: int, pods: dict[str, int]
) -> None:
    plan = plan_of(runtime)
    assert command_of(plan)[0] == starter
    expected = plan.expected
    assert (expected.hosts, expected.ranks, expected.pods, expected.gpus_per_rank) == (hosts, ranks, pods, 8)
    assert expected.resources == {"nvidia.com/gpu": 8}
    assert plan.pool_name == "gpu"


def test_torch_without_gpus_and_cpus_has_one_rank_on_each_node() -> None:
    assert plan_of(torch(), ()).expected.ranks == 2
    assert plan_of(torch(), ()).expected.gpus_per_rank == 0


@pytest.mark.parametrize(("most", "nodes"), [(2, 2), (3, 3), (9, 3)])
def test_nodes_are_at_most_those_of_the_pool(most: int, nodes: int) -> None:
    placement = PLACEMENT.model_copy(update={"max_nodes": most})
    plan = plan_of(deepspeed(placement=placement), (ValidationPool("gpu", placement),))
    assert plan.train_job.spec.trainer is not None
    assert plan.train_job.spec.trainer.num_nodes == nodes


def test_process_sees_one_part_of_a_gpu() -> None:
    placement = Placement(node_selector={"a": "b"}, gpus_per_node=7, gpu_resource="nvidia.com/mig-1g.5gb")
    plan = plan_of(torch(placement=placement), (ValidationPool("mig", placement),))
    assert plan.expected.gpus_per_rank == 1
    assert plan.expected.gpus == {"nvidia.com/mig-1g.5gb": 7}


def test_training_runtime_is_validated_in_its_namespace() -> None:
    manifest = torch(placement=PLACEMENT).to_manifest()
    metadata = {**manifest["metadata"], "namespace": "team-a"}
    runtime = TrainingRuntime.from_manifest({**manifest, "kind": "TrainingRuntime", "metadata": metadata})
    plan = plan_of(runtime, namespace="other")
    assert (plan.namespace, plan.key, plan.name) == ("team-a", "team-a/torch-distributed", "torch-distributed")
    assert plan.train_job.spec.runtime_ref.kind == "TrainingRuntime"


def test_several_pods_fit_on_one_node() -> None:
    placement = PLACEMENT.model_copy(update={"max_nodes": 1})
    pool = ValidationPool("gpu", placement)
    runtime = torch(placement=placement, gpus_per_node=4)
    assert plan_of(runtime, (pool,)).expected.hosts == 2
    assert [*check_runtimes(ValidationSpec(nodes=2), [runtime], (pool,))] == []
    assert len([*check_runtimes(ValidationSpec(nodes=3), [runtime], (pool,))]) == 1


def test_nodes_are_those_of_the_settings() -> None:
    assert plan_of(torch(placement=PLACEMENT), nodes=4).expected.hosts == 4


def test_runtime_has_the_pool_that_its_pods_select() -> None:
    other = ValidationPool("other", POOL.placement("other"))
    assert plan_of(torch(placement=PLACEMENT), (other, *POOLS)).pool_name == "gpu"
    assert plan_of(torch(gpus_per_node=8), (other, *POOLS)).pool_name is None
    assert plan_of(torch(gpus_per_node=8), (ValidationPool("any", Placement(gpus_per_node=8)),)).pool_name is None


def test_pools_of_other_programs_are_known_by_their_placement() -> None:
    assert validation_pools({}, {"gpu": PLACEMENT}) == (ValidationPool("gpu", PLACEMENT),)


def test_simulated_nodes_run_nothing() -> None:
    pool = SimulatedPool(provider="simulated", nodes=4, gpus_per_node=8)
    plan = plan_of(torch(placement=pool.placement("gpu")), validation_pools({"gpu": pool}, {}))
    assert plan.is_simulated
    assert plan.expected.memory == 512 * 1024**3 * 9 // 10
    assert plan.promise == "8 nvidia.com/gpu, about 512Gi memory"
    assert not plan_of(torch(placement=PLACEMENT)).is_simulated


def test_allreduce_is_measured_where_the_pool_has_a_fast_network() -> None:
    network = PodNetwork(resources={"vpc.amazonaws.com/efa": 4})
    placement = PLACEMENT.model_copy(update={"network": network})
    plan = plan_of(torch(placement=placement), (ValidationPool("gpu", placement),))
    assert command_of(plan)[-1] == str(64 * 1024**2)
    assert plan.expected.nics == {"vpc.amazonaws.com/efa": 4}


def test_only_runtimes_that_have_a_program_are_validated() -> None:
    runtimes = [torch(placement=PLACEMENT), torchtune(placement=PLACEMENT), flux(placement=PLACEMENT)]
    plans = plan_trainings(ValidationSpec(), runtimes, POOLS, {})
    assert [plan.name for plan in plans] == ["torch-distributed"]
    assert [*check_runtimes(ValidationSpec(), runtimes, POOLS)] == []


def test_only_runtimes_of_the_settings_are_validated() -> None:
    runtimes = [torch(placement=PLACEMENT), jax(placement=PLACEMENT)]
    plans = plan_trainings(ValidationSpec(runtimes=("jax-distributed",)), runtimes, POOLS, {})
    assert [plan.name for plan in plans] == ["jax-distributed"]


@pytest.mark.parametrize(
    ("settings", "path", "message"),
    [
        ({"runtimes": ("torch",)}, "validation.runtimes[0]", "There is no runtime `torch`."),
        (
            {"runtimes": ("torchtune-llama3.2-1b",)},
            "validation.runtimes[0]",
            "Runtime `torchtune-llama3.2-1b` cannot be validated: its initializers download data.",
        ),
        (
            {"runtimes": ("flux-distributed",)},
            "validation.runtimes[0]",
            "Runtime `flux-distributed` cannot be validated: its framework has no program for it.",
        ),
        (
            {"nodes": 5},
            "validation.nodes",
            "5 nodes of `torch-distributed` do not fit on pool `gpu`, which has at most 4.",
        ),
    ],
)
def test_setting_that_cannot_work_is_an_error(settings: dict[str, Any], path: str, message: str) -> None:
    flux_runtime = flux(name="flux-distributed", placement=PLACEMENT)
    runtimes = [torch(placement=PLACEMENT), torchtune(placement=PLACEMENT), flux_runtime]
    (found,) = check_runtimes(ValidationSpec(**settings), runtimes, POOLS)
    assert (found.path, found.message) == (path, message)


def test_two_runtimes_with_one_report_are_an_error() -> None:
    everywhere = torch()
    here = TrainingRuntime(metadata=ObjectMeta(name=everywhere.metadata.name, namespace="team"), spec=everywhere.spec)
    assert [*check_runtimes(ValidationSpec(), [everywhere, here], ())] == []
    (found,) = check_runtimes(ValidationSpec(namespace="team"), [everywhere, here], ())
    assert (found.path, found.message) == (
        "validation.namespace",
        "The reports of two runtimes `torch-distributed` have the same name in namespace `team`.",
    )


def test_validation_without_runtimes_is_an_error() -> None:
    (found,) = check_runtimes(ValidationSpec(), [torchtune()], POOLS)
    assert found.path == "validation"


def test_fingerprint_changes_with_what_the_result_depends_on() -> None:
    other_pool = ExistingPool(provider="existing", nodes=("a", "b", "c"), gpus_per_node=8)
    prints = [
        plan_of(torch(placement=PLACEMENT)).fingerprint("1"),
        plan_of(torch(placement=PLACEMENT)).fingerprint("2"),
        plan_of(torch(placement=PLACEMENT, image="a:1")).fingerprint("1"),
        plan_of(torch(placement=PLACEMENT), nodes=3).fingerprint("1"),
        plan_of(torch(placement=PLACEMENT), timeout_seconds=60).fingerprint("1"),
        plan_of(torch(placement=PLACEMENT), validation_pools({"gpu": other_pool}, {})).fingerprint("1"),
    ]
    assert len({*prints}) == len(prints)
    assert prints[0] == plan_of(torch(placement=PLACEMENT)).fingerprint("1")


def test_program_of_the_ranks_is_python_3_8_and_can_be_an_argument() -> None:
    ast.parse(rank_program(), feature_version=(3, 8))
    assert "$(" not in rank_program()  # Kubernetes would expand it
    assert len(rank_program()) < 100_000

"""A destroy with users' work in the cluster, what is taken over after it, and an engine that is killed meanwhile."""

from .conftest import Platform
from .kill_engine import kill_during
from .stack_objects import CRDS, OURS, counts, present, trainjobs
from .user_objects import API, crds, of_others, runtimes, suspended

NAMESPACES = ("v1", "Namespace")


def test_unfinished_trainjobs_stop_a_destroy_and_finished_ones_survive_it(
    changed_platform: Platform,
) -> None:
    platform = changed_platform
    before = platform.sections("trainer", "runtimes")
    trainer = {key: value for key, value in before["trainer"].items() if key != "interruptTrainJobs"}
    platform.edit(trainer=trainer)
    trainjobs(platform).create(body=suspended(), namespace="default")

    refused = platform.run("destroy")
    assert refused.returncode == 1
    assert "trainer: 1 unfinished TrainJob would stop:\n      TrainJob default/of-a-user\n" in refused.stdout
    assert "Traceback" not in refused.stdout
    assert present(platform) == OURS

    platform.edit(trainer={**trainer, "destroyCrds": True, "interruptTrainJobs": True})
    refused = platform.run("destroy")
    assert "trainer.confirmedObjectLoss: `destroyCrds` would delete 1 object, and 0 are confirmed:" in refused.stdout
    assert present(platform) == OURS

    platform.edit(trainer={**trainer, "interruptTrainJobs": True})
    platform.succeed("destroy")
    assert present(platform) == {kind: [] for kind in OURS}
    assert crds(platform) == CRDS
    assert trainjobs(platform).get(name="of-a-user", namespace="default").spec.trainer.numNodes == 2

    # Someone else makes a runtime of the same name meanwhile.
    runtimes(platform).create(body=of_others("mlx-distributed"))
    taken = platform.run("preview")
    assert taken.returncode == 1
    assert "runtimes.mlx-distributed: Runtime `mlx-distributed` already exists in the cluster" in taken.stdout
    assert "Set `runtimes: {mlx-distributed: {adopt: true}}` to replace it" in taken.stdout
    adopted = {**before["runtimes"], "mlx-distributed": {**before["runtimes"]["mlx-distributed"], "adopt": True}}
    platform.edit(runtimes=adopted)

    print("killed at", kill_during(platform, "up", 60))
    output = platform.succeed("up")
    assert "pending operations" not in output
    assert "suspended TrainJob" not in output, "Trainer 2.3 keeps a copy of the runtime for each TrainJob"
    assert not list((platform.project / ".local").glob("scratch-*")), "credentials are left behind"
    assert present(platform) == OURS
    assert set(counts(platform.succeed("preview"))) == {"unchanged"}
    assert "mlPolicy" in runtimes(platform).get(name="mlx-distributed").spec.to_dict()
    kept = trainjobs(platform).get(name="of-a-user", namespace="default")
    assert kept.spec.trainer.numNodes == 2
    trainjobs(platform).delete(name="of-a-user", namespace="default")
    platform.edit(**before)


def test_crds_are_deleted_with_the_objects_whose_number_is_confirmed(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("jobset", "trainer")
    platform.succeed("up")
    trainjobs(platform).create(body=suspended(), namespace="default")
    runtimes(platform).create(body=of_others("theirs"))
    gone = {section: {**settings, "destroyCrds": True} for section, settings in before.items()}
    gone["trainer"]["confirmedObjectLoss"] = 2
    platform.edit(**gone)

    platform.succeed("destroy")
    assert crds(platform) == []
    assert [name for name in OURS[NAMESPACES] if name in platform.names(*NAMESPACES)] == []

    platform.edit(**before)
    platform.succeed("up")
    assert present(platform) == OURS
    assert platform.names(API, "TrainJob") == []
    assert set(counts(platform.succeed("preview"))) == {"unchanged"}


def test_removed_sections_are_deleted_unless_trainjobs_are_unfinished(changed_platform: Platform) -> None:
    platform, before = changed_platform, changed_platform.sections("jobset", "trainer", "runtimes")
    platform.succeed("up")
    trainer = {key: value for key, value in before["trainer"].items() if key != "interruptTrainJobs"}

    deepspeed = {"deepspeed-distributed": before["runtimes"]["deepspeed-distributed"]}
    platform.edit(trainer=trainer, runtimes=deepspeed)
    assert counts(platform.succeed("up"))["deleted"] == 1
    assert platform.names(API, "ClusterTrainingRuntime") == ["deepspeed-distributed"]

    trainjobs(platform).create(body=suspended(), namespace="default")
    unfinished = "trainer: 1 unfinished TrainJob would stop:\n      TrainJob default/of-a-user\n"
    platform.edit(jobset={"mode": "external"})
    refused = platform.run("up")
    assert refused.returncode == 1
    assert unfinished in refused.stdout
    assert "interruptTrainJobs: true" in refused.stdout
    platform.edit(jobset=None, trainer=None, runtimes=None)
    assert "deleted" not in (refused := platform.run("up")).stdout
    assert refused.returncode == 1
    assert unfinished in refused.stdout
    assert "Wait for them, or delete them." in refused.stdout
    assert platform.names(API, "ClusterTrainingRuntime") == ["deepspeed-distributed"]

    trainjobs(platform).delete(name="of-a-user", namespace="default")
    platform.succeed("up")
    assert present(platform) == {kind: names if kind == ("v1", "Node") else [] for kind, names in OURS.items()}
    assert crds(platform) == CRDS
    platform.edit(**before)
    platform.succeed("up")
    assert present(platform) == OURS

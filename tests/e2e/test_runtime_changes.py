"""A preview says what a changed runtime means for TrainJobs."""

from .conftest import Platform

TITLE = "What changes for TrainJobs that are created after `up`:"


def test_a_preview_says_what_changes_for_train_jobs(changed_platform: Platform) -> None:
    changed_platform.succeed("up")
    runtimes = changed_platform.sections("runtimes")["runtimes"]
    name = "deepspeed-distributed"
    changed_platform.edit(runtimes=runtimes | {name: runtimes[name] | {"nodes": 3, "env": {"NCCL_DEBUG": "INFO"}}})

    told = changed_platform.succeed("preview")

    assert TITLE in told
    assert "Job node has 2 pods instead of 1." in told
    assert "Container node of launcher: NCCL_DEBUG is added in the environment." in told
    assert told.partition("Diagnostics:")[2].count(TITLE) == 1
    changed_platform.edit(runtimes=runtimes)
    assert TITLE not in changed_platform.succeed("preview")

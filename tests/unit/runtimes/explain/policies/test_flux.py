"""Flux: its init container, and the wrapped command."""

import pytest

from tests.unit.runtimes.explain.pairs import container, explained, job, of_kind, runtime

NEWER = ("2.2.0", "2.3.0")
FLUX = {"flux": {"numProcPerNode": 2}}


@pytest.mark.parametrize("version", NEWER)
def test_the_command_is_wrapped(version: str) -> None:
    made = runtime(job(container={"command": ["lmp"], "args": ["-v"]}), policy=FLUX)
    wrapped = container(explained(made, version, trainer={"numNodes": 2}))
    # 2.2 forgets the runtime's command.
    assert wrapped["command"] == ["/bin/bash", "/etc/flux-config/entrypoint.sh", "lmp" if version == "2.3.0" else ""]
    assert wrapped["args"] == ["-v"]
    given = {"numNodes": 2, "command": ["mpi", "run"], "args": ["a"]}
    assert container(explained(made, version, trainer=given))["command"][2] == "mpi run a"


@pytest.mark.parametrize(
    ("version", "mounts"),
    [
        ("2.2.0", ["/mnt/flux", "/opt/software", "/etc/flux-config", "/curve"]),
        ("2.3.0", ["/mnt/flux", "/opt/software", "/etc/flux-config", "/curve", "/dev/shm"]),  # noqa: S108 - a mount
    ],
)
def test_flux_is_mounted(version: str, mounts: list[str]) -> None:
    explanation = explained(runtime(policy=FLUX), version, trainer={"numNodes": 2})
    assert [mount["mountPath"] for mount in container(explanation)["volumeMounts"]] == mounts
    installer = container(explanation, name="flux-installer")
    assert installer["image"] == "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy"
    assert [mount["mountPath"] for mount in installer["volumeMounts"]] == ["/mnt/flux", "/etc/flux-config"]


@pytest.mark.parametrize("version", NEWER)
def test_the_installer_s_image_is_a_variable(version: str) -> None:
    made = runtime(job(container={"env": [{"name": "FLUX_VIEW_IMAGE", "value": "a:1"}]}), policy=FLUX)
    assert container(explained(made, version, trainer={"numNodes": 1}), name="flux-installer")["image"] == "a:1"
    given = {"numNodes": 1, "env": [{"name": "FLUX_VIEW_IMAGE", "value": "b:2"}]}
    assert container(explained(made, version, trainer=given), name="flux-installer")["image"] == "b:2"


def test_the_scripts_and_the_certificate_are_not_shown() -> None:
    made = runtime(job(container={"resources": {"limits": {"nvidia.com/gpu": 4}}}), policy=FLUX)
    explanation = explained(made, trainer={"numNodes": 2})
    assert [(each["metadata"]["name"], each["data"]) for each in of_kind(explanation, "ConfigMap")[1:]] == [
        (
            "tj-flux-entrypoint",
            {
                "entrypoint.sh": "<script that runs flux run -N 2 -n 4 -g 4>",
                "init.sh": "<script that installs Flux>",
            },
        )
    ]
    assert [each["data"] for each in of_kind(explanation, "Secret")] == [{"curve.cert": "<certificate>"}]


@pytest.mark.parametrize("version", NEWER)
def test_trainer_panics_without_a_node_count(version: str) -> None:
    made = runtime(policy=FLUX)
    assert explained(made, version).failure == "Trainer's Flux plugin panics: the TrainJob has no spec.trainer."
    assert explained(made, version, trainer={}).failure == (
        "Trainer's Flux plugin panics: the TrainJob has no spec.trainer.numNodes."
    )

"""TrainJobs that are checked with the runtimes of a cluster, and by its API server."""

import subprocess
import sys
from typing import Any

import yaml

from .conftest import Platform

API = "trainer.kubeflow.org/v1alpha1"
REJECTED = [{"name": "OMPI_MCA_orte_default_hostfile", "value": "mine"}]


def write(platform: Platform, name: str, runtime: str, **trainer: Any) -> str:
    spec = {"runtimeRef": {"name": runtime}, "trainer": trainer}
    job = {"apiVersion": API, "kind": "TrainJob", "metadata": {"name": name, "namespace": "default"}, "spec": spec}
    (platform.project / f"{name}.yaml").write_text(yaml.safe_dump(job))
    return f"{name}.yaml"


def run(platform: Platform, *words: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=platform.project,
        env={"PATH": "/usr/bin:/bin", "KUBECONFIG": str(platform.kubeconfig)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, (done.stdout + done.stderr).splitlines()


def context(platform: Platform) -> str:
    return str(yaml.safe_load(platform.kubeconfig.read_text())["current-context"])


def test_the_linter_reads_runtimes_from_a_cluster(platform: Platform) -> None:
    here = ("--context", context(platform))
    good = write(platform, "good", "deepspeed-distributed", numNodes=2)
    code, lines = run(platform, "components.runtimes", "check", good, *here)
    assert (code, lines[-1]) == (0, "0 errors, 0 warnings; 0 valid runtimes, 1 valid TrainJob.")
    reserved = write(platform, "reserved", "deepspeed-distributed", env=REJECTED)
    code, lines = run(platform, "components.runtimes", "check", reserved, *here)
    assert code == 1
    assert "error [TJC-24] spec.trainer.env[0]:" in lines[0]
    missing = write(platform, "missing", "deepspeed-distribute", numNodes=2)
    code, lines = run(platform, "components.runtimes", "check", missing, *here)
    assert code == 1
    assert "error [TJC-05] spec.runtimeRef.name:" in lines[0]
    assert lines[1].strip() == "Fix: Did you mean deepspeed-distributed?"


def cluster_lines(platform: Platform, file: str) -> tuple[int, list[str]]:
    code, lines = run(platform, "stacks", "explain", "local", "--train-job", file)
    return code, [line.strip() for line in lines[lines.index("Cluster") + 1 :]]


def test_the_api_server_is_asked_by_dry_run(platform: Platform) -> None:
    before = platform.names(API, "TrainJob")
    good = write(platform, "good", "deepspeed-distributed", numNodes=2)
    assert cluster_lines(platform, good) == (0, ["The API server admits the TrainJob."])
    reserved = write(platform, "reserved", "deepspeed-distributed", env=REJECTED)
    _, lines = cluster_lines(platform, reserved)
    assert len(lines) == 1
    assert lines[0].startswith("The API server rejects the TrainJob: admission webhook")
    assert "must not have reserved envs" in lines[0]
    assert platform.names(API, "TrainJob") == before


def test_a_name_that_is_taken_and_a_missing_namespace_are_not_rejections(platform: Platform) -> None:
    train_jobs = platform.cluster().resources.get(api_version=API, kind="TrainJob")
    file = write(platform, "taken", "deepspeed-distributed", numNodes=2)
    job = yaml.safe_load((platform.project / file).read_text())
    train_jobs.create(body=job | {"spec": job["spec"] | {"suspend": True}}, namespace="default")
    try:
        assert cluster_lines(platform, file)[1] == [
            "The API server admits the TrainJob.",
            "A TrainJob of this name exists already: choose another name, or delete that one first.",
        ]
    finally:
        train_jobs.delete(name="taken", namespace="default")
    (platform.project / file).write_text(yaml.safe_dump(job | {"metadata": {"name": "taken", "namespace": "nowhere"}}))
    assert cluster_lines(platform, file)[1] == ['The API server gave no verdict: namespaces "nowhere" not found.']


def test_a_runtime_that_was_changed_in_the_cluster_is_reported(changed_platform: Platform) -> None:
    changed_platform.succeed("up")
    runtimes = changed_platform.cluster().resources.get(api_version=API, kind="ClusterTrainingRuntime")
    body = {"spec": {"mlPolicy": {"numNodes": 4}}}
    runtimes.patch(name="mlx-distributed", body=body, content_type="application/merge-patch+json")
    file = write(changed_platform, "unset", "mlx-distributed")
    code, lines = cluster_lines(changed_platform, file)
    assert code == 0
    assert lines[0] == "With the runtime in the cluster, instead of the stack's:"
    assert "Job launcher has 4 pods instead of 1." in lines
    assert lines[-1] == "The API server admits the TrainJob."
    changed_platform.succeed("refresh")
    changed_platform.succeed("up")

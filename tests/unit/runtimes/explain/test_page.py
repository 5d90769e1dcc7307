"""The page for a terminal."""

from pathlib import Path

from components.runtimes.catalog import deepspeed
from components.runtimes.explain import explain
from components.runtimes.explain.page import WIDTH, to_page
from components.runtimes.placement import Placement
from tests.unit.runtimes.explain.pairs import explained, job, runtime, train_job

PAGE = """\
TrainJob default/tune with ClusterTrainingRuntime deepspeed-distributed
Trainer 2.3.0, JobSet 0.12.0

Order
  1. JobSet tune, ConfigMap tune-runtime-snapshot, Secret tune-mpi-ssh-auth, ConfigMap
     tune-mpi-hostfile
  2. Service tune, when the JobSet exists
  3. Job tune-node-0 with 3 pods, when the JobSet exists
  4. Job tune-launcher-0 with 1 pod, when all pods of node are ready
  5. the TrainJob is Complete, when all jobs of launcher succeeded

Pods
  Job tune-node-0, 3 pods: tune-node-0-[0-2].tune
  Job tune-launcher-0, 1 pod: tune-launcher-0-0.tune

Nodes
  4 at the same time; the pool can have 16

Hostfile
  tune-node-0-0.tune slots=1
  tune-node-0-1.tune slots=1
  tune-node-0-2.tune slots=1
  tune-launcher-0-0.tune slots=1

Environment
  job node, container node
    JOB_COMPLETION_INDEX=<index of the pod>                                           Job controller
"""


def test_the_page_of_deepspeed() -> None:
    given = train_job("tune", trainer={"numNodes": 4})
    page = to_page(explain(deepspeed(), given, Placement(gpus_per_node=8, max_nodes=16)))
    assert page.startswith(PAGE)
    assert all(len(line) <= WIDTH for line in page.splitlines())
    headings = [line for line in page.splitlines()[3:] if line and not line.startswith(" ")]
    assert headings == ["Order", "Pods", "Nodes", "Hostfile", "Environment", "Volumes", "Later changes"]


def test_a_long_hostfile_is_shortened() -> None:
    page = to_page(explained(deepspeed(), trainer={"numNodes": 40}))
    assert "  ... 40 lines, the last: tj-launcher-0-0.tj slots=1" in page.splitlines()


def test_a_failure_comes_first() -> None:
    page = to_page(explained(runtime(policy={"flux": {}})))
    assert page.splitlines()[3:5] == [
        "Failure",
        "  Trainer's Flux plugin panics: the TrainJob has no spec.trainer.",
    ]


def test_a_gang_says_what_it_waits_for() -> None:
    page = to_page(explained(runtime(policy={"numNodes": 2}, gang={"coscheduling": {}})))
    assert "  PodGroup tj (scheduling.x-k8s.io/v1alpha1): 2 pods or none; resources: no requests" in page.splitlines()


def test_a_pool_that_is_too_small_is_named() -> None:
    explanation = explain(runtime(), train_job(trainer={"numNodes": 3}), Placement(gpus_per_node=8, max_nodes=2))
    line = "  3 at the same time; the pool can have 2, so the training never starts"
    assert line in to_page(explanation).splitlines()


def test_long_values_are_cut_and_control_characters_are_not_printed() -> None:
    env = [{"name": "A", "value": "x" * 70}, {"name": "B", "value": "a\x1b[31m"}, {"name": "C", "value": "a\nb"}]
    page = to_page(explained(runtime(job(container={"env": env}))))
    assert f"A={'x' * 57}..." in page
    assert "C=a\\nb" in page
    assert "\x1b" not in page


def test_readme_shows_lines_of_a_page_in_order() -> None:
    readme = (Path(__file__).parents[4] / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("--nodes 16 --gpus-per-node 8\n")[2].partition("```")[0].splitlines()
    trainer = {"numNodes": 4, "command": ["mpirun", "python", "train.py"]}
    pool = Placement(gpus_per_node=8, max_nodes=16)
    page = to_page(explain(deepspeed(gpus_per_node=8), train_job("tune", trainer=trainer), pool))
    lines = iter(page.splitlines())
    assert len(shown) > 25
    assert [line for line in shown if line != "  ..." and line not in lines] == []

"""The flowchart."""

from components.runtimes.catalog import deepspeed
from components.runtimes.explain.mermaid import to_mermaid
from tests.unit.runtimes.explain.pairs import explained, job, runtime


def test_deepspeed_s_flowchart() -> None:
    assert (
        to_mermaid(explained(deepspeed(), "2.2.0", trainer={"numNodes": 3}))
        == """\
flowchart LR
  trainjob["TrainJob tj"]
  trainjob -->|Trainer| jobset["JobSet tj"]
  trainjob -->|Trainer| applied1["Secret tj-mpi-ssh-auth"]
  trainjob -->|Trainer| applied2["ConfigMap tj-mpi-hostfile"]
  jobset -->|JobSet| service["Service tj"]
  jobset -->|JobSet| job0["Job tj-node-0"]
  job0 -->|Job controller| job0pods["2 pods"]
  jobset -->|JobSet| job1["Job tj-launcher-0"]
  job1 -->|Job controller| job1pods["1 pod"]
  job0pods -.->|Ready| job1"""
    )


def test_jobs_in_order_are_linked() -> None:
    made = runtime(job("a", ancestor=None, replicas=2), job(), startupPolicy={"startupPolicyOrder": "InOrder"})
    chart = to_mermaid(explained(made)).splitlines()
    assert '  jobset -->|JobSet| job0["Job tj-a-0 to -1"]' in chart
    assert chart[-1] == "  job0pods -.->|Ready| job1"


def test_a_failure_leaves_the_train_job_alone() -> None:
    explanation = explained(runtime(policy={"flux": {}}), "2.2.0")
    assert to_mermaid(explanation) == 'flowchart LR\n  trainjob["TrainJob tj"]'


def test_a_job_that_waits_for_no_job_is_drawn() -> None:
    made = runtime(job(dependsOn=[{"name": "setup", "status": "Complete"}]))
    assert 'job0gate["no job setup"] -.->|Complete| job0' in to_mermaid(explained(made))

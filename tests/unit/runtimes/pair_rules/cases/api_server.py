"""TrainJobs that the API server rejects by the CRD."""

from ...explain.pairs import train_job
from ..samples import Case, Sample

CASES = (
    Case("TJC-01", "metadata.name", Sample(train_job(name="1-job")), Sample(train_job(name="job-1"))),
    Case("TJC-01", "metadata.name", Sample(train_job(name="a" * 64)), Sample(train_job(name="a" * 63))),
    Case(
        "TJC-09",
        "spec.managedBy",
        Sample(train_job(managedBy="example.com/mine")),
        Sample(train_job(managedBy="kueue.x-k8s.io/multikueue")),
    ),
)

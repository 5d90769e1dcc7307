"""Releases of both operators, and how a stack is set to one."""

from .conftest import Platform

STEPS = (("2.0.0", "0.8.2"), ("2.2.0", "0.11.1"), ("2.3.0", "0.12.0"))
"""Trainer with its JobSet, oldest first."""


def set_versions(platform: Platform, trainer: str, jobset: str, replicas: int = 1) -> None:
    """Write the versions of both operators into the stack file."""
    charts = ".local/charts"
    platform.edit(
        jobset={"version": jobset, "chart": f"{charts}/jobset-{jobset}", "replicas": replicas},
        trainer={
            "version": trainer,
            "chart": f"{charts}/kubeflow-trainer-{trainer}",
            "replicas": replicas,
            "interruptTrainJobs": True,
        },
    )

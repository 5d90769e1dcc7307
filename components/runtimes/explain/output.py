"""The ways in which an explanation is written."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from .explanation import Explanation
from .mermaid import to_mermaid
from .page import to_page


def to_data(explanation: Explanation) -> dict[str, Any]:
    """The explanation as plain data, with the manifests as `objects`."""
    capacity = explanation.capacity
    data: dict[str, Any] = {
        "trainer": explanation.release.trainer,
        "jobset": explanation.release.jobset,
        "runtime": explanation.runtime,
        "trainJob": f"{explanation.namespace}/{explanation.name}",
        "failure": explanation.failure,
        "order": [{"creates": step.what, "waitsFor": step.waits_for or None} for step in explanation.order],
        "jobs": [
            {"name": job.name, "replicatedJob": job.replicated_job, "pods": job.pods, "hosts": [*job.hosts]}
            for job in explanation.jobs
        ],
        "environment": [asdict(each) for each in explanation.environment],
        "volumes": [{**asdict(each), "mounts": [*each.mounts]} for each in explanation.volumes],
        "nodes": capacity and {"needed": capacity.nodes, "available": capacity.available, "fits": capacity.fits},
        "laterChanges": [asdict(each) for each in explanation.changes],
        "notes": [*explanation.notes],
        "objects": explanation.objects(),
    }
    return {key: value for key, value in data.items() if value is not None}


def to_json(explanation: Explanation) -> str:
    """The data as JSON."""
    return json.dumps(to_data(explanation), indent=2, ensure_ascii=False)


def to_yaml(explanation: Explanation) -> str:
    """The data as YAML."""
    from ...k8s.yaml_output import to_yaml as dump  # only who writes YAML needs PyYAML

    return dump(to_data(explanation)).rstrip("\n")


OUTPUTS: Mapping[str, Callable[[Explanation], str]] = {
    "text": to_page,
    "yaml": to_yaml,
    "json": to_json,
    "mermaid": to_mermaid,
}
"""Each way by its name on the command line."""

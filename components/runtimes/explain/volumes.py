"""The volumes of a job's pods, where they are mounted, and who adds each."""

from collections.abc import Iterator, Mapping
from typing import Any

from .explanation import ExplainedJob, MountedVolume
from .stored import containers_of

_NAMES = ("name", "secretName", "claimName", "path", "driver", "reference")
"""The field by which a volume's source is known."""


def mounted_volumes(job: ExplainedJob, origins: Mapping[tuple[str, str], str]) -> Iterator[MountedVolume]:
    """The volumes of a Job's pods. `origins`: who adds each that is neither the runtime's nor JobSet's."""
    pod = job.manifest["spec"]["template"]["spec"]
    labels = job.manifest["metadata"]["labels"]
    for volume in pod.get("volumes") or ():
        name, source = volume["name"], _source(volume)
        mounts = tuple(
            f"{container['name']}:{mount['mountPath']}"
            for container in containers_of(pod)
            for mount in container.get("volumeMounts") or ()
            if mount["name"] == name
        )
        of_jobset = source == f"persistentVolumeClaim {name}-{labels['jobset.sigs.k8s.io/jobset-name']}"
        origin = origins.get((job.replicated_job, name), "JobSet" if of_jobset else "runtime")
        yield MountedVolume(job.replicated_job, name, source, mounts, origin)


def _source(volume: Mapping[str, Any]) -> str:
    kind = next((key for key in volume if key != "name"), "emptyDir")
    source = volume.get(kind) or {}
    name = next((source[key] for key in _NAMES if key in source), "")
    return f"{kind} {name}".strip()

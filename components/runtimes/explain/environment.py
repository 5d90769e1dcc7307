"""The variables of the containers, and who sets each."""

from collections.abc import Iterator, Mapping
from typing import Any

from .explanation import Variable
from .pods import COMPLETION_INDEX, ORIGIN
from .reconciliation import pod_of
from .stored import containers_of

_SOURCES = {
    "fieldRef": "fieldPath",
    "resourceFieldRef": "resource",
    "configMapKeyRef": "key",
    "secretKeyRef": "key",
    "fileKeyRef": "key",
}


def environment(jobset: Mapping[str, Any], origins: Mapping[tuple[str, str], Mapping[str, str]]) -> Iterator[Variable]:
    """The variables of each container of a JobSet with defaults, in order."""
    for job in jobset["spec"].get("replicatedJobs") or ():
        indexed = job["template"]["spec"]["completionMode"] == "Indexed"
        for container in containers_of(pod_of(job)):
            known = origins.get((job["name"], container["name"]), {})
            names = [variable["name"] for variable in container.get("env") or ()]
            for variable in container.get("env") or ():
                origin = known.get(variable["name"], "runtime")
                yield Variable(job["name"], container["name"], variable["name"], _value(variable), origin)
            if indexed and COMPLETION_INDEX not in names:
                yield Variable(job["name"], container["name"], COMPLETION_INDEX, "<index of the pod>", ORIGIN)


def _value(variable: Mapping[str, Any]) -> str:
    source = variable.get("valueFrom")
    if not source:
        return str(variable.get("value", ""))
    for kind, key in _SOURCES.items():
        if kind in source:
            reference = source[kind]
            if "job-completion-index" in str(reference.get("fieldPath")):
                return "<index of the pod>"
            name = f"{reference['name']}: " if reference.get("name") else ""
            return f"<{kind.removesuffix('Ref').removesuffix('Key')} {name}{reference.get(key)}>"
    return "<nothing>"

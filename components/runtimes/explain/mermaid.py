"""An explanation as a Mermaid flowchart."""

from collections.abc import Iterator

from .explanation import Explanation


def to_mermaid(explanation: Explanation) -> str:
    """The flowchart: who creates what, and by dotted lines what waits for what."""
    return "\n".join(("flowchart LR", *(f"  {line}" for line in _lines(explanation))))


def _lines(explanation: Explanation) -> Iterator[str]:
    yield f'trainjob["TrainJob {explanation.name}"]'
    for index, each in enumerate(explanation.applied):
        node = "jobset" if each["kind"] == "JobSet" else f"applied{index}"
        yield f'trainjob -->|Trainer| {node}["{each["kind"]} {each["metadata"]["name"]}"]'
    if explanation.jobset is None:
        return
    spec = explanation.jobset["spec"]
    if spec["network"]["enableDNSHostnames"]:
        name = spec["network"].get("subdomain") or explanation.name
        yield f'jobset -->|JobSet| service["Service {name}"]'
    jobs = spec.get("replicatedJobs") or []
    names = {job["name"]: f"job{index}" for index, job in enumerate(jobs)}
    for job in jobs:
        count = job["replicas"]
        label = f"Job {explanation.name}-{job['name']}-0" + (f" to -{count - 1}" if count > 1 else "")
        pods = count * job["template"]["spec"].get("parallelism", 1)
        node = names[job["name"]]
        yield f'jobset -->|JobSet| {node}["{label}"]'
        yield f'{node} -->|Job controller| {node}pods["{pods} {"pod" if pods == 1 else "pods"}"]'
    earlier = ""
    for job in jobs:
        for gate in job.get("dependsOn") or ():
            node = names[job["name"]]
            waited_for = (
                f"{names[gate['name']]}pods" if gate["name"] in names else f'{node}gate["no job {gate["name"]}"]'
            )
            yield f"{waited_for} -.->|{gate['status']}| {node}"
        if earlier and spec["startupPolicy"]["startupPolicyOrder"] == "InOrder":
            yield f"{names[earlier]}pods -.->|Ready| {names[job['name']]}"
        earlier = job["name"]

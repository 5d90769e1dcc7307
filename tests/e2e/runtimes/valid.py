"""Runtimes that work: the catalogue's topologies and some that people write, with any of the fields around them."""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from components.runtimes import catalog

from .parts import ANNOTATIONS, BYTES, IDS, LABELS, NAME, Part, both, few, named, one
from .pods import CONTAINER, IMAGE, OF_LONG_LIVED, POD, POD_SECURITY, PORT, WHERE
from .volumes import CLAIM, VOLUMES

STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
TRAINER = {"metadata": {"labels": {STEP: "trainer"}}}
INITIALIZERS = ("dataset-initializer", "model-initializer")


def arguments(**more: SearchStrategy[Any]) -> SearchStrategy[Part]:
    """Arguments of the catalogue's functions."""
    gpus = st.fixed_dictionaries(
        {"gpus_per_node": st.integers(1, 8)}, optional={"gpu_resource": st.just("nvidia.com/gpu")}
    )
    cpus = st.fixed_dictionaries({"cpus_per_node": st.integers(1, 8)}, optional={"memory_per_node": BYTES})
    rest = {
        "shared_memory": BYTES,
        "service_account": NAME,
        "pull_secrets": st.lists(NAME, max_size=2, unique=True),
        "istio_sidecar": st.booleans(),
        "kueue_queue": NAME,
        "ttl_seconds_after_finished": IDS,
        "like_upstream": st.booleans(),
    }
    nodes = st.fixed_dictionaries({}, optional={"nodes": st.integers(2, 4)})
    parts = st.tuples(st.just({}) | gpus | cpus, nodes, few(rest | more))
    return parts.map(lambda given: given[0] | given[1] | given[2])


MPI_ARGUMENTS = arguments(
    openmpi_major=st.sampled_from([4, 5]),
    wait_for_hosts=st.booleans(),
    wait_for_hosts_seconds=st.integers(1, 1000),
    readiness_period_seconds=st.integers(1, 60),
)
GANG = st.fixed_dictionaries({"schedule_timeout_seconds": IDS}).map(lambda gang: {"coscheduling": gang})


def of_catalog(build: Callable[..., Any], given: SearchStrategy[Part]) -> SearchStrategy[Part]:
    """What a function of the catalogue makes of some arguments."""
    return given.map(lambda arguments: build(**arguments).to_manifest())


def without(argument: str) -> Callable[[Part], Part]:
    """Arguments but for one that a function of the catalogue refuses."""
    return lambda given: {name: value for name, value in given.items() if name != argument}


def job(name: str, container: str, *, trains: bool = False, **more: Any) -> Part:
    pod = {"containers": [{"name": container, "image": "registry.example.com/team/train:1", "command": ["train"]}]}
    return {"name": name, "template": {**(TRAINER if trains else {}), "spec": {"template": {"spec": pod}}}, **more}


def written(policy: Part, jobs: list[Part], **jobset: Any) -> Part:
    """A manifest that the catalogue doesn't have."""
    spec = {"mlPolicy": policy, "template": {"spec": {"replicatedJobs": jobs, **jobset}}}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "written"},
        "spec": deepcopy(spec),
    }


@st.composite
def plain(draw: DrawFn) -> Part:
    """Jobs without a framework, of which one trains; each may wait for some before it."""
    names = draw(st.lists(NAME, max_size=3, unique=True).map(lambda names: [name for name in names if name != "node"]))
    jobs = [job(name, name) for name in names] + [job("node", "node", trains=True)]
    for index, each in enumerate(jobs):
        before = draw(st.lists(st.sampled_from(names[:index]), unique=True)) if index else []
        if before:
            status = st.sampled_from(["Ready", "Complete"])
            each["dependsOn"] = [{"name": name, "status": draw(status)} for name in before]
    return written(draw(few({"numNodes": st.integers(1, 8)})), jobs)


@st.composite
def torch_with_targets(draw: DrawFn) -> Part:
    """torchrun's environment in more containers than the one that trains."""
    manifest = written({"torch": {}}, [job("node", "node", trains=True)])
    container = draw(NAME.filter(lambda name: name != "node"))
    jobs = manifest["spec"]["template"]["spec"]["replicatedJobs"]
    pod_of(jobs[0])["initContainers"] = [{"name": container, "image": "prepare"}]
    targets = [{"jobName": "node", "containerNames": [container]}]
    manifest["spec"]["mlPolicy"]["torch"] = {"envInjection": {"targets": targets}}
    return manifest


@st.composite
def mpi_as_root(draw: DrawFn) -> Part:
    """MPI with a launcher that isn't a node, after the workers by startupPolicy."""
    node, launcher = job("node", "node"), job("launcher", "node", trains=True)
    container = pod_of(node)["containers"][0]
    container["command"] = ["/usr/sbin/sshd", "-De"]
    container["readinessProbe"] = {"tcpSocket": {"port": draw(PORT)}}
    policy = {"mpi": draw(few({"numProcPerNode": st.integers(1, 8), "mpiImplementation": st.just("OpenMPI")}))}
    return written(
        policy,
        [node, launcher],
        startupPolicy={"startupPolicyOrder": "InOrder"},
        successPolicy={"operator": draw(st.sampled_from(["All", "Any"])), "targetReplicatedJobs": ["launcher"]},
    )


FLUX = few({"numProcPerNode": st.integers(1, 8)}).map(
    lambda flux: written({"flux": flux, "numNodes": 2}, [job("node", "node", trains=True)])
)
TOPOLOGIES: dict[str, SearchStrategy[Part]] = {
    "deepspeed": of_catalog(catalog.deepspeed, MPI_ARGUMENTS),
    "mlx": of_catalog(catalog.mlx, MPI_ARGUMENTS),
    "torch": of_catalog(catalog.torch, arguments(pod_group=GANG)),
    "jax": of_catalog(catalog.jax, arguments(pod_group=GANG)),
    "xgboost": of_catalog(catalog.xgboost, arguments()),
    "flux-of-the-catalogue": of_catalog(catalog.flux, arguments().map(without("shared_memory"))),
    "torchtune": of_catalog(
        catalog.torchtune, arguments(model=st.sampled_from(["llama3.2-1b", "qwen2.5-1.5b"])).map(without("nodes"))
    ),
    "torch-with-cache": of_catalog(catalog.torch_with_cache, arguments()),
    "torch-with-targets": torch_with_targets(),
    "mpi-as-root": mpi_as_root(),
    "plain": plain(),
    "flux": FLUX,
}


def pod_of(replicated_job: Part) -> Part:
    """The pod spec of a job."""
    spec: Part = replicated_job["template"]["spec"]["template"]["spec"]
    return spec


def extend(part: Part, more: Part) -> None:
    """Fields that are not there yet."""
    for name, value in more.items():
        part.setdefault(name, value)


def append(part: Part, field: str, more: list[Part], key: str = "name") -> None:
    """Items of a list whose key is not there yet."""
    taken = {item[key] for item in part.get(field, ())}
    if new := [item for item in more if item[key] not in taken]:
        part[field] = [*part.get(field, ()), *new]


class Fields(NamedTuple):
    """What there may be in a runtime besides what its topology needs."""

    pod: Mapping[str, SearchStrategy[Any]]
    volumes: Mapping[str, SearchStrategy[Any]]
    claims: bool
    """Whether there are claims of the JobSet's own."""


ANY = Fields(POD | WHERE, VOLUMES, claims=True)
OF_INIT_CONTAINERS = {name: drawn for name, drawn in CONTAINER.items() if name not in OF_LONG_LIVED}


def fill_container(draw: DrawFn, container: Part, fields: Mapping[str, SearchStrategy[Any]]) -> None:
    more = draw(few(fields))
    append(container, "env", more.pop("env", []))
    extend(container, more)


def fill_pod(draw: DrawFn, pod: Part, fields: Fields, claims: list[str]) -> None:
    others = draw(named(st.fixed_dictionaries({"image": IMAGE}), most=1))
    taken = {container["name"] for container in pod["containers"]}
    append(pod, "initContainers", [other for other in others if other["name"] not in taken])
    for container in pod["containers"]:
        fill_container(draw, container, CONTAINER)
    for container in pod.get("initContainers", ()):
        fill_container(draw, container, OF_INIT_CONTAINERS)
    extend(pod, draw(few(fields.pod)))
    if security := draw(few(POD_SECURITY)):
        extend(pod.setdefault("securityContext", {}), security)
    volumes = draw(named(one(fields.volumes)))
    append(pod, "volumes", volumes)
    for volume in [*(each["name"] for each in volumes), *claims]:
        container = draw(st.sampled_from([*pod["containers"], *pod.get("initContainers", ())]))
        append(container, "volumeMounts", [{"name": volume, "mountPath": f"/mnt/{volume}"}], "mountPath")


JOB: dict[str, SearchStrategy[Any]] = {
    "backoffLimit": IDS,
    "activeDeadlineSeconds": st.integers(600, 2**31 - 1),
    "podReplacementPolicy": st.just("Failed"),
    "completionMode": st.just("Indexed"),
}
POD_FAILURES = st.fixed_dictionaries({"rules": st.lists(st.one_of(
    st.fixed_dictionaries({
        "action": st.sampled_from(["FailJob", "Ignore", "Count"]),
        "onExitCodes": st.fixed_dictionaries({"operator": st.just("In"), "values": st.just([1, 42])}),
    }),
    st.fixed_dictionaries({
        "action": st.just("Ignore"),
        "onPodConditions": st.just([{"type": "DisruptionTarget", "status": "True"}]),
    }),
), min_size=1, max_size=2)})  # fmt: skip
FAILURES = few({
    "maxRestarts": st.integers(0, 10),
    "restartStrategy": st.sampled_from(["Recreate", "BlockingRecreate"]),
    "rules": st.lists(both(
        {"name": NAME, "action": st.sampled_from(["FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"])},
        {"onJobFailureReasons": st.just(["PodFailurePolicy"]), "targetReplicatedJobs": st.just(["node"])},
    ), max_size=2, unique_by=lambda rule: rule["name"]),
})  # fmt: skip
JOBSET: dict[str, SearchStrategy[Any]] = {
    "network": few({"publishNotReadyAddresses": st.just(True), "enableDNSHostnames": st.just(True)}),
    "failurePolicy": FAILURES,
    "ttlSecondsAfterFinished": IDS,
    "coordinator": st.just({"replicatedJob": "node", "jobIndex": 0, "podIndex": 0}),
}


def fill_job(draw: DrawFn, replicated_job: Part, fields: Fields, claims: list[str]) -> None:
    template = replicated_job["template"]
    for owner in (template, template["spec"]["template"]):
        metadata = owner.setdefault("metadata", {})
        metadata["labels"] = draw(LABELS) | metadata.get("labels", {})
        metadata["annotations"] = draw(ANNOTATIONS) | metadata.get("annotations", {})
    extend(template["spec"], draw(few(JOB)))
    fill_pod(draw, pod_of(replicated_job), fields, claims)
    if draw(st.booleans()):
        template["spec"]["podFailurePolicy"] = draw(POD_FAILURES)
        pod_of(replicated_job)["restartPolicy"] = "Never"


@st.composite
def runtimes(draw: DrawFn, topologies: Iterable[str] = TOPOLOGIES, fields: Fields = ANY) -> Part:
    """A manifest that works."""
    manifest = draw(TOPOLOGIES[draw(st.sampled_from(sorted(topologies)))])
    metadata, jobset = manifest["metadata"], manifest["spec"]["template"]["spec"]
    metadata["labels"] = draw(LABELS) | metadata.get("labels", {})
    metadata["annotations"] = draw(ANNOTATIONS)
    extend(jobset, draw(few(JOBSET)))
    claims = []
    if fields.claims and "volumeClaimPolicies" not in jobset:
        claims = [{"metadata": {"name": "own-claim"}, "spec": spec} for spec in draw(st.lists(CLAIM, max_size=1))]
        if claims:
            jobset["volumeClaimPolicies"] = [{"templates": claims}]
    for each in jobset["replicatedJobs"]:
        fill_job(draw, each, fields, [claim["metadata"]["name"] for claim in claims])
    return manifest

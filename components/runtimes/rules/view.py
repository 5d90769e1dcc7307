"""The parts of a runtime with their paths, collected once for all rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ...k8s.containers import Container
from ...k8s.jobs import JobSpec
from ...k8s.metadata import EmbeddedMetadata
from ...k8s.pods import PodSpec, PodTemplate
from ...k8s.probes import Probe
from ...k8s.volumes import Volume
from ..api import FRAMEWORK, BaseTrainingRuntime
from ..jobset import JobSetSpec, ReplicatedJob, VolumeClaimTemplate
from ..ml_policy import MLPolicy, MPIPolicy
from ..topology import ANCESTOR_STEP, LAUNCHER, NODE

SSH_VOLUME = "mpi-ssh-auth"
HOSTFILE_VOLUME = "mpi-hostfile"

FLUX_MOUNTS = {
    "/mnt/flux": "flux-install",
    "/opt/software": "spack-install",
    "/curve": "flux-curve",
    "/dev/shm": "shared-memory",  # noqa: S108 - the path of a mount, nothing is written to it
}
"""Volumes that Trainer mounts into a Flux node's container, by directory:
pkg/constants/constants.go:96-131@trainer@v2.3.0."""

Policy = Literal["torch", "mpi", "jax", "xgboost", "flux"]

TRAINER = "trainer"
"""Value of the ancestor label of the job that a TrainJob's `trainer` section configures."""

JOBSET_PATH = "spec.template.spec"


@dataclass(frozen=True, slots=True)
class LocatedContainer:
    """A container and its path."""

    path: str
    model: Container
    init: bool
    """Whether it is in initContainers."""

    @property
    def sidecar(self) -> bool:
        """Whether it is a sidecar: in initContainers, with restartPolicy Always."""
        return self.init and self.model.restart_policy == "Always"

    def probes(self) -> Iterator[tuple[str, Probe]]:
        """Its probes by their names in manifests."""
        for name, probe in (
            ("readinessProbe", self.model.readiness_probe),
            ("livenessProbe", self.model.liveness_probe),
            ("startupProbe", self.model.startup_probe),
        ):
            if probe is not None:
                yield name, probe


@dataclass(frozen=True, slots=True)
class LocatedPod:
    """A pod template and the path of its spec."""

    path: str
    template_path: str
    template: PodTemplate
    spec: PodSpec
    containers: tuple[LocatedContainer, ...]
    """All containers. Init containers come last, as in manifests."""

    def container(self, name: str) -> LocatedContainer | None:
        """The container with this name. Init containers do not count."""
        return next((at for at in self.containers if not at.init and at.model.name == name), None)


@dataclass(frozen=True, slots=True)
class LocatedJob:
    """A replicated job and its path."""

    path: str
    index: int
    model: ReplicatedJob
    ancestor: str | None
    """Value of the ancestor label of the job template, which Trainer reads."""
    pods: int
    """Number of pods of each of its Jobs: the parallelism and completions that Trainer sets, unless a TrainJob sets
    another number."""
    spec: JobSpec | None
    pod: LocatedPod | None

    @property
    def name(self) -> str:
        """Its name."""
        return self.model.name

    @property
    def spec_path(self) -> str:
        """Path of the job's spec."""
        return f"{self.path}.template.spec"

    @property
    def replicas(self) -> int:
        """Number of Jobs. The CRD's default is 1."""
        return 1 if self.model.replicas is None else self.model.replicas

    @property
    def indexed(self) -> bool:
        """Whether its pods have an index. JobSet's default is Indexed."""
        return self.spec is None or self.spec.completion_mode in {None, "Indexed"}

    def container(self, name: str) -> LocatedContainer | None:
        """The container with this name. Init containers do not count."""
        return self.pod.container(name) if self.pod else None


@dataclass(frozen=True, slots=True)
class RuntimeView:
    """A runtime's parts."""

    runtime: BaseTrainingRuntime
    jobset: JobSetSpec | None
    policy: Policy | None
    """The framework whose policy is set. At most one can be set."""
    framework: str | None
    """Value of the framework label, which the SDK reads."""
    jobs: tuple[LocatedJob, ...]
    pods: tuple[LocatedPod, ...]
    containers: tuple[LocatedContainer, ...]

    @classmethod
    def of(cls, runtime: BaseTrainingRuntime) -> "RuntimeView":
        """Collects the parts of a runtime."""
        spec = runtime.spec
        jobset = spec.template.spec if spec.template else None
        jobs = tuple(
            _job(f"{JOBSET_PATH}.replicatedJobs[{index}]", index, job, spec.ml_policy)
            for index, job in enumerate((jobset and jobset.replicated_jobs) or ())
        )
        pods = tuple(job.pod for job in jobs if job.pod)
        return cls(
            runtime=runtime,
            jobset=jobset,
            policy=_policy(spec.ml_policy),
            framework=(runtime.metadata.labels or {}).get(FRAMEWORK),
            jobs=jobs,
            pods=pods,
            containers=tuple(container for pod in pods for container in pod.containers),
        )

    @property
    def mpi(self) -> MPIPolicy | None:
        """The MPI policy."""
        return self.runtime.spec.ml_policy.mpi if self.runtime.spec.ml_policy else None

    @property
    def trainer(self) -> LocatedJob | None:
        """The job that a TrainJob's `trainer` section applies to: the first with the trainer label."""
        return next((job for job in self.jobs if job.ancestor == TRAINER), None)

    def job(self, name: str) -> LocatedJob | None:
        """The replicated job of that name."""
        return next((job for job in self.jobs if job.name == name), None)


def _policy(policy: MLPolicy | None) -> Policy | None:
    if policy is None:
        return None
    names: tuple[Policy, ...] = ("torch", "mpi", "jax", "xgboost", "flux")
    return next((name for name in names if getattr(policy, name) is not None), None)


def _job(path: str, index: int, job: ReplicatedJob, policy: MLPolicy | None) -> LocatedJob:
    spec = job.template.spec
    ancestor = label(job.template.metadata, ANCESTOR_STEP)
    # pkg/runtime/core/trainingruntime.go:189-197 and pkg/runtime/runtime.go:147@trainer@v2.3.0
    pods = spec.parallelism if spec else None
    if ancestor == TRAINER and policy is not None:
        pods = policy.num_nodes
    return LocatedJob(
        path=path,
        index=index,
        model=job,
        ancestor=ancestor,
        pods=max(1 if pods is None else pods, 1),
        spec=spec,
        pod=_pod(f"{path}.template.spec.template", spec.template) if spec else None,
    )


def _pod(path: str, template: PodTemplate) -> LocatedPod | None:
    spec = template.spec
    if spec is None:
        return None
    return LocatedPod(
        path=f"{path}.spec",
        template_path=path,
        template=template,
        spec=spec,
        containers=(
            *(LocatedContainer(f"{path}.spec.containers[{i}]", c, init=False) for i, c in enumerate(spec.containers)),
            *(
                LocatedContainer(f"{path}.spec.initContainers[{i}]", c, init=True)
                for i, c in enumerate(spec.init_containers or ())
            ),
        ),
    )


def label(metadata: EmbeddedMetadata | None, key: str) -> str | None:
    """The value of a label."""
    return (metadata.labels or {}).get(key) if metadata else None


def source_names(volume: Volume) -> list[str]:
    """Names of a volume's sources. A volume without a source is an emptyDir."""
    return [name for name, value in vars(volume).items() if name != "name" and value is not None]


def sdk_container(view: RuntimeView) -> LocatedContainer | None:
    """The container from which the SDK reads the image and devices of a labeled runtime."""
    if view.framework is None:
        return None
    containers = (job.container(NODE) for job in view.jobs if job.ancestor is not None)
    return next((at for at in containers if at), None)


def also_in_depends_on(view: RuntimeView, job: LocatedJob) -> str:
    """An addition to the fix that renames a job, if others depend on it."""
    names = {dependency.name for other in view.jobs for dependency in other.model.depends_on or ()}
    return ", also in dependsOn" if job.name in names else ""


def claim_templates(view: RuntimeView) -> Iterator[tuple[str, str, VolumeClaimTemplate]]:
    """Yields each claim template with its path and name."""
    for index, policy in enumerate((view.jobset and view.jobset.volume_claim_policies) or ()):
        for number, template in enumerate(policy.templates or ()):
            name = template.metadata.name if template.metadata else None
            yield f"{JOBSET_PATH}.volumeClaimPolicies[{index}].templates[{number}]", name or "", template


def injected_volumes(view: RuntimeView, job: LocatedJob) -> set[str]:
    """Names of the volumes that Trainer adds to a job's pods:
    pkg/runtime/framework/plugins/{mpi/mpi.go:142-186,flux/flux.go}@trainer@v2.3.0.
    """
    if view.policy == "mpi" and job.name == LAUNCHER:
        return {SSH_VOLUME, HOSTFILE_VOLUME}
    if view.policy == "mpi" and job.name == NODE:
        return {SSH_VOLUME}
    if view.policy == "flux" and job.name == NODE:
        return set(FLUX_MOUNTS.values())
    return set()

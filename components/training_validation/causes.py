"""The causes of failures that are known by name: each a function from observations to diagnoses.

Messages are those of Kubernetes 1.37.2 (read in its source), of the help files of Open MPI 4.1.4, and of OpenSSH 9.2.
Only the present state of a pod counts: a pod that waited for an image or a node, and then started, shows nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from .diagnosis import Diagnosis
from .observations import Observations, PodObservation
from .phases import Phase

MAX_SUBJECTS = 5
"""Number of pods or nodes with the same cause that are shown. A ConfigMap has at most 1 MiB."""

Cause = Callable[[Observations], Iterator[Diagnosis]]

IMAGE_REASONS = frozenset({"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"})
"""Reasons of a container that waits for its image (k8s.io/kubernetes@v1.37.2, `pkg/kubelet/images/types.go`)."""

_QUOTA = re.compile(r"exceeded quota: ")
# apiserver@v0.37.2: pkg/admission/plugin/webhook/errors/statuserror.go and pkg/util/webhook.
_WEBHOOK = re.compile(r'admission webhook "[^"]+" denied the request|failed calling webhook')
# ssh and ssh-keygen; a key that the server rejects is `Permission denied (publickey)` without a line about the key.
_KEY = re.compile(r'Load key "[^"]*": |no such identity: .*: Permission denied')
# sshd, whose host key is the same file.
_HOST_KEY = re.compile(r"Unable to load host key: ")
# The launcher's init container of our runtimes; ssh.
_HOST = re.compile(r"gave up after \d+ s, no address for:|Could not resolve hostname ")
_SLOTS = re.compile(r"not enough slots available in the system")


def diagnose(seen: Observations, phase: Phase) -> tuple[Diagnosis, ...]:
    """Why a phase failed: the causes that the observations show, or else the last lines of a pod that has some."""
    found = [each for cause in CAUSES for each in _first([one for one in cause(seen) if one.phase is phase])]
    return tuple(found or _unknown(seen, phase))


def _first(found: list[Diagnosis]) -> list[Diagnosis]:
    """The first diagnoses of a cause. The last of them has the number of those that are left out."""
    if len(found) <= MAX_SUBJECTS:
        return found
    *first, last = found[:MAX_SUBJECTS]
    return [*first, replace(last, subject=f"{last.subject} and {len(found) - MAX_SUBJECTS} more")]


def _unknown(seen: Observations, phase: Phase) -> Iterator[Diagnosis]:
    meaning, fix = "This failure has no name yet.", "Read the messages above, and the events and logs of the pods."
    if phase is Phase.ADMISSION and seen.refusals:
        yield Diagnosis("not known", phase, "TrainJob", seen.refusals, meaning, fix)
    elif pod := next((each for each in sorted(seen.pods, key=lambda each: not each.is_launcher) if each.log), None):
        yield Diagnosis("not known", phase, f"pod {pod.name}", pod.log, meaning, fix)


def gpus_missing(seen: Observations) -> Iterator[Diagnosis]:
    """A node offers fewer GPUs than its pool promises."""
    fix = "Check the pods of the device plugin and the driver on this node."
    meaning = "The device plugin does not run there, the driver is not loaded, or a GPU is unhealthy."
    for node, short in _short(seen, seen.expected.gpus or {}):
        yield Diagnosis("GPUs missing", Phase.NODES, f"node {node}", (short,), meaning, fix)


def nics_missing(seen: Observations) -> Iterator[Diagnosis]:
    """A node offers fewer network devices than its pool promises."""
    fix = "Check the pods of the network's device plugin on this node, and the network of the node pool."
    meaning = "The network's device plugin does not run there, or the machine was created without the network."
    for node, short in _short(seen, seen.expected.nics or {}):
        yield Diagnosis("NIC missing", Phase.NODES, f"node {node}", (short,), meaning, fix)


def memory_missing(seen: Observations) -> Iterator[Diagnosis]:
    """A node offers much less memory than its pool promises."""
    fix = "Set the pool's memory to what the nodes have, or check the machine type of the node pool."
    meaning = "The node is another machine than the pool says, or reserves more memory for itself."
    promised = {} if seen.expected.memory is None else {"memory": seen.expected.memory}
    for node, short in _short(seen, promised):
        yield Diagnosis("memory missing", Phase.NODES, f"node {node}", (short,), meaning, fix)


def _short(seen: Observations, promised: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    for node in seen.nodes:
        for resource, count in promised.items():
            if (there := node.allocatable.get(resource, 0)) < count:
                yield node.name, f"{resource}: {there} allocatable, {count} expected"


def quota_exceeded(seen: Observations) -> Iterator[Diagnosis]:
    """A ResourceQuota refuses the TrainJob, a Job or a pod."""
    meaning = "A ResourceQuota of the namespace has no room for the validation."
    fix = "Raise the quota, or set another `validation.namespace`."
    for message in filter(_QUOTA.search, seen.refusals):
        yield Diagnosis("quota exceeded", Phase.ADMISSION, "TrainJob", (message,), meaning, fix)


def webhook_refused(seen: Observations) -> Iterator[Diagnosis]:
    """An admission webhook denies the TrainJob, a Job or a pod, or does not answer."""
    meaning = "A policy of the cluster denies it, or the webhook's controller does not run."
    fix = "Follow the webhook's message, or check the pods behind the webhook that it names."
    for message in filter(_WEBHOOK.search, seen.refusals):
        yield Diagnosis("webhook refused", Phase.ADMISSION, "TrainJob", (message,), meaning, fix)


def image_not_pulled(seen: Observations) -> Iterator[Diagnosis]:
    """A container waits for its image."""
    meaning = "The image does not exist, its registry is not reachable from the nodes, or a pull secret is missing."
    fix = "Check the runtime's image, `images` in the stack file, and the pull secrets of the namespace."
    for pod in seen.pods:
        if lines := tuple(f"{reason}: {text}" for reason, text in pod.waiting if reason in IMAGE_REASONS):
            yield Diagnosis("image not pulled", Phase.START, f"pod {pod.name}", lines, meaning, fix)


def no_node_fits(seen: Observations) -> Iterator[Diagnosis]:
    """The scheduler finds no node for a pod."""
    meaning = "All nodes are in use, tainted, too small for the pod, or do not match its node selector."
    fix = "Compare the pod's requests, node selector and tolerations with the nodes of the pool, or free some nodes."
    for pod in seen.pods:
        if pod.unschedulable is not None:
            evidence = (pod.unschedulable,)
            yield Diagnosis("no node that fits", Phase.START, f"pod {pod.name}", evidence, meaning, fix)


def host_without_address(seen: Observations) -> Iterator[Diagnosis]:
    """The launcher finds no DNS record of a host."""
    meaning = "DNS has no record of this pod: it does not run, its subdomain is wrong, or the cluster's DNS is slow."
    fix = "Check that the pod exists, that its JobSet's Service selects it, and that pods can reach the cluster's DNS."
    for pod, lines in _in_logs(seen, _HOST):
        yield Diagnosis("host without address", Phase.START, pod, lines, meaning, fix)


def key_not_readable(seen: Observations) -> Iterator[Diagnosis]:
    """Ssh or sshd cannot use the private key."""
    meaning = "The key belongs to root and is readable by a group, so ssh needs a user that is in it and is not root."
    fix = "Set `fsGroup` in the pods' `securityContext` to a group of the user that runs mpirun and sshd."
    for phase, pattern in ((Phase.START, _HOST_KEY), (Phase.TRAINING, _KEY)):
        for pod, lines in _in_logs(seen, pattern):
            yield Diagnosis("key not readable", phase, pod, lines, meaning, fix)


def all_ranks_on_launcher(seen: Observations) -> Iterator[Diagnosis]:
    """Every rank runs in the launcher's pod."""
    meaning = "mpirun did not read the hostfile: Open MPI 5 ignores the `OMPI_MCA_orte_*` variables of Open MPI 4."
    fix = "Give the catalogue `openmpi_major=5`, or use an image with Open MPI 4."
    for pod in filter(partial(_has_all_ranks, seen), seen.pods):
        lines = (f"{len(seen.ranks)} ranks reported from {pod.hostname}, 0 from other pods",)
        yield Diagnosis("all ranks on the launcher", Phase.TRAINING, f"pod {pod.name}", lines, meaning, fix)


def _has_all_ranks(seen: Observations, pod: PodObservation) -> bool:
    """Whether a launcher has all ranks, although other pods should have some."""
    hosts = {_short_name(each.host) for each in seen.ranks}
    return pod.is_launcher and seen.expected.hosts > 1 and hosts == {_short_name(pod.hostname)}


def wrong_process_count(seen: Observations) -> Iterator[Diagnosis]:
    """Fewer or more ranks than the runtime promises, or than mpirun has slots for."""
    meaning = "`numProcPerNode`, the slots of the hostfile and mpirun's `-np` do not match."
    fix = "Set `numProcPerNode` of the runtime to the number of GPUs per node, and leave `-np` out."
    for pod, lines in _in_logs(seen, _SLOTS):
        yield Diagnosis("wrong process count", Phase.TRAINING, pod, lines, meaning, fix)
    # Without a hostfile mpirun counts the cores of the launcher.
    if not seen.ranks or any(_has_all_ranks(seen, pod) for pod in seen.pods):
        return
    wanted = seen.expected.ranks or max(each.size for each in seen.ranks)
    sizes = sorted({each.size for each in seen.ranks} - {wanted})
    if sizes or (seen.ending and len(seen.ranks) != wanted):
        counts = f"{len(seen.ranks)} ranks reported, {wanted} expected"
        others = (f"ranks see {size} ranks" for size in sizes)
        yield Diagnosis("wrong process count", Phase.TRAINING, "TrainJob", (counts, *others), meaning, fix)


def gpu_not_visible(seen: Observations) -> Iterator[Diagnosis]:
    """A rank sees fewer GPUs than it should."""
    wanted = seen.expected.gpus_per_rank
    lines = tuple(f"rank {each.rank} on {each.host}: {each.gpus} GPUs" for each in seen.ranks if each.gpus < wanted)
    meaning = (
        f"Each rank should see {wanted}. The image has no CUDA or ROCm libraries, or the container runtime no GPUs."
    )
    fix = (
        "Check that the replicated job claims GPUs, that the image fits the driver, and the runtime class of its pods."
    )
    if lines:
        yield Diagnosis("GPU not visible", Phase.TRAINING, "TrainJob", lines, meaning, fix)


def wrong_result(seen: Observations) -> Iterator[Diagnosis]:
    """An allreduce has a wrong result on a rank."""
    wrong = [each for each in seen.ranks if not each.has_right_total]
    lines = tuple(f"rank {each.rank} on {each.host}: {each.total}" for each in wrong)
    meaning = "The sum over all ranks is wrong, so a training would be too: a GPU, link or library is defective."
    fix = "Drain these nodes, and run the diagnostics of their GPUs and network."
    if lines:
        yield Diagnosis("wrong result", Phase.TRAINING, "TrainJob", lines, meaning, fix)


def _in_logs(seen: Observations, pattern: re.Pattern[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for pod in seen.pods:
        if lines := _matching_tail(pod, pattern):
            yield f"pod {pod.name}", lines


def _matching_tail(pod: PodObservation, pattern: re.Pattern[str]) -> tuple[str, ...]:
    """The log up to the last line that matches, so that the quoted end has that line."""
    found = [number for number, line in enumerate(pod.log, 1) if pattern.search(line)]
    return pod.log[: found[-1]] if found else ()


def _short_name(host: str) -> str:
    return host.partition(".")[0]


CAUSES: tuple[Cause, ...] = (
    gpus_missing,
    nics_missing,
    memory_missing,
    quota_exceeded,
    webhook_refused,
    image_not_pulled,
    no_node_fits,
    host_without_address,
    key_not_readable,
    all_ranks_on_launcher,
    wrong_process_count,
    gpu_not_visible,
    wrong_result,
)
"""All causes, in the order of a training."""

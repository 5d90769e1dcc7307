"""A TrainJob on real pods: submitted as a user does it, and what became of it."""

import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kubeflow.common.types import KubernetesBackendConfig
from kubeflow.trainer import CustomTrainer, CustomTrainerContainer, TrainerClient
from kubernetes import client, config

from tests.e2e.conftest import Platform
from tools.train_job_timeline import Timeline

from .programs import say_rank

NAMESPACE = "default"
TRAIN_JOB_TIMEOUT = 240.0
"""Seconds until a TrainJob that does not end has failed the test. They take ten, on a busy machine up to fifty."""


def wait_until(what: Callable[[], Any]) -> Any:
    """What it gives as soon as that is true."""
    deadline = time.monotonic() + TRAIN_JOB_TIMEOUT
    while not (found := what()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


@dataclass
class TrainJob:
    """One TrainJob that was submitted."""

    platform: Platform
    sdk: TrainerClient
    timeline: Timeline
    name: str
    submitted: float

    def completes(self) -> bool:
        """Whether it succeeds in time."""
        return self.timeline.wait("TrainJob", self.name, "Complete", TRAIN_JOB_TIMEOUT)

    def fails(self) -> bool:
        """Whether it fails in time."""
        return self.timeline.wait("TrainJob", self.name, "Failed", TRAIN_JOB_TIMEOUT)

    @cached_property
    def core(self) -> Any:
        """A client for pods."""
        return client.CoreV1Api(config.new_client_from_config(str(self.platform.kubeconfig)))

    def pods(self, job: str) -> list[Any]:
        """The pods of one replicated job, in the order of their index."""
        selector = f"jobset.sigs.k8s.io/jobset-name={self.name},jobset.sigs.k8s.io/replicatedjob-name={job}"
        found = self.core.list_namespaced_pod(NAMESPACE, label_selector=selector).items
        return sorted(found, key=lambda pod: pod.metadata.annotations["batch.kubernetes.io/job-completion-index"])

    def launcher(self) -> Any:
        """The launcher's only pod."""
        (pod,) = self.pods("launcher")
        return pod

    def launcher_restarts(self) -> int:
        """How often the launcher's container was started again."""
        (container,) = self.launcher().status.container_statuses
        return int(container.restart_count)

    def failed_try(self) -> str | None:
        """What the launcher printed in a try that failed, as soon as there was one; None if it completes without."""
        seen: dict[
            str, None
        ] = {}  # the kubelet may clear a container's log away before it is asked for the previous one's

        def said() -> str | bool:
            pods = self.pods("launcher")
            if not pods or not pods[0].status.container_statuses:
                return False
            if self.launcher_restarts():
                log = self.log(previous=True)
                return "\n".join(seen) if "unable to retrieve container logs" in log else log
            with suppress(client.ApiException):  # not started yet
                seen[self.log()] = None
            return self.timeline.wait("TrainJob", self.name, "Complete", 0)

        found = wait_until(said)
        return None if found is True else str(found)

    def failed_worker(self) -> str:
        """What the first worker printed before it ended, as soon as it did."""

        def said() -> str | None:
            for pod in self.pods("node")[:1]:
                for container in pod.status.container_statuses or ():
                    if container.state.terminated or container.last_state.terminated:
                        return str(self.core.read_namespaced_pod_log(pod.metadata.name, NAMESPACE))
            return None

        return str(wait_until(said))

    def log(self, container: str = "node", previous: bool = False) -> str:
        """What a container of the launcher printed."""
        name = self.launcher().metadata.name
        return str(self.core.read_namespaced_pod_log(name, NAMESPACE, container=container, previous=previous))

    def ranks(self) -> dict[int, str]:
        """The host of each rank, as the processes said it, read by the SDK."""
        return {int(rank): host for rank, host, _ in self._said()}

    def seconds_to_first_rank(self) -> float:
        """From the submission until the first process of the training ran."""
        return min(float(at) for _, _, at in self._said()) - self.submitted

    def _said(self) -> list[tuple[str, str, str]]:
        return re.findall(r"rank (\d+) host (\S+) at (\S+)", self.output())

    def output(self) -> str:
        """What the training printed, read by the SDK."""
        return "\n".join(self.sdk.get_job_logs(self.name))

    def hosts(self, nodes: int) -> set[str]:
        """The host names that the pods of so many nodes have."""
        return {f"{self.name}-launcher-0-0", *(f"{self.name}-node-0-{index}" for index in range(nodes - 1))}


def submit(
    platform: Platform,
    runtime: str,
    training: Callable[[], None] | None = say_rank,
    nodes: int = 4,
    resources: dict[str, str] | None = None,
) -> TrainJob:
    """Submit a training by the official SDK.

    Args:
        platform: Where.
        runtime: Name of its runtime.
        training: The function to train with. None: what the runtime's own command is.
        nodes: How many nodes it has.
        resources: What each node gets. None: what the runtime says.
    """
    sdk = TrainerClient(KubernetesBackendConfig(namespace=NAMESPACE, config_file=str(platform.kubeconfig)))
    found, timeline = sdk.get_runtime(runtime), Timeline(platform.kubeconfig, NAMESPACE)
    trainer = (
        CustomTrainer(func=training, num_nodes=nodes, resources_per_node=resources)
        if training
        else CustomTrainerContainer(image=found.trainer.image, num_nodes=nodes)
    )
    submitted = time.time()
    return TrainJob(platform, sdk, timeline, sdk.train(runtime=found, trainer=trainer), submitted)

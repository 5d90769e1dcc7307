"""Submits a DeepSpeed TrainJob with the official Kubeflow SDK and shows when its pods become ready."""

from tools import KUBECONFIG
from tools.local_cluster import cluster
from tools.train_job_timeline import Timeline, TimelineEvent

NAMESPACE = "default"
RUNTIME = "deepspeed-distributed"
NODES = 4
TRAINING_TIMEOUT = 120.0
"""Seconds until the TrainJob is reported as not completed. The simulated one takes about ten."""


NO_PLATFORM = f"No local platform with runtime {RUNTIME} exists. Run `make up` to create it."


class TrainingError(Exception):
    """The TrainJob could not be submitted or did not complete. The message says why and what to do."""


def _train() -> None:
    """A user's training function: the SDK puts its source into the launcher's command."""
    print("training")


def run() -> None:
    """Submit the TrainJob, watch it and print a summary.

    Raises:
        TrainingError: There is no local platform, or the TrainJob did not complete in time.
    """
    if not KUBECONFIG.exists():
        raise TrainingError(NO_PLATFORM)
    from kubeflow.common.types import KubernetesBackendConfig
    from kubeflow.trainer import CustomTrainer, TrainerClient
    from kubernetes.client import ApiException
    from urllib3.exceptions import HTTPError

    client = TrainerClient(
        KubernetesBackendConfig(namespace=NAMESPACE, config_file=str(KUBECONFIG), context=cluster.CONTEXT)
    )
    try:
        timeline, runtime = Timeline(KUBECONFIG, NAMESPACE, on_moment=_show), client.get_runtime(RUNTIME)
    except (ApiException, HTTPError, RuntimeError) as error:
        raise TrainingError(NO_PLATFORM) from error
    print(f"Submitting a TrainJob with {NODES} nodes and runtime {RUNTIME} ...\n", flush=True)
    try:
        name = client.train(runtime=runtime, trainer=CustomTrainer(func=_train, num_nodes=NODES))
    except (ApiException, HTTPError, RuntimeError) as error:
        raise TrainingError(f"The TrainJob was rejected: {error.__cause__ or error}") from error
    if not timeline.wait("TrainJob", name, "Complete", TRAINING_TIMEOUT):
        raise TrainingError(
            f"TrainJob {name} did not complete within {TRAINING_TIMEOUT:.0f} s. To see why, run "
            f"`kubectl describe trainjob {name}`."
        )
    moments = timeline.moments(name)
    workers = [m for m in moments if m.kind == "Pod" and m.what == "Ready" and "-launcher-" not in m.name]
    launcher = next(m for m in moments if (m.kind, m.name, m.what) == ("Job", f"{name}-launcher-0", "created"))
    after = launcher.seconds - max(worker.seconds for worker in workers)
    print(f"\nThe launcher was created {after:.2f} s after the last of {len(workers)} workers was ready.")
    print(f"Status of the TrainJob, as the SDK reports it: {client.get_job(name).status}.")


def _show(moment: TimelineEvent) -> None:
    if moment.what in ("created", "Ready", "Complete"):
        print(f"{moment.seconds:6.2f} s  {moment.kind:8} {moment.name:34} {moment.what}", flush=True)

"""Submits a DeepSpeed TrainJob with the official Kubeflow SDK, and shows who became ready when."""

from tools import KUBECONFIG
from tools.local_cluster import cluster
from tools.train_job_timeline import Timeline, TimelineEvent

NAMESPACE = "default"
RUNTIME = "deepspeed-distributed"
NODES = 4
TRAINING_TIMEOUT = 120.0
"""Seconds until a TrainJob that does not end is reported as such; the simulated one takes about ten."""


NO_PLATFORM = f"There is no local platform with the runtime {RUNTIME} to train on. `make up` makes it."


class TrainingError(Exception):
    """The TrainJob could not be submitted, or did not complete; the message says why and what to do."""


def _train() -> None:
    """What a user's training function is to the SDK: its source goes into the launcher's command."""
    print("training")


def run() -> None:
    """Submit, watch, and sum up.

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
    print(f"Submitting a TrainJob of {NODES} nodes for the runtime {RUNTIME} ...\n", flush=True)
    try:
        name = client.train(runtime=runtime, trainer=CustomTrainer(func=_train, num_nodes=NODES))
    except (ApiException, HTTPError, RuntimeError) as error:
        raise TrainingError(f"The TrainJob was refused: {error.__cause__ or error}") from error
    if not timeline.wait("TrainJob", name, "Complete", TRAINING_TIMEOUT):
        raise TrainingError(
            f"The TrainJob {name} did not complete within {TRAINING_TIMEOUT:.0f} s: kubectl describe trainjob {name}"
        )
    moments = timeline.moments(name)
    workers = [m for m in moments if m.kind == "Pod" and m.what == "Ready" and "-launcher-" not in m.name]
    launcher = next(m for m in moments if (m.kind, m.name, m.what) == ("Job", f"{name}-launcher-0", "created"))
    after = launcher.seconds - max(worker.seconds for worker in workers)
    print(f"\nThe launcher was created {after:.2f} s after the last of {len(workers)} workers was ready.")
    print(f"The SDK says of the TrainJob: {client.get_job(name).status}.")


def _show(moment: TimelineEvent) -> None:
    if moment.what in ("created", "Ready", "Complete"):
        print(f"{moment.seconds:6.2f} s  {moment.kind:8} {moment.name:34} {moment.what}", flush=True)

"""What goes wrong with pods, and what becomes of the training then."""

from kubernetes import client

from tests.e2e.conftest import Platform
from tools.real_pods import dns
from tools.train_job_timeline import Timeline

from .runtimes import OPENMPI_4
from .trainjob import NAMESPACE, TRAIN_JOB_TIMEOUT, TrainJob, submit, wait_until

NODES = 4


def assert_first_try(job: TrainJob) -> None:
    assert job.completes(), job.timeline.moments(job.name)
    assert set(job.ranks().values()) == job.hosts(NODES)
    assert job.launcher_restarts() == 0


def test_worker_with_slow_sshd_delays_only_the_launcher(platform: Platform) -> None:
    job = submit(platform, "slow-sshd")
    assert_first_try(job)
    first, slow, third = (seconds_to(job, f"node-0-{index}", "Ready") for index in range(3))
    # Not when it was Ready: a training that ends soon may never be seen so.
    assert max(first, third, 20) < slow < seconds_to(job, "launcher-0-0", "created")


def seconds_to(job: TrainJob, pod: str, what: str) -> float:
    """When that happened to the pod of that index, which may be gone by now."""
    (moment,) = [
        m
        for m in job.timeline.moments(job.name)
        if (m.kind, m.what) == ("Pod", what) and m.name.startswith(f"{job.name}-{pod}-")
    ]
    return moment.seconds


def test_worker_that_crashes_once_delays_only_the_launcher(platform: Platform) -> None:
    job = submit(platform, "crashes-once")
    wait_until(lambda: worker_restarts(job) == [0, 1, 0])
    assert_first_try(job)


def worker_restarts(job: TrainJob) -> list[int]:
    return [status.restart_count for pod in job.pods("node") for status in pod.status.container_statuses or ()]


def test_launcher_waits_for_a_worker_with_a_wrong_image_until_it_is_fixed(platform: Platform) -> None:
    job = submit(platform, "held-back")
    pods = wait_until(lambda: len(found := job.pods("node")) == NODES - 1 and found)
    wrong = pods[1].metadata.name
    set_image(job, wrong, "localhost/no-such-image:1")
    for pod in pods:
        release(job, pod.metadata.name)
    assert wait_until(lambda: waiting_reason(job, wrong)) in ("ErrImagePull", "ImagePullBackOff")
    for pod in (pods[0], pods[2]):
        assert job.timeline.wait("Pod", pod.metadata.name, "Ready", TRAIN_JOB_TIMEOUT)
    assert not job.timeline.wait("Job", f"{job.name}-launcher-0", "created", 3)
    set_image(job, wrong, OPENMPI_4)
    assert_first_try(job)


def set_image(job: TrainJob, pod: str, image: str) -> None:
    body = {"spec": {"containers": [{"name": "node", "image": image}]}}
    job.core.patch_namespaced_pod(pod, NAMESPACE, body)


def release(job: TrainJob, pod: str) -> None:
    job.core.patch_namespaced_pod(pod, NAMESPACE, [{"op": "remove", "path": "/spec/schedulingGates"}])


def waiting_reason(job: TrainJob, pod: str) -> str | None:
    statuses = job.core.read_namespaced_pod_status(pod, NAMESPACE).status.container_statuses
    waiting = statuses and statuses[0].state.waiting
    return waiting.reason if waiting and "Image" in waiting.reason else None


def test_unresolvable_host_fails_the_training_and_is_named(platform: Platform) -> None:
    job = submit(platform, "gives-up", nodes=5)
    assert job.fails(), job.timeline.moments(job.name)
    jobset = client.CustomObjectsApi(job.core.api_client).get_namespaced_custom_object(
        "jobset.x-k8s.io", "v1alpha2", NAMESPACE, "jobsets", job.name
    )
    assert jobset["status"]["restarts"] == 1
    assert jobset["status"]["terminalState"] == "Failed"
    host = f"{job.name}{dns.UNRESOLVABLE_SUFFIX}.{job.name}"
    assert job.log("wait-for-hosts").splitlines()[-1] == f"gave up after 3 s, no address for: {host}"


def test_a_deadline_ends_pods_that_run(platform: Platform) -> None:
    # Upstream's own test of this takes an image that is always pulled, so that its pod never runs here.
    name, waits = "has-a-deadline", "trap 'exit 0' TERM; sleep 600 & wait"
    body = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": name},
        "spec": {
            "runtimeRef": {"name": "torch-distributed"},
            "activeDeadlineSeconds": 20,
            "trainer": {"command": ["sh", "-c", waits]},
        },
    }
    timeline = Timeline(platform.kubeconfig, NAMESPACE)
    trainjobs = platform.cluster().resources.get(api_version=body["apiVersion"], kind="TrainJob")
    trainjobs.create(body=body, namespace=NAMESPACE)
    core = client.CoreV1Api(platform.cluster().client)
    selector = f"jobset.sigs.k8s.io/jobset-name={name}"

    def phases() -> list[str]:
        return [pod.status.phase for pod in core.list_namespaced_pod(NAMESPACE, label_selector=selector).items]

    wait_until(lambda: phases() == ["Running"])
    assert timeline.wait("TrainJob", name, "Failed", TRAIN_JOB_TIMEOUT)
    wait_until(lambda: phases() == [])
    (failed,) = [c for c in trainjobs.get(name=name, namespace=NAMESPACE).status.conditions if c.type == "Failed"]
    assert failed.reason == "DeadlineExceeded"

"""Pods of the API as observations."""

from typing import Any

from components.training_validation.observations import MAX_LOG_LINES, REPLICATED_JOB, NodeObservation, PodObservation

LABELS = {REPLICATED_JOB: "launcher"}


def pod(**status: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "job-launcher-0-0-x", "labels": LABELS},
        "spec": {"hostname": "job-launcher-0-0"},
        "status": status,
    }


def test_pod_has_its_role_and_its_hostname() -> None:
    assert PodObservation.of(pod()) == PodObservation("job-launcher-0-0-x", "job-launcher-0-0", "launcher")
    assert PodObservation.of(pod()).is_launcher


def test_pod_without_status_labels_and_hostname_is_observed() -> None:
    assert PodObservation.of({"metadata": {"name": "a"}}) == PodObservation("a", "a", None)


def test_fields_that_are_null_or_absent_are_not_observed() -> None:
    status = {"conditions": [{}], "containerStatuses": [{"state": None}], "initContainerStatuses": None}
    assert PodObservation.of({"metadata": {"name": "a"}, "spec": None, "status": status}) == PodObservation(
        "a", "a", None
    )


def test_containers_that_wait_are_observed_also_init_containers() -> None:
    waits = {"state": {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}}
    running: dict[str, Any] = {"state": {"running": {}}}
    seen = PodObservation.of(
        pod(
            initContainerStatuses=[waits],
            containerStatuses=[running, {"state": {"waiting": {"reason": "PodInitializing"}}}],
        )
    )
    assert seen.waiting == (("ErrImagePull", "no such image"), ("PodInitializing", ""))


def test_pod_that_was_scheduled_after_a_while_is_not_unschedulable() -> None:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes"}
    assert PodObservation.of(pod(conditions=[condition])).unschedulable == "0/3 nodes"
    assert PodObservation.of(pod(conditions=[{"type": "PodScheduled", "status": "True"}])).unschedulable is None


def test_gated_pod_is_not_unschedulable() -> None:
    condition = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
    assert PodObservation.of(pod(conditions=[condition])).unschedulable is None


def test_end_of_a_long_log_is_kept() -> None:
    lines = [str(number) for number in range(MAX_LOG_LINES + 1)]
    assert PodObservation.of(pod(), "\n".join(lines)).log == tuple(lines[1:])


def test_pod_has_started_when_its_containers_have() -> None:
    assert [PodObservation.of(pod(phase=phase)).has_started for phase in ("Pending", "Running", "Succeeded")] == [
        False,
        True,
        True,
    ]


def test_pod_that_failed_has_started_unless_an_init_container_failed() -> None:
    ended: dict[str, Any] = {"state": {"terminated": {}}}
    waits: dict[str, Any] = {"state": {"waiting": {}}}
    assert PodObservation.of(pod(phase="Failed", containerStatuses=[ended])).has_started
    failed = pod(phase="Failed", initContainerStatuses=[ended], containerStatuses=[waits])
    assert not PodObservation.of(failed).has_started
    assert not PodObservation.of(pod(phase="Failed", reason="Evicted")).has_started


def test_pod_is_ready_by_its_condition_or_when_it_succeeded() -> None:
    ready = {"type": "Ready", "status": "True"}
    assert PodObservation.of(pod(phase="Running", conditions=[ready])).is_ready
    assert PodObservation.of(pod(phase="Succeeded", conditions=[{**ready, "status": "False"}])).is_ready
    assert not PodObservation.of(pod(phase="Running", conditions=[{**ready, "status": "False"}])).is_ready


def test_node_offers_what_is_allocatable() -> None:
    node = {"metadata": {"name": "n"}, "status": {"allocatable": {"nvidia.com/gpu": "8", "memory": "2Ki", "cpu": "4"}}}
    assert NodeObservation.of(node, ("nvidia.com/gpu", "memory", "rdma/ib")) == NodeObservation(
        "n", {"nvidia.com/gpu": 8, "memory": 2048}
    )
    assert NodeObservation.of({"metadata": {"name": "n"}}, ("memory",)) == NodeObservation("n", {})


def test_private_key_in_a_log_is_hidden_with_all_its_lines() -> None:
    key = [
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU",
        "-----END OPENSSH PRIVATE KEY-----",
    ]
    assert PodObservation.of(pod(), "\n".join(["starts", *key])).log == ("starts", "(hidden)")

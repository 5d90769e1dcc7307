"""When users' objects are admitted: what is asked, which answers are right, what is said when none comes."""

from threading import Barrier
from typing import Any

import pytest

from components.admission.probes import (
    CONFIRMATION_SECONDS,
    AdmissionProbe,
    AdmissionTimeoutError,
    jobset_probes,
    train_job_probes,
    trainer_probes,
    wait_until_admitted,
)
from components.cluster.client import Response
from components.cluster.hook_error import PreflightError
from components.cluster.permissions import SELF_SUBJECT_ACCESS_REVIEWS
from components.cluster.polling import POLL_INTERVAL

from ..fake_cluster import Cluster
from .clock import Time

BEHIND = {
    "jobsets": "validate-jobset-x-k8s-io-v1alpha2-jobset.x-k8s.io",
    "clustertrainingruntimes": "validator.clustertrainingruntime.trainer.kubeflow.org",
    "trainingruntimes": "validator.trainingruntime.trainer.kubeflow.org",
    "trainjobs": "validator.trainjob.trainer.kubeflow.org",
}
RUNTIMES = [
    {"kind": "ClusterTrainingRuntime", "metadata": {"name": "deepspeed"}},
    {"kind": "TrainingRuntime", "metadata": {"name": "mine", "namespace": "team-a"}},
]
ALL = [
    *jobset_probes("kubeflow-system"),
    *trainer_probes("kubeflow-system"),
    *train_job_probes(RUNTIMES, "kubeflow-system"),
]


def refusal(webhook: str, why: str = "wrong") -> Response:
    return Response(403, {"message": f'admission webhook "{webhook}" denied the request: {why}'})


def uncalled(webhook: str, why: str) -> Response:
    return Response(500, {"message": f'Internal error occurred: failed calling webhook "{webhook}": {why}'})


def platform(path: str, body: Any) -> Response:
    """What a platform says that is ready: it refuses what is wrong. Whoever asks has every right."""
    if path == SELF_SUBJECT_ACCESS_REVIEWS:
        return Response(201, {"status": {"allowed": True}})
    webhook, spec = BEHIND[path.rpartition("/")[2]], body["spec"]
    wrong = {
        "JobSet": "successPolicy" in spec,
        "TrainJob": spec.get("runtimeRef", {}).get("name") not in ("deepspeed", "mine"),
    }.get(body["kind"], "template" in spec and spec["template"]["spec"]["replicatedJobs"][0]["replicas"] != 1)
    if wrong:
        return refusal(webhook)
    return Response(201, {"spec": {**spec, "successPolicy": {"operator": "All"}}})


def waited(cluster: Cluster, probes: list[AdmissionProbe], seconds: float = 10) -> float:
    time = Time()
    wait_until_admitted(cluster, probes, seconds, time.clock, time.sleep)
    return time.now


def refused(cluster: Cluster, probes: list[AdmissionProbe]) -> list[str]:
    with pytest.raises(AdmissionTimeoutError) as failed:
        waited(cluster, probes)
    return str(failed.value).splitlines()


def test_ready_platform_is_not_waited_for_and_nothing_is_created() -> None:
    cluster = Cluster()
    cluster.answer = platform
    assert waited(cluster, ALL) == 0
    assert sorted(cluster.calls) == [
        ("POST (dry run)", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/kubeflow-system/jobsets"),
        ("POST (dry run)", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/kubeflow-system/jobsets"),
        ("POST (dry run)", "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes"),
        ("POST (dry run)", "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes"),
        ("POST (dry run)", "/apis/trainer.kubeflow.org/v1alpha1/namespaces/kubeflow-system/trainjobs"),
        ("POST (dry run)", "/apis/trainer.kubeflow.org/v1alpha1/namespaces/kubeflow-system/trainjobs"),
        ("POST (dry run)", "/apis/trainer.kubeflow.org/v1alpha1/namespaces/team-a/trainjobs"),
    ]


def test_only_failing_probes_are_repeated() -> None:
    cluster, asked = Cluster(), []

    def late(path: str, body: Any) -> Response:
        asked.append(body["kind"])
        slow = body["kind"] == "TrainJob" and len(asked) < 12
        return uncalled(BEHIND["trainjobs"], "connection refused") if slow else platform(path, body)

    cluster.answer = late
    assert waited(cluster, ALL) > 0
    assert set(asked[len(ALL) :]) == {"TrainJob"}


def test_probes_are_repeated_until_the_timeout() -> None:
    cluster = Cluster()
    cluster.answer = lambda *_: uncalled("vjobset.kb.io", "EOF")
    time = Time()
    with pytest.raises(AdmissionTimeoutError):
        wait_until_admitted(cluster, jobset_probes("x"), 3, time.clock, time.sleep)
    assert 3 <= time.now <= 3 + POLL_INTERVAL


@pytest.mark.parametrize(
    ("why", "hint"),
    [
        ('no endpoints available for service "x"', "its Service has no ready pods"),
        (
            "dial tcp: connect: connection refused",
            "nothing listens behind its Service: the pod is still starting, or has ended",
        ),
        (
            "tls: x509: certificate signed by unknown authority",
            "its certificate does not match the webhook's CA bundle: the controller has not updated it yet",
        ),
        ('service "x" not found', "its Service does not exist"),
        (
            "EOF",
            "something closes the connection to the pod, such as an Istio sidecar: set `istio: true`",
        ),
        (
            "context deadline exceeded",
            "a firewall or NetworkPolicy blocks the API server's connection: try `hostNetwork: true`",
        ),
    ],
)
def test_webhook_that_cannot_be_called_is_reported_with_a_hint(why: str, hint: str) -> None:
    cluster = Cluster()
    cluster.answer = lambda *_: uncalled("vjobset.kb.io", why)
    said = refused(cluster, jobset_probes("x"))
    assert said[:2] == [
        "TrainJobs are still rejected after 10 s.",
        f'  JobSet: JobSet not admitted: Internal error occurred: failed calling webhook "vjobset.kb.io": {why} '
        f"({hint}).",
    ]
    assert said[2:] == [
        "To investigate:",
        "  kubectl --context here get pods,endpointslices --all-namespaces --selector app.kubernetes.io/name=jobset",
        "  kubectl --context here get validatingwebhookconfigurations,mutatingwebhookconfigurations",
        "If an earlier run was killed, run `pulumi refresh` first: the state may list objects it had deleted.",
        "Then run `up` again. It continues from here. If the webhooks need longer, raise `readyTimeoutSeconds`.",
    ]


def test_webhooks_that_are_not_called_are_each_reported() -> None:
    cluster = Cluster()
    said = refused(cluster, ALL)
    assert said[1:6] == [
        "  JobSet: the mutating webhook is not called: it did not set successPolicy of JobSet.",
        "  JobSet: webhook validate-jobset-x-k8s-io-v1alpha2-jobset.x-k8s.io or vjobset.kb.io is not called: an "
        "invalid JobSet was admitted.",
        "  Trainer: webhook validator.clustertrainingruntime.trainer.kubeflow.org is not called: an invalid "
        "ClusterTrainingRuntime was admitted.",
        "  Trainer: webhook validator.trainjob.trainer.kubeflow.org is not called: an invalid TrainJob was admitted.",
        "To investigate:",
    ]


def test_trainer_is_probed_in_one_namespace() -> None:
    cluster, asked = Cluster(), trainer_probes("team-a", "TrainingRuntime")
    assert {probe.right.namespace for probe in asked} == {"team-a"}
    assert refused(cluster, asked)[1:4] == [
        "  Trainer: webhook validator.trainingruntime.trainer.kubeflow.org is not called: "
        "an invalid TrainingRuntime was admitted.",
        "  Trainer: webhook validator.trainjob.trainer.kubeflow.org is not called: an invalid TrainJob was admitted.",
        "To investigate:",
    ]
    cluster.answer = platform
    assert waited(cluster, asked) == 0


def test_missing_crd_is_reported() -> None:
    cluster = Cluster()
    cluster.answer = lambda *_: Response(404, {"message": "the server could not find the requested resource"})
    assert refused(cluster, trainer_probes("x"))[1] == (
        "  Trainer: ClusterTrainingRuntime cannot be created: its CRD is missing or not established."
    )


def stopped(cluster: Cluster, probes: list[AdmissionProbe], seconds: float = 60) -> tuple[list[str], float]:
    """What is said, and when, about answers that waiting does not change."""
    time = Time()
    with pytest.raises(AdmissionTimeoutError) as failed:
        wait_until_admitted(cluster, probes, seconds, time.clock, time.sleep)
    return str(failed.value).splitlines(), time.now


def test_denial_by_a_policy_ends_the_wait_and_names_the_policy() -> None:
    cluster = Cluster()
    cluster.answer = lambda *_: refusal("policies.example.com", "no team label")
    said, after = stopped(cluster, train_job_probes(RUNTIMES[:1], "x"))
    assert said == [
        "TrainJobs are rejected, and waiting will not change that.",
        '  Trainer: TrainJob for the runtime deepspeed denied: admission webhook "policies.example.com" denied '
        "the request: no team label.",
        "To investigate:",
        "  kubectl --context here get pods,endpointslices --all-namespaces --selector "
        "app.kubernetes.io/name=kubeflow-trainer",
        "  kubectl --context here get validatingwebhookconfigurations",
        "Fix the cause of the rejection, then run `up` again. It continues from here.",
    ]
    assert CONFIRMATION_SECONDS <= after <= CONFIRMATION_SECONDS + POLL_INTERVAL


def test_denial_by_another_webhook_ends_the_wait_and_names_it() -> None:
    cluster = Cluster()

    def other(path: str, body: Any) -> Response:
        said = platform(path, body)
        return refusal("vjobset.example.com") if not said.ok and body["kind"] == "JobSet" else said

    cluster.answer = other
    said, after = stopped(cluster, ALL)
    assert said[1:3] == [
        "  JobSet: an invalid JobSet was denied by vjobset.example.com instead of webhook "
        "validate-jobset-x-k8s-io-v1alpha2-jobset.x-k8s.io or vjobset.kb.io: admission webhook "
        '"vjobset.example.com" denied the request: wrong. Either JobSet\'s webhooks have other names, or a policy '
        "denies the object first.",
        "To investigate:",
    ]
    assert after <= CONFIRMATION_SECONDS + POLL_INTERVAL


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            Response(422, {"message": "ValidatingAdmissionPolicy 'labels' with binding 'all' denied request: no team"}),
            "JobSet denied: ValidatingAdmissionPolicy 'labels' with binding 'all' denied request: no team",
        ),
        (
            Response(422, {"message": 'JobSet.jobset.x-k8s.io "x" is invalid: spec.replicatedJobs: Required value'}),
            'JobSet rejected by the schema of its CRD: JobSet.jobset.x-k8s.io "x" is invalid: '
            "spec.replicatedJobs: Required value",
        ),
    ],
)
def test_denials_by_admission_policies_and_schemas_end_the_wait(answer: Response, said: str) -> None:
    cluster = Cluster()
    cluster.answer = lambda *_: answer
    lines, after = stopped(cluster, jobset_probes("x")[:1])
    assert lines[1] == f"  JobSet: {said}."
    assert after <= CONFIRMATION_SECONDS + POLL_INTERVAL


def test_a_denial_that_ends_within_the_confirmation_is_waited_for() -> None:
    cluster, asked = Cluster(), []

    def answer(path: str, body: Any) -> Response:
        asked.append(path)
        return (
            refusal("old.example.com")
            if path != SELF_SUBJECT_ACCESS_REVIEWS and len(asked) < 8
            else platform(path, body)
        )

    cluster.answer = answer
    assert waited(cluster, jobset_probes("x")) < CONFIRMATION_SECONDS


def test_denial_by_an_operators_own_webhook_is_waited_for() -> None:
    cluster = Cluster()
    cluster.answer = lambda *_: refusal(BEHIND["trainjobs"], "must be created before the TrainJob is created")
    assert refused(cluster, train_job_probes(RUNTIMES[:1], "x"))[:2] == [
        "TrainJobs are still rejected after 10 s.",
        "  Trainer: TrainJob for the runtime deepspeed denied: admission webhook "
        '"validator.trainjob.trainer.kubeflow.org" denied the request: must be created before the TrainJob is '
        "created.",
    ]


def test_early_end_reports_only_final_failures() -> None:
    cluster = Cluster()

    def answer(path: str, body: Any) -> Response:
        if path == SELF_SUBJECT_ACCESS_REVIEWS:
            return platform(path, body)
        return refusal("policies.example.com") if body["kind"] == "JobSet" else uncalled(BEHIND["trainjobs"], "EOF")

    cluster.answer = answer
    said, _ = stopped(cluster, ALL)
    assert [line.partition(":")[0] for line in said[1:3]] == ["  JobSet", "  JobSet"]
    assert not any("Trainer" in line for line in said)


def test_missing_namespace_is_reported() -> None:
    cluster = Cluster()
    cluster.answer = lambda *_: Response(404, {"message": 'namespaces "team-a" not found'})
    assert refused(cluster, train_job_probes(RUNTIMES[1:], "x"))[1] == (
        '  Trainer: TrainJob for the runtime mine cannot be created: namespaces "team-a" not found.'
    )


def test_api_server_that_is_down_is_waited_for() -> None:
    cluster = Cluster()
    cluster.down = True
    assert refused(cluster, jobset_probes("x"))[1] == "  JobSet: the API server does not answer: refused."


def test_probes_run_in_parallel() -> None:
    together = Barrier(len(ALL), timeout=10)
    cluster = Cluster()

    def answer(path: str, body: Any) -> Response:
        together.wait()
        return platform(path, body)

    cluster.answer = answer
    assert waited(cluster, ALL) == 0


def guarded(*allowed: str, policy: str = "policies.example.com") -> Cluster:
    """A cluster where whoever deploys may create these resources, and a policy refuses them to all."""

    def answer(path: str, body: Any) -> Response:
        if path == SELF_SUBJECT_ACCESS_REVIEWS:
            asked = body["spec"]["resourceAttributes"]
            assert (asked["verb"], "." in asked["group"]) == ("create", True)
            assert (asked["namespace"] == "") == (asked["resource"] == "clustertrainingruntimes")
            return Response(201, {"status": {"allowed": asked["resource"] in allowed}})
        resource = path.rpartition("/")[2]
        if resource in allowed:
            return refusal(policy)
        return Response(403, {"message": f'{resource} is forbidden: User "team" cannot create resource "{resource}"'})

    cluster = Cluster()
    cluster.answer = answer
    return cluster


def test_missing_permissions_are_reported_immediately_with_the_rules_that_grant_them() -> None:
    cluster, time = guarded("jobsets"), Time()
    with pytest.raises(PreflightError) as stopped:
        wait_until_admitted(cluster, ALL[1:], 10, time.clock, time.sleep)
    assert time.now == 0
    assert str(stopped.value) == (
        'Cannot verify that TrainJobs are admitted: clustertrainingruntimes is forbidden: User "team" cannot '
        'create resource "clustertrainingruntimes". The deploying identity lacks permission to\n'
        "  create clustertrainingruntimes.trainer.kubeflow.org\n"
        "  create trainjobs.trainer.kubeflow.org in namespace kubeflow-system\n"
        "  create trainjobs.trainer.kubeflow.org in namespace team-a\n"
        "  Fix: Grant these permissions (only dry runs are made):\n"
        "  a ClusterRole: "
        "{apiGroups: [trainer.kubeflow.org], resources: [clustertrainingruntimes], verbs: [create]}\n"
        "  a Role in kubeflow-system: "
        "{apiGroups: [trainer.kubeflow.org], resources: [trainjobs], verbs: [create]}\n"
        "  a Role in team-a: {apiGroups: [trainer.kubeflow.org], resources: [trainjobs], verbs: [create]}\n"
        "  Or set `readyTimeoutSeconds: 0` in `trainer` or `jobset` to skip this check. [OPR-11]"
    )
    # A question about a right is no dry run, which the API server would not answer.
    assert ("POST", SELF_SUBJECT_ACCESS_REVIEWS) in cluster.calls


def test_denial_by_a_policy_is_not_a_missing_permission() -> None:
    cluster = guarded("trainjobs")
    assert stopped(cluster, train_job_probes(RUNTIMES, "x"))[0][1].endswith(
        'admission webhook "policies.example.com" denied the request: wrong.'
    )
    assert ("POST", SELF_SUBJECT_ACCESS_REVIEWS) in cluster.calls


def test_permissions_are_not_reviewed_when_probes_pass() -> None:
    cluster = guarded("trainjobs", policy=BEHIND["trainjobs"])
    assert waited(cluster, trainer_probes("x")[2:]) == 0
    assert [path for _, path in cluster.calls] == ["/apis/trainer.kubeflow.org/v1alpha1/namespaces/x/trainjobs"]

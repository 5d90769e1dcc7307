"""Probes the operators' webhooks with dry runs: objects that must be admitted, and objects that a webhook must deny.

A ready Deployment is not enough: endpoints, certificates and CA bundles may lag behind it, and sidecars, firewalls or
policies may be between it and the API server. The probes send what a user will send.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..cluster.client import ClusterClient, ClusterReadError, Response
from ..cluster.hook_error import PreflightError
from ..cluster.objects import collection_path
from ..cluster.permissions import Permission
from ..cluster.polling import poll_until_passing
from ..cluster.replacement import PROBE_NAME
from ..jobset import JobSetOperatorSpec
from ..kubeflow_trainer import KubeflowTrainerSpec
from ..validation.violation import Violation

FORBIDDEN, NOT_FOUND, UNPROCESSABLE = 403, 404, 422

CONFIRMATION_SECONDS = 3.0
"""Seconds for which a final failure must persist before waiting ends. A webhook configuration, policy or CRD that was
just changed reaches the API servers of a cluster one after the other."""

WEBHOOK_ERROR_HINTS = {
    "no endpoints available": "its Service has no ready pods",
    "connection refused": "nothing listens behind its Service: the pod is still starting, or has ended",
    "x509": "its certificate does not match the webhook's CA bundle: the controller has not updated it yet",
    "no such host": "its Service does not exist",
    "not found": "its Service does not exist",
    "EOF": "something closes the connection to the pod, such as an Istio sidecar: set `istio: true`",
    "deadline exceeded": "a firewall or NetworkPolicy blocks the API server's connection: try `hostNetwork: true`",
    "timeout": "a firewall or NetworkPolicy blocks the API server's connection: try `hostNetwork: true`",
}
"""Probable causes, by words in the API server's error about a webhook that it could not call."""


class AdmissionTimeoutError(Exception):
    """The probes did not pass in time. The message lists the failures and commands to debug them."""


RUNTIME_WEBHOOKS = {
    "ClusterTrainingRuntime": "validator.clustertrainingruntime.trainer.kubeflow.org",
    "TrainingRuntime": "validator.trainingruntime.trainer.kubeflow.org",
}
"""Names of Trainer's webhooks that validate runtimes, in Helm's chart and kustomize's manifests."""

OWN_WEBHOOKS = (
    *JobSetOperatorSpec.facts.webhooks,
    *KubeflowTrainerSpec.facts.webhooks,
    *RUNTIME_WEBHOOKS.values(),
)
"""Webhooks of the operators. What they deny may be admitted a moment later, when their caches have a new runtime."""


@dataclass(frozen=True)
class Failure:
    """Why a probe failed."""

    message: str
    """The reason, for the user."""

    is_final: bool = False
    """Whether waiting cannot help, because the answer is a decision and not an outage."""


@dataclass(frozen=True, eq=False)
class AdmissionProbe:
    """A dry run of one object. Two probes with the same content are not equal."""

    operator: str
    """The operator whose webhooks decide: JobSet or Trainer."""

    namespace: str | None
    """Namespace in which the object would be created. None: its kind is cluster-scoped."""

    body: Mapping[str, Any]
    """The object."""

    denied_by: tuple[str, ...] = ()
    """Names of the webhook that must deny it; several, because they depend on how the operator was installed. Empty: it
    must be admitted."""

    defaulted_field: str | None = None
    """A field of the spec that a mutating webhook must set in an admitted object."""

    @property
    def path(self) -> str:
        """Path at which the API creates it."""
        return collection_path(self.body["kind"], self.namespace)

    @property
    def right(self) -> Permission:
        """The permission that the dry run needs."""
        return Permission(self.body["kind"], self.namespace)

    @property
    def subject(self) -> str:
        """The object's name in messages: its kind, and its runtime if that exists."""
        runtime = self.body["spec"].get("runtimeRef", {}).get("name")
        kind = str(self.body["kind"])
        return f"{kind} for the runtime {runtime}" if runtime and not self.denied_by else kind

    def failure(self, answer: Response) -> Failure | None:
        """Why a response fails the probe, or None."""
        if answer.ok:
            return self._wrongly_admitted(answer)
        if answer.status == NOT_FOUND and answer.message.startswith("namespaces "):
            return Failure(f"{self.subject} cannot be created: {answer.message}")
        if answer.status == NOT_FOUND:
            return Failure(f"{self.subject} cannot be created: its CRD is missing or not established")
        if denied_by := denier(answer):
            return self._denied(denied_by, answer)
        if answer.status == UNPROCESSABLE:
            message = f"{self.subject} rejected by the schema of its CRD: {answer.message}"
            return Failure(message, is_final=True)
        why = next((hint for words, hint in WEBHOOK_ERROR_HINTS.items() if words in answer.message), None)
        called = "failed calling webhook" in answer.message
        hint = f" ({why})" if called and why else ""
        return Failure(f"{self.subject} not admitted: {answer.message}{hint}")

    def _wrongly_admitted(self, answer: Response) -> Failure | None:
        if self.denied_by:
            return Failure(f"webhook {self._names} is not called: an invalid {self.subject} was admitted")
        if self.defaulted_field and self.defaulted_field not in answer.body.get("spec", {}):
            return Failure(
                f"the mutating webhook is not called: it did not set {self.defaulted_field} of {self.subject}"
            )
        return None

    def _denied(self, denied_by: str, answer: Response) -> Failure | None:
        if denied_by in self.denied_by:
            return None
        if self.denied_by:
            message = (
                f"an invalid {self.subject} was denied by {denied_by} instead of webhook {self._names}: "
                f"{answer.message}. Either {self.operator}'s webhooks have other names, or a policy denies the object "
                "first"
            )
            return Failure(message, is_final=True)
        return Failure(f"{self.subject} denied: {answer.message}", is_final=denied_by not in OWN_WEBHOOKS)

    @property
    def _names(self) -> str:
        return " or ".join(self.denied_by)


def denier(answer: Response) -> str | None:
    """The name of the webhook or policy that denied a request, or None."""
    found = re.search(
        r"admission webhook \"([^\"]+)\" denied|ValidatingAdmissionPolicy '([^']+)'.* denied", answer.message
    )
    return found and (found[1] or found[2])


def jobset_probes(namespace: str) -> list[AdmissionProbe]:
    """The probes for JobSet."""
    pod = {
        "spec": {
            "template": {"spec": {"containers": [{"name": "node", "image": PROBE_NAME}], "restartPolicy": "Never"}}
        }
    }
    spec = {"replicatedJobs": [{"name": "node", "replicas": 1, "template": pod}]}
    good = _object("jobset.x-k8s.io/v1alpha2", "JobSet", spec)
    wrong = {**good, "spec": {**spec, "successPolicy": {"operator": "All", "targetReplicatedJobs": ["missing"]}}}
    # JobSet's defaults are set by its webhook, not by its CRD (0.8.2 and 0.12.0, pkg/webhooks/jobset_webhook.go).
    defaulted_field = AdmissionProbe("JobSet", namespace, good, defaulted_field="successPolicy")
    return [defaulted_field, AdmissionProbe("JobSet", namespace, wrong, denied_by=JobSetOperatorSpec.facts.webhooks)]


def trainer_probes(namespace: str, kind: str = "ClusterTrainingRuntime") -> list[AdmissionProbe]:
    """The probes for Trainer that need no runtime. `kind` is the kind of runtime to probe with."""

    def runtime(replicas: int) -> dict[str, Any]:
        pod = {"containers": [{"name": "node", "image": PROBE_NAME}]}
        labels = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
        job = {"metadata": {"labels": labels}, "spec": {"template": {"spec": pod}}}
        spec = {"template": {"spec": {"replicatedJobs": [{"name": "node", "replicas": replicas, "template": job}]}}}
        return _object("trainer.kubeflow.org/v1alpha1", kind, spec)

    # Every version rejects two replicas of the training job (2.0.0 and 2.3.0, trainingruntime_webhook.go).
    place = namespace if kind == "TrainingRuntime" else None
    return [
        AdmissionProbe("Trainer", place, runtime(1)),
        AdmissionProbe("Trainer", place, runtime(2), (RUNTIME_WEBHOOKS[kind],)),
        AdmissionProbe("Trainer", namespace, _train_job(PROBE_NAME, kind), KubeflowTrainerSpec.facts.webhooks),
    ]


def train_job_probes(runtimes: Iterable[Mapping[str, Any]], namespace: str) -> list[AdmissionProbe]:
    """A probe with a TrainJob for each of the runtimes, which are given as manifests."""
    return [
        AdmissionProbe(
            "Trainer",
            runtime["metadata"].get("namespace", namespace),
            _train_job(runtime["metadata"]["name"], runtime["kind"]),
        )
        for runtime in runtimes
    ]


def _train_job(runtime: str, kind: str = "ClusterTrainingRuntime") -> dict[str, Any]:
    reference = {"apiGroup": "trainer.kubeflow.org", "kind": kind, "name": runtime}
    return _object("trainer.kubeflow.org/v1alpha1", "TrainJob", {"runtimeRef": reference})


def _object(api_version: str, kind: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": PROBE_NAME}, "spec": spec}


def wait_until_admitted(
    access: ClusterClient,
    probes: Sequence[AdmissionProbe],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Repeat the probes until all pass.

    Raises AdmissionTimeoutError with the last failures after `seconds`, or earlier if a final failure persists for
    CONFIRMATION_SECONDS; PreflightError immediately if the deploying identity lacks the permission.
    """
    last: dict[AdmissionProbe, Failure] = {}
    since: dict[AdmissionProbe, float] = {}

    def ask(probe: AdmissionProbe) -> Failure | None:
        try:
            answer = access.request("POST", probe.path, probe.body, dry_run=True)
            failure = probe.failure(answer)
            if failure and answer.status == FORBIDDEN and probe.right.is_denied(access):
                raise PreflightError([_missing_permissions(probes, access, answer.message)])
        except ClusterReadError as error:
            failure = Failure(str(error))
        if failure is None:
            last.pop(probe, None)
            return None
        if last.get(probe) != failure:
            since[probe] = clock()
        last[probe] = failure
        if failure.is_final and clock() - since[probe] >= min(CONFIRMATION_SECONDS, seconds):
            raise AdmissionTimeoutError(_report(access, {each: last[each] for each in probes if each in last}, None))
        return failure

    if failures := poll_until_passing(probes, ask, seconds, clock, sleep):
        raise AdmissionTimeoutError(_report(access, failures, seconds))


def _missing_permissions(probes: Sequence[AdmissionProbe], access: ClusterClient, said: str) -> Violation:
    rights = dict.fromkeys(probe.right for probe in probes)
    missing = [right for right in rights if right.is_denied(access)]
    needed = [right.rbac_rule for right in missing]
    lacking, rules = ("".join(f"\n  {each}" for each in lines) for lines in (missing, needed))
    message = (
        f"Cannot verify that TrainJobs are admitted: {said}. The deploying identity lacks permission to{lacking}\n "
    )
    fix = (
        f"Grant these permissions (only dry runs are made):{rules}\n"
        "  Or set `readyTimeoutSeconds: 0` in `trainer` or `jobset` to skip this check."
    )
    return Violation("OPR-11", "", message, fix)


def _report(access: ClusterClient, failures: Mapping[AdmissionProbe, Failure], seconds: float | None) -> str:
    """The message about failed probes after `seconds`. None: before the timeout, because waiting does not help."""
    if seconds is None:
        shown = {probe: failure for probe, failure in failures.items() if failure.is_final}
        begin = "TrainJobs are rejected, and waiting will not change that."
        end = ["Fix the cause of the rejection, then run `up` again. It continues from here."]
    else:
        shown = dict(failures)
        begin = f"TrainJobs are still rejected after {seconds:.0f} s."
        end = [
            "If an earlier run was killed, run `pulumi refresh` first: the state may list objects it had deleted.",
            "Then run `up` again. It continues from here. If the webhooks need longer, raise `readyTimeoutSeconds`.",
        ]
    lines = dict.fromkeys(f"{probe.operator}: {failure.message}." for probe, failure in shown.items())
    operators = dict.fromkeys(probe.operator for probe in shown)
    return "\n".join(
        [
            begin,
            *(f"  {line}" for line in lines),
            "To investigate:",
            *(f"  {access.kubectl} {command}" for operator in operators for command in DEBUG_COMMANDS[operator]),
            *end,
        ]
    )


DEBUG_COMMANDS = {
    "JobSet": (
        "get pods,endpointslices --all-namespaces --selector app.kubernetes.io/name=jobset",
        "get validatingwebhookconfigurations,mutatingwebhookconfigurations",
    ),
    "Trainer": (
        "get pods,endpointslices --all-namespaces --selector app.kubernetes.io/name=kubeflow-trainer",
        "get validatingwebhookconfigurations",
    ),
}
"""Commands that show an operator's parts. Labels: the charts of JobSet 0.12.0 and Trainer 2.3.0, _helpers.tpl."""

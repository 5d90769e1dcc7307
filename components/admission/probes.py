"""Whether operators admit what users submit: dry-run objects that must pass, and others that a webhook must refuse.

A Deployment that is ready is not enough: behind it lag endpoints, certificates and CA bundles, and between it and the
API server stand sidecars, firewalls and policies. What is asked here is what a user will ask.
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
from ..jobset import JobSetOperatorSpec
from ..kubeflow_trainer import KubeflowTrainerSpec
from ..validation.violation import Violation

FORBIDDEN, NOT_FOUND, UNPROCESSABLE = 403, 404, 422

CONFIRMATION_SECONDS = 3.0
"""How long an answer that cannot come right must stay the same before waiting ends. A webhook configuration, a policy
or a CRD that was changed a moment ago reaches the API servers of a cluster one after the other."""

PROBE_NAME = "training-platform-probe"
"""Name of what is asked for and never made."""

WEBHOOK_ERROR_HINTS = {
    "no endpoints available": "its Service has no ready pod behind it",
    "connection refused": "nothing listens behind its Service: the pod is still starting, or ended",
    "x509": "its certificate does not fit the webhook's CA bundle: the controller has not written it",
    "no such host": "its Service is not there",
    "not found": "its Service is not there",
    "EOF": "something between the API server and the pod closes the connection: an Istio sidecar (`istio: true`)",
    "deadline exceeded": "the API server's packets do not arrive: a firewall, a NetworkPolicy (`hostNetwork: true`)",
    "timeout": "the API server's packets do not arrive: a firewall, a NetworkPolicy (`hostNetwork: true`)",
}
"""What stands behind words of the API server about a webhook that it could not call."""


class AdmissionTimeoutError(Exception):
    """What users submit is not admitted in time; the message says which part did not answer and what to look at."""


RUNTIME_WEBHOOK = "validator.clustertrainingruntime.trainer.kubeflow.org"
"""Name of Trainer's webhook that validates ClusterTrainingRuntimes, in Helm's chart and kustomize's manifests."""

OWN_WEBHOOKS = (*JobSetOperatorSpec.webhooks, *KubeflowTrainerSpec.webhooks, RUNTIME_WEBHOOK)
"""Webhooks of the operators. What they deny may be admitted a moment later, when their caches know a new runtime."""


@dataclass(frozen=True)
class Failure:
    """What is wrong with an answer."""

    message: str
    """What, for the user."""

    is_final: bool = False
    """Whether waiting does not help: the answer comes from something that is up and decides otherwise."""


@dataclass(frozen=True, eq=False)
class AdmissionProbe:
    """One question to the API server. Two that ask the same are two."""

    operator: str
    """Whose webhooks decide: JobSet or Trainer."""

    namespace: str | None
    """Where the object would be created. None: its kind has no namespaces."""

    body: Mapping[str, Any]
    """The object."""

    denied_by: tuple[str, ...] = ()
    """Names of the webhook that must deny it, by how its operator was installed. Empty: it must be admitted."""

    defaulted_field: str | None = None
    """A field of the spec that a mutating webhook must have filled in an object that is admitted."""

    @property
    def path(self) -> str:
        """Where the API creates it."""
        return collection_path(self.body["kind"], self.namespace)

    @property
    def right(self) -> Permission:
        """What it takes to ask."""
        return Permission(self.body["kind"], self.namespace)

    @property
    def subject(self) -> str:
        """What messages call the object: its kind, and the runtime that it asks for, if it is a real one."""
        runtime = self.body["spec"].get("runtimeRef", {}).get("name")
        kind = str(self.body["kind"])
        return f"{kind} for the runtime {runtime}" if runtime and not self.denied_by else kind

    def failure(self, answer: Response) -> Failure | None:
        """What is wrong, or None when the answer is the right one."""
        if answer.ok:
            return self._wrongly_admitted(answer)
        if answer.status == NOT_FOUND and answer.message.startswith("namespaces "):
            return Failure(f"no {self.subject} can be created: {answer.message}")
        if answer.status == NOT_FOUND:
            return Failure(f"the API server does not know {self.subject}: the CRD is missing, or not established")
        if denied_by := denier(answer):
            return self._denied(denied_by, answer)
        if answer.status == UNPROCESSABLE:
            message = f"the API server rejects a {self.subject} by the schema of its CRD: {answer.message}"
            return Failure(message, is_final=True)
        why = next((hint for words, hint in WEBHOOK_ERROR_HINTS.items() if words in answer.message), None)
        called = "failed calling webhook" in answer.message
        hint = f" ({why})" if called and why else ""
        return Failure(f"a {self.subject} was not admitted: {answer.message}{hint}")

    def _wrongly_admitted(self, answer: Response) -> Failure | None:
        if self.denied_by:
            return Failure(f"its webhook {self._names} is not asked: a wrong {self.subject} was admitted")
        if self.defaulted_field and self.defaulted_field not in answer.body.get("spec", {}):
            return Failure(
                f"its mutating webhook is not asked: a {self.subject} came back without {self.defaulted_field}"
            )
        return None

    def _denied(self, denied_by: str, answer: Response) -> Failure | None:
        if denied_by in self.denied_by:
            return None
        if self.denied_by:
            message = (
                f"a wrong {self.subject} was denied by {denied_by}, not by its webhook {self._names}: "
                f"{answer.message}. Either {self.operator} was installed with webhooks of other names, or a policy "
                "denies the object first"
            )
            return Failure(message, is_final=True)
        return Failure(f"a {self.subject} was denied: {answer.message}", is_final=denied_by not in OWN_WEBHOOKS)

    @property
    def _names(self) -> str:
        return " or ".join(self.denied_by)


def denier(answer: Response) -> str | None:
    """The name of the webhook or policy that denied a request. None: it was not denied by one."""
    found = re.search(
        r"admission webhook \"([^\"]+)\" denied|ValidatingAdmissionPolicy '([^']+)'.* denied", answer.message
    )
    return found and (found[1] or found[2])


def jobset_probes(namespace: str) -> list[AdmissionProbe]:
    """What JobSet must answer, asked in a namespace."""
    pod = {
        "spec": {
            "template": {"spec": {"containers": [{"name": "node", "image": PROBE_NAME}], "restartPolicy": "Never"}}
        }
    }
    spec = {"replicatedJobs": [{"name": "node", "replicas": 1, "template": pod}]}
    good = _object("jobset.x-k8s.io/v1alpha2", "JobSet", spec)
    wrong = {**good, "spec": {**spec, "successPolicy": {"operator": "All", "targetReplicatedJobs": ["nobody"]}}}
    # JobSet's defaults are set by its webhook, not by its CRD (0.8.2 and 0.12.0, pkg/webhooks/jobset_webhook.go).
    defaulted_field = AdmissionProbe("JobSet", namespace, good, defaulted_field="successPolicy")
    return [defaulted_field, AdmissionProbe("JobSet", namespace, wrong, denied_by=JobSetOperatorSpec.webhooks)]


def trainer_probes(namespace: str) -> list[AdmissionProbe]:
    """What Trainer must answer before there is any runtime; TrainJobs are asked for in a namespace."""

    def runtime(replicas: int) -> dict[str, Any]:
        pod = {"containers": [{"name": "node", "image": PROBE_NAME}]}
        labels = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
        job = {"metadata": {"labels": labels}, "spec": {"template": {"spec": pod}}}
        spec = {"template": {"spec": {"replicatedJobs": [{"name": "node", "replicas": replicas, "template": job}]}}}
        return _object("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", spec)

    # Two replicas of the trainer's job are refused by every version (2.0.0 and 2.3.0, trainingruntime_webhook.go).
    return [
        AdmissionProbe("Trainer", None, runtime(1)),
        AdmissionProbe("Trainer", None, runtime(2), (RUNTIME_WEBHOOK,)),
        AdmissionProbe("Trainer", namespace, _train_job(PROBE_NAME), KubeflowTrainerSpec.webhooks),
    ]


def train_job_probes(runtimes: Iterable[Mapping[str, Any]], namespace: str) -> list[AdmissionProbe]:
    """A TrainJob for each of the runtimes, given as manifests: what a user submits next."""
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
    """Ask until every answer is right. Raises AdmissionTimeoutError with the last wrong ones after `seconds`, and as
    soon as one that waiting does not change has stayed for CONFIRMATION_SECONDS; PreflightError at once where whoever
    deploys may not ask."""
    last: dict[AdmissionProbe, Failure] = {}
    since: dict[AdmissionProbe, float] = {}

    def ask(probe: AdmissionProbe) -> Failure | None:
        try:
            answer = access.call("POST", probe.path, probe.body, dry_run=True)
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
    lacking, rules = ("".join(f"\n  {each}" for each in lines) for lines in (missing, [each.rule for each in missing]))
    message = f"What users submit cannot be asked for: {said}. Whoever deploys may not{lacking}\n "
    fix = (
        f"Grant it, though nothing is kept of what is asked:{rules}\n"
        "  Or write `readyTimeoutSeconds: 0` in `trainer` or `jobset`: no webhooks are asked then."
    )
    return Violation("OPR-11", "", message, fix)


def _report(access: ClusterClient, failures: Mapping[AdmissionProbe, Failure], seconds: float | None) -> str:
    """The message about what is not admitted, after `seconds`. None: at once, since waiting does not help."""
    if seconds is None:
        shown = {probe: failure for probe, failure in failures.items() if failure.is_final}
        begin = "What users submit is not admitted, and waiting does not change that."
        end = ["Change what denies it. Then run `up` again: it goes on from here."]
    else:
        shown = dict(failures)
        begin = f"After {seconds:.0f} s what users submit is still not admitted."
        end = [
            "If an engine was killed before, run `refresh` first: what it deleted is in the state still.",
            "Then run `up` again: it goes on from here. A webhook that needs longer gets it by `readyTimeoutSeconds`.",
        ]
    lines = dict.fromkeys(f"{probe.operator}: {failure.message}." for probe, failure in shown.items())
    operators = dict.fromkeys(probe.operator for probe in shown)
    return "\n".join(
        [
            begin,
            *(f"  {line}" for line in lines),
            "Look at:",
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
"""The commands that show an operator's parts. Labels: the charts of JobSet 0.12.0 and Trainer 2.3.0, _helpers.tpl."""

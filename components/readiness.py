"""Whether operators admit what users submit: dry-run objects that must pass, and others that a webhook must refuse.

A Deployment that is ready is not enough: behind it lag endpoints, certificates and CA bundles, and between it and the
API server stand sidecars, firewalls and policies. What is asked here is what a user will ask.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .api_objects import collection_path
from .asking import left_wrong
from .cluster_access import Answer, ClusterAccess, NoAnswer
from .jobset import JobSetSpec
from .kubeflow_trainer import KubeflowTrainerSpec
from .rights import Right
from .veto import Veto
from .violation import Violation

NO_RIGHT = "OPR-11"
FORBIDDEN = 403

NOBODY = "training-platform-probe"
"""Name of what is asked for and never made."""

HINTS = {
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


class NotReady(Exception):
    """What users submit is not admitted in time; the message says which part did not answer and what to look at."""


@dataclass(frozen=True, eq=False)
class Probe:
    """One question to the API server. Two that ask the same are two."""

    operator: str
    """Whose webhooks decide: JobSet or Trainer."""

    namespace: str | None
    """Where the object would be created. None: its kind has no namespaces."""

    body: Mapping[str, Any]
    """The object."""

    refused_by: tuple[str, ...] = ()
    """Names of the webhook that must deny it, by how its operator was installed. None: it must be admitted."""

    filled: str | None = None
    """A field of the spec that a mutating webhook must have filled in an object that is admitted."""

    @property
    def path(self) -> str:
        """Where the API creates it."""
        return collection_path(self.body["kind"], self.namespace)

    @property
    def right(self) -> Right:
        """What it takes to ask."""
        return Right(self.body["kind"], self.namespace)

    def failure(self, answer: Answer) -> str | None:
        """What is wrong, or None when the answer is the right one."""
        what = self.body["kind"]
        name = self.body["spec"].get("runtimeRef", {}).get("name")
        what = f"{what} for the runtime {name}" if name and not self.refused_by else what
        if answer.status == 404:
            return f"the API server does not know {what}: the CRD is missing, or not established"
        if answer.ok and self.refused_by:
            return f"its webhook {' or '.join(self.refused_by)} is not asked: a wrong {what} was admitted"
        if answer.ok:
            filled = not self.filled or self.filled in answer.body.get("spec", {})
            return None if filled else f"its mutating webhook is not asked: a {what} came back without {self.filled}"
        if any(f'"{name}" denied' in answer.message for name in self.refused_by):
            return None
        why = next((hint for words, hint in HINTS.items() if words in answer.message), None)
        called = "failed calling webhook" in answer.message
        return f"a {what} was not admitted: {answer.message}" + (f" ({why})" if called and why else "")


def jobset_probes(namespace: str) -> list[Probe]:
    """What JobSet must answer, asked in a namespace."""
    pod = {
        "spec": {"template": {"spec": {"containers": [{"name": "node", "image": NOBODY}], "restartPolicy": "Never"}}}
    }
    spec = {"replicatedJobs": [{"name": "node", "replicas": 1, "template": pod}]}
    good = _object("jobset.x-k8s.io/v1alpha2", "JobSet", spec)
    wrong = {**good, "spec": {**spec, "successPolicy": {"operator": "All", "targetReplicatedJobs": ["nobody"]}}}
    # JobSet's defaults are set by its webhook, not by its CRD (0.8.2 and 0.12.0, pkg/webhooks/jobset_webhook.go).
    filled = Probe("JobSet", namespace, good, filled="successPolicy")
    return [filled, Probe("JobSet", namespace, wrong, refused_by=JobSetSpec.webhooks)]


def trainer_probes(namespace: str) -> list[Probe]:
    """What Trainer must answer before there is any runtime; TrainJobs are asked for in a namespace."""

    def runtime(replicas: int) -> dict[str, Any]:
        pod = {"containers": [{"name": "node", "image": NOBODY}]}
        labels = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
        job = {"metadata": {"labels": labels}, "spec": {"template": {"spec": pod}}}
        spec = {"template": {"spec": {"replicatedJobs": [{"name": "node", "replicas": replicas, "template": job}]}}}
        return _object("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", spec)

    # Two replicas of the trainer's job are refused by every version (2.0.0 and 2.3.0, trainingruntime_webhook.go).
    return [
        Probe("Trainer", None, runtime(1)),
        Probe("Trainer", None, runtime(2), ("validator.clustertrainingruntime.trainer.kubeflow.org",)),
        Probe("Trainer", namespace, _train_job(NOBODY), KubeflowTrainerSpec.webhooks),
    ]


def train_job_probes(runtimes: Iterable[Mapping[str, Any]], namespace: str) -> list[Probe]:
    """A TrainJob for each of the runtimes, given as manifests: what a user submits next."""
    return [
        Probe(
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
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": NOBODY}, "spec": spec}


def wait_until_admitted(
    access: ClusterAccess,
    probes: Sequence[Probe],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Ask until every answer is right. Raises NotReady with the last wrong ones after `seconds`, and Veto at once where
    whoever deploys may not ask."""

    def ask(probe: Probe) -> str | None:
        try:
            answer = access.call("POST", probe.path, probe.body, dry_run=True)
            failure = probe.failure(answer)
            if failure and answer.status == FORBIDDEN and probe.right.is_missing(access):
                raise Veto([_unasked(probes, access, answer.message)])
        except NoAnswer as error:
            return str(error)
        return failure

    if failures := left_wrong(probes, ask, seconds, clock, sleep):
        raise NotReady(_report(access, failures, seconds))


def _unasked(probes: Sequence[Probe], access: ClusterAccess, said: str) -> Violation:
    rights = dict.fromkeys(probe.right for probe in probes)
    missing = [right for right in rights if right.is_missing(access)]
    lacking, rules = ("".join(f"\n  {each}" for each in lines) for lines in (missing, [each.rule for each in missing]))
    message = f"What users submit cannot be asked for: {said}. Whoever deploys may not{lacking}\n "
    fix = (
        f"Grant it, though nothing is kept of what is asked:{rules}\n"
        "  Or write `readySeconds: 0` in `trainer` or `jobset`: no webhooks are asked then."
    )
    return Violation(NO_RIGHT, "", message, fix)


def _report(access: ClusterAccess, failures: Mapping[Probe, str], seconds: float) -> str:
    lines = dict.fromkeys(f"{probe.operator}: {failure}." for probe, failure in failures.items())
    operators = dict.fromkeys(probe.operator for probe in failures)
    return "\n".join(
        [
            f"After {seconds:.0f} s what users submit is still not admitted.",
            *(f"  {line}" for line in lines),
            "Look at:",
            *(f"  {access.kubectl} {command}" for operator in operators for command in LOOK_AT[operator]),
            "If an engine was killed before, run `refresh` first: what it deleted is in the state still.",
            "Then run `up` again: it goes on from here. A webhook that needs longer gets it by `readySeconds`.",
        ]
    )


LOOK_AT = {
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

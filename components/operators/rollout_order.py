"""What leads the API server to an operator's controller changes after the new controller is there.

An upgrade may lead it to something that the old controller does not have: a webhook that it does not serve, or a port
of a name that its pods do not declare. Trainer 2.2 has both (charts/kubeflow-trainer/templates@v2.2.0: a mutating
webhook for TrainJobs, and the Service's `targetPort: webhook`, where 2.0 and 2.1 have 9443). Changed together with the
Deployment, as Pulumi and Helm do it, they would have every TrainJob refused until the last old pod is replaced.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pulumi

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.context import StackContext
from ..cluster.resource_hook import resource_hook
from ..cluster.threads import run_in_thread
from .spec import OperatorSpec

ADMISSION_API = "/apis/admissionregistration.k8s.io/v1"
COLLECTIONS = {
    "MutatingWebhookConfiguration": f"{ADMISSION_API}/mutatingwebhookconfigurations",
    "ValidatingWebhookConfiguration": f"{ADMISSION_API}/validatingwebhookconfigurations",
}
"""Where the API has the objects that register webhooks, by kind."""

START_TIMEOUT = 60.0
"""Seconds until the Deployment must name the new image. It is updated at the same time, unless the engine makes one
step after the other."""

ROLLOUT_TIMEOUT = 300.0
"""Seconds until the new controller must have taken the place of the old one."""

POLL_INTERVAL = 0.5


def rollout_hook(name: str, spec: OperatorSpec, stack_context: StackContext) -> pulumi.ResourceHook:
    """The hook that runs before a webhook configuration is created or updated, or a Service is updated; `name` is the
    component's name.

    Where the operator is installed, and the object gets a webhook or a named port that it did not have, the hook
    returns when the new controller runs. A configuration that is new is created here with the CA bundle of the
    operator's others, since the controller would add it a moment later. Nothing here stops a step: what does not come
    right is reported by the steps of the Deployment and of the object themselves.
    """

    async def wait(args: pulumi.ResourceHookArgs) -> None:
        inputs = args.new_inputs or {}
        if not stack_context.is_reached or f"namespace:{spec.facts.section}" in stack_context.run.created:
            return
        if not needs(inputs) - needs(args.old_inputs or {}):
            return
        if not await run_in_thread(wait_for_controller, stack_context.access, spec):
            pulumi.log.warn(
                f"{inputs.get('kind')} {inputs['metadata']['name']} changes before the controller of "
                f"{spec.facts.title} {spec.version} is ready: objects that users create may be rejected until then."
            )
        if args.old_inputs is None and inputs.get("kind") in COLLECTIONS:
            await run_in_thread(create_with_ca_bundle, stack_context.access, inputs)

    return resource_hook(f"{name}:rollout", wait, waits=ROLLOUT_TIMEOUT)


def needs(inputs: Mapping[str, Any]) -> frozenset[str]:
    """What a controller must have for an object that leads to it: webhooks, and named ports of its pods."""
    ports = (port.get("targetPort") for port in (inputs.get("spec") or {}).get("ports") or ())
    webhooks = (webhook["name"] for webhook in inputs.get("webhooks") or ())
    return frozenset([*webhooks, *(port for port in ports if isinstance(port, str))])


def wait_for_controller(
    access: ClusterClient,
    spec: OperatorSpec,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Return True when every pod of the operator's Deployment has the spec's image and is ready, or where there is no
    such Deployment; False when the time is up."""
    begun = clock()
    tag = spec.controller_image.rpartition(":")[2]
    while True:
        seconds = ROLLOUT_TIMEOUT
        try:
            found = _controller(access, spec)
            if found is None or (_tag(found, spec) == tag and is_rolled_out(found)):
                return True
            if _tag(found, spec) != tag:
                seconds = START_TIMEOUT
        except ClusterReadError:
            pass  # The API server may answer a moment later.
        if clock() - begun >= seconds:
            return False
        sleep(POLL_INTERVAL)


def is_rolled_out(deployment: Mapping[str, Any]) -> bool:
    """Whether all pods of a Deployment are of its newest template and are available."""
    status, replicas = deployment.get("status") or {}, deployment["spec"].get("replicas", 1)
    observed = status.get("observedGeneration", 0) >= deployment["metadata"].get("generation", 0)
    counts = [status.get(each, 0) for each in ("replicas", "updatedReplicas", "availableReplicas")]
    return observed and counts == [replicas] * 3


def create_with_ca_bundle(access: ClusterClient, inputs: Mapping[str, Any]) -> None:
    """Create a webhook configuration with the CA bundle that another one for the same Service has. Where there is none,
    or the API server does not take it, the step that follows creates it."""
    try:
        bundle = next(_bundles(access, _services(inputs)), None)
        if bundle is None:
            return
        webhooks = [
            {**webhook, "clientConfig": {"caBundle": bundle, **webhook["clientConfig"]}}
            for webhook in inputs["webhooks"]
        ]
        body = {key: value for key, value in inputs.items() if not key.startswith("__")}
        access.request("POST", COLLECTIONS[inputs["kind"]], {**body, "webhooks": webhooks})
    except ClusterReadError:
        return


def _controller(access: ClusterClient, spec: OperatorSpec) -> Mapping[str, Any] | None:
    """The Deployment of the operator's controller. Raises ClusterReadError."""
    deployments = access.list_objects(f"/apis/apps/v1/namespaces/{spec.namespace}/deployments")
    return next((each for each in deployments if _tag(each, spec) is not None), None)


def _tag(deployment: Mapping[str, Any], spec: OperatorSpec) -> str | None:
    """The tag of the controller's image. None: the Deployment is not the controller's."""
    for container in deployment["spec"]["template"]["spec"]["containers"]:
        path, _, tag = container["image"].partition("@")[0].rpartition(":")
        if path.rpartition("/")[2] == spec.controller_image.rpartition(":")[0].rpartition("/")[2]:
            return str(tag)
    return None


def _services(configuration: Mapping[str, Any]) -> set[tuple[str, str]]:
    services = (each["clientConfig"].get("service") for each in configuration.get("webhooks") or ())
    return {(service["namespace"], service["name"]) for service in services if service}


def _bundles(access: ClusterClient, services: set[tuple[str, str]]) -> Iterator[str]:
    for path in COLLECTIONS.values():
        for configuration in access.list_objects(path):
            if _services(configuration) == services:
                yield from filter(None, (each["clientConfig"].get("caBundle") for each in configuration["webhooks"]))

"""The gate of a training platform: it opens when users' TrainJobs are admitted, and stands in the way of a destroy."""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as kubernetes

from .jobset import ExternalJobSet
from .neighbours import neighbour_findings
from .operator_chart import owner_annotations
from .operator_spec import DEFAULT_SECONDS, OperatorSpec
from .pruning import Keeping
from .readiness import Probe, jobset_probes, train_job_probes, trainer_probes, wait_until_admitted
from .removal import require_idle, require_leave
from .tenancy import Tenancy
from .veto import Veto
from .violation import Violation, errors_in

NAME = "training-platform"
"""Name of the gate's ConfigMap."""


ABOUT = "Made when TrainJobs are admitted, removed when none is in the way of removing the operators."

FINGERPRINT = "training-platform/fingerprint"
"""Annotation that changes with the settings that decide whether a TrainJob is admitted."""

OPERATORS = "training-platform/operators"
"""Annotation that names the operators of the stack."""

WEBHOOK_UIDS = "training-platform/webhooks"
"""Annotation that changes when webhook configurations are made anew, settings being the same."""


class TrainingGateArgs(TypedDict):
    """What `TrainingGate` takes."""

    operators: Mapping[str, OperatorSpec]
    """The operators that the stack installs, by their sections, `jobset` and `trainer`: at least one."""

    identities: Sequence[pulumi.Input[str]]
    """What changes when an operator's webhooks are made anew: `OperatorChart.identity` of each."""

    runtimes: Sequence[Mapping[str, Any]]
    """Manifests of the runtimes that TrainJobs may name when it is open."""

    tenancy: Tenancy
    """The cluster, and whose gate it is."""

    keeping: NotRequired[Keeping]
    """What was asked about the runtimes in this run: `TrainingRuntimes.keeping`. Default: nothing yet."""

    external: NotRequired[ExternalJobSet]
    """What is said of a JobSet that someone else installs. Default: nothing, its version is read from the cluster."""


class TrainingGate(pulumi.ComponentResource):
    """A ConfigMap in the last operator's namespace that is made last and removed first.

    Before it is made or changed, which is whenever an operator, its webhooks or a runtime are, the API server must
    admit a TrainJob for each runtime and refuse a wrong one: `up` is finished when users can submit. Before it is
    removed there must be no work in the way: `removal` says what is. Since it has a hook for that, `pulumi destroy`
    asks for `--run-program`.

    Give everything that it stands for in `depends_on`.
    """

    def __init__(self, name: str, args: TrainingGateArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("training-platform:index:TrainingGate", name, {}, opts)
        operators, runtimes, tenancy = args["operators"], args["runtimes"], args["tenancy"]
        *_, last = operators.values()
        keeping, external = args.get("keeping") or Keeping(tenancy.access), args.get("external")
        opening = admitting(f"{name}:open", operators, runtimes, tenancy, keeping=keeping, external=external)
        kubernetes.core.v1.ConfigMap(
            name,
            metadata={
                "name": NAME,
                "namespace": last.namespace,
                # Not in `data`: for another content the provider makes a ConfigMap anew, and removes the old one.
                "annotations": {
                    **owner_annotations(tenancy),
                    OPERATORS: " ".join(operators),
                    FINGERPRINT: fingerprint(operators, runtimes),
                    WEBHOOK_UIDS: pulumi.Output.all(*args["identities"]).apply(" ".join),
                },
            },
            data={"about": ABOUT},
            opts=pulumi.ResourceOptions(
                parent=self,
                hooks=pulumi.ResourceHookBinding(
                    before_create=[opening],
                    before_update=[shrinking(f"{name}:shrink", operators, tenancy), opening],
                    before_delete=[leaving(f"{name}:leave", operators, runtimes, tenancy)],
                ),
            ),
        )
        self.register_outputs({})


def admitting(
    name: str,
    operators: Mapping[str, OperatorSpec],
    runtimes: Sequence[Mapping[str, Any]],
    tenancy: Tenancy,
    *,
    keeping: Keeping,
    external: ExternalJobSet | None,
) -> pulumi.ResourceHook:
    """The hook that returns when the operators and what they find in the cluster fit each other, and everything that
    is asked of their webhooks, for these runtimes too, is answered rightly, and the cluster keeps all of the runtimes.
    That is asked once in a run, however many resources have the hook. Previews don't run it."""

    async def ask() -> None:
        findings = await asyncio.to_thread(neighbours, operators, external, tenancy)
        if errors := errors_in(findings):
            raise Veto(errors)
        for finding in findings:
            pulumi.log.warn(str(finding))
        if seconds := patience(operators):
            probes = platform_probes(operators, runtimes)
            await asyncio.to_thread(wait_until_admitted, tenancy.access, probes, seconds)
        await asyncio.to_thread(keeping.require, runtimes)

    asked = cache(lambda: asyncio.ensure_future(ask()))

    async def admit(_: pulumi.ResourceHookArgs) -> None:
        await asked()

    return pulumi.ResourceHook(name, admit)


def neighbours(
    operators: Mapping[str, OperatorSpec], external: ExternalJobSet | None, tenancy: Tenancy
) -> tuple[Violation, ...]:
    """What is to be said about what the stack's Trainer finds in the cluster."""
    trainer = operators.get("trainer")
    if trainer is None:
        return ()
    said = external.version if external else None
    return neighbour_findings(trainer.version, "jobset" not in operators, said, tenancy.access)


def platform_probes(operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]]) -> tuple[Probe, ...]:
    """What is asked of the operators, in the namespace of the last one; of others' in `default`, Trainer alone."""
    namespace = [*(spec.namespace for spec in operators.values()), "default"][max(len(operators) - 1, 0)]
    asked = [*(jobset_probes(namespace) if operators else ())]
    if "trainer" in operators or not operators:
        asked += [*trainer_probes(namespace), *train_job_probes(runtimes, namespace)]
    return tuple(asked)


def patience(operators: Mapping[str, OperatorSpec]) -> int:
    """How long their webhooks may take, in seconds. 0 when one of them is not to be asked."""
    seconds = [spec.ready_seconds for spec in operators.values()]
    return max(seconds, default=DEFAULT_SECONDS) if all(seconds) else 0


def shrinking(name: str, operators: Mapping[str, OperatorSpec], tenancy: Tenancy) -> pulumi.ResourceHook:
    """The hook that lets one operator be removed while the other stays, or says why not."""

    async def shrink(args: pulumi.ResourceHookArgs) -> None:
        before = (args.old_inputs or {}).get("metadata", {}).get("annotations", {}).get(OPERATORS, "")
        if not {*before.split()} <= {*operators}:
            await asyncio.to_thread(require_idle, operators, tenancy.access)

    return pulumi.ResourceHook(name, shrink)


def leaving(
    name: str, operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]], tenancy: Tenancy
) -> pulumi.ResourceHook:
    """The hook that lets the operators be removed, or says why not. A program without operators has it with none of
    them: the engine looks it up by its name when the gate goes."""

    async def leave(_: pulumi.ResourceHookArgs) -> None:
        await asyncio.to_thread(require_leave, operators, runtimes, tenancy.access)

    return pulumi.ResourceHook(name, leave)


def fingerprint(operators: Mapping[str, OperatorSpec], runtimes: Sequence[Mapping[str, Any]]) -> str:
    """What changes with anything that decides whether a TrainJob is admitted."""
    described = [[spec.version, spec.chart, spec.chart_values(), spec.pod_fields()] for spec in operators.values()]
    text = json.dumps([described, list(runtimes)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()

"""What a stack uses from other stacks: their cluster, their pools, their Trainer."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pulumi
from pydantic import AfterValidator, Field, ValidationError

from components.k8s.names import DnsLabel
from components.operators.spec import DEFAULT_READY_TIMEOUT, MAX_READY_SECONDS
from components.runtimes.placement import Placement
from components.validation.errors import rule_error, yaml_repr
from components.validation.model import StrictModel
from components.validation.violation import Violation

from .outputs import OperatorExport


def _stack_name(name: str) -> str:
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+){2}", name):
        message = f"{yaml_repr(name)} does not name a stack."
        fix = (
            "Write `<organization>/<project>/<stack>`; where state is in a folder or a bucket, `organization` is first."
        )
        raise rule_error("STK-12", message, fix)
    return name


StackName = Annotated[str, AfterValidator(_stack_name)]
"""A stack of any project, by its full name."""


class ReferencedPool(StrictModel):
    """A GPU node pool that another stack has made: this one only sends pods there."""

    provider: Literal["stack"]

    stack: StackName
    """That stack: `<organization>/<project>/<stack>`. Its output `gpuNodePools` says what pods need."""

    pool: DnsLabel | None = None
    """Name of the pool there. Default: the same as here."""


class ReferencedOperator(StrictModel):
    """An operator that another stack has installed. It must be there before anything of this stack is made."""

    stack: StackName
    """That stack: `<organization>/<project>/<stack>`."""

    ready_timeout_seconds: int = Field(default=DEFAULT_READY_TIMEOUT, ge=0, le=MAX_READY_SECONDS)
    """How long `up` waits for its webhooks to answer before runtimes are made, in seconds. 0: no webhooks are asked. To
    ask takes the rights to create ClusterTrainingRuntimes, and TrainJobs in the namespace `default`. Default 120."""

    interrupt_train_jobs: bool = False
    """Whether this stack's runtimes may be removed while unfinished TrainJobs name them. To look for these takes the
    right to list TrainJobs. Default: the removal is refused, and names them."""


class StackReferences:
    """The stacks that are referred to, each read once. What they export is known in a preview as in an update."""

    def __init__(self) -> None:
        self._references: dict[str, pulumi.StackReference] = {}

    def kubeconfig(self, stack: str, output: str) -> pulumi.Output[Any]:
        """The kubeconfig that a stack exports, a secret where it is one there."""
        return self._reference(stack).require_output(output).apply(_as_text)

    async def placement(self, pool: str, spec: ReferencedPool) -> Placement | Violation:
        """What pods need to land in a pool of another stack, or why that cannot be determined."""
        path, name = f"gpuNodePools.{pool}", spec.pool or pool
        pools = await self._output(spec.stack, "gpuNodePools")
        if not isinstance(pools, Mapping) or name not in pools:
            known = ", ".join(f"`{each}`" for each in sorted(pools or ())) if isinstance(pools, Mapping) else "none"
            message = f"The stack {spec.stack} exports no GPU node pool `{name}`."
            return Violation("STK-13", f"{path}.stack", message, f"Deploy it there first. Pools there: {known}.")
        try:
            return Placement.model_validate(pools[name], by_alias=True, by_name=False)
        except ValidationError as error:
            place = ".".join(map(str, error.errors()[0]["loc"]))
            message = f"What the stack {spec.stack} exports of its pool `{name}` is not understood at `{place}`."
            return Violation("STK-13", f"{path}.stack", message, "Deploy both stacks with one version of this project.")

    async def operator(self, section: str, spec: ReferencedOperator) -> Violation | None:
        """Why an operator of another stack cannot be relied on, if so."""
        exported = await self._output(spec.stack, section)
        try:
            OperatorExport.model_validate(exported)
        except ValidationError:
            message = f"The stack {spec.stack} exports no `{section}`: it has not installed the operator."
            return Violation(
                "STK-13", f"{section}.stack", message, "Deploy it there first, or name the stack that did."
            )
        return None

    async def _output(self, stack: str, name: str) -> Any:
        return _floats_to_ints((await self._reference(stack).get_output_details(name)).value)

    def _reference(self, stack: str) -> pulumi.StackReference:
        if stack not in self._references:
            self._references[stack] = pulumi.StackReference(stack)
        return self._references[stack]


def _floats_to_ints(value: Any) -> Any:
    """The value with whole numbers for what the engine hands out as floats: it knows no others."""
    match value:
        case Mapping():
            return {key: _floats_to_ints(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_floats_to_ints(item) for item in value]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value


def _as_text(kubeconfig: object) -> str:
    return kubeconfig if isinstance(kubeconfig, str) else json.dumps(kubeconfig)

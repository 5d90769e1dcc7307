"""What a stack uses of other stacks: a cluster, pools, or Trainer."""

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
"""Full name of a stack of any project."""


class ReferencedPool(StrictModel):
    """A GPU node pool that another stack creates. Runtimes of this stack use it."""

    provider: Literal["stack"]

    stack: StackName
    """Name of that stack, `<organization>/<project>/<stack>`. Its output `gpuNodePools` has what pods need to be
    scheduled in the pool."""

    pool: DnsLabel | None = None
    """Name of the pool in that stack. Default: the same name as in this one."""


class ReferencedOperator(StrictModel):
    """An operator that another stack installs. It must be deployed before this stack."""

    stack: StackName
    """Name of that stack, `<organization>/<project>/<stack>`."""

    ready_timeout_seconds: int = Field(default=DEFAULT_READY_TIMEOUT, ge=0, le=MAX_READY_SECONDS)
    """Seconds that `up` waits for the operator's webhooks to answer before it creates runtimes; 0 disables the check.
    The check needs the permission to create ClusterTrainingRuntimes, and TrainJobs in the namespace `default`. Default
    120."""

    interrupt_train_jobs: bool = False
    """Allow the removal of this stack's runtimes while unfinished TrainJobs use them. The check needs the permission to
    list TrainJobs. Default: the removal fails and lists them."""


class StackReferences:
    """The referenced stacks, each read once. Their outputs are known in previews too."""

    def __init__(self) -> None:
        self._references: dict[str, pulumi.StackReference] = {}

    def kubeconfig(self, stack: str, output: str) -> pulumi.Output[Any]:
        """The kubeconfig that a stack exports. It is a secret if it is a secret output of that stack."""
        return self._reference(stack).require_output(output).apply(_as_text)

    async def placement(self, pool: str, spec: ReferencedPool) -> Placement | Violation:
        """The placement of a pool of another stack, or a violation if that stack does not export it."""
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
        """A violation if another stack does not export the operator."""
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
    """Converts whole floats to integers: the engine returns all numbers as floats."""
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

"""Checks before an operator's namespace is deleted, and deletes CRDs if the settings say so. The operator is gone
then."""

import pulumi

from ..cluster.api_resources import ApiResources
from ..cluster.context import StackContext
from ..cluster.ownership import annotations_of, check_ownership
from ..cluster.resource_hook import resource_hook
from ..cluster.threads import run_in_thread
from .discovery import CREATED, ORIGIN
from .spec import OperatorSpec
from .uninstall_checks import destroy_crds, require_no_contents


def namespace_removal_hook(
    name: str, section: str, spec: OperatorSpec | None, stack_context: StackContext
) -> pulumi.ResourceHook:
    """The hook that runs before an operator's namespace is deleted.

    Args:
        name: Name of the operator's component.
        section: The operator's section in the settings.
        spec: The operator's settings. None: they no longer have the section, and CRDs are kept.
        stack_context: The stack and its cluster.
    """

    async def leave(args: pulumi.ResourceHookArgs) -> None:
        await run_in_thread(leave_namespace, section, spec, stack_context, args)

    return resource_hook(f"{name}:check-destroy", leave)


def leave_namespace(
    name: str, spec: OperatorSpec | None, stack_context: StackContext, args: pulumi.ResourceHookArgs
) -> None:
    """Raise PreflightError unless the namespace may be deleted. Deletes the CRDs if the settings say so.

    A namespace that is kept is not checked. If it is replaced because it was renamed, CRDs are kept.
    """
    namespace = (args.old_inputs or {}).get("metadata", {}).get("name")
    stays = annotations_of(args.old_inputs).get(ORIGIN, CREATED) != CREATED or (spec and spec.keeps(namespace))
    if not stays:
        check_ownership(ApiResources(stack_context.access), stack_context, name, False, args)
        require_no_contents({name: namespace}, stack_context)
    replaced = f"namespace:{name}" in stack_context.run.created
    if spec and spec.destroy_crds and not replaced:
        destroy_crds(name, spec, stack_context)

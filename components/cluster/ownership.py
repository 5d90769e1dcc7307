"""Owners of objects: the annotations that a stack puts on what it creates, and the check before an object is created
over an existing one, updated or deleted."""

from collections.abc import Callable, Mapping
from typing import Any

import pulumi

from ..validation.printable import printable
from ..validation.violation import Violation
from .api_resources import ApiResources
from .client import ClusterReadError
from .context import StackContext
from .hook_error import PreflightError
from .replacement import require_successor
from .resource_hook import resource_hook
from .threads import run_in_thread

OWNER_ANNOTATION = "training-platform/stack"
"""Annotation of everything that a stack creates, for people: `<project>/<stack>`."""

STACK_ID = "training-platform/stack-id"
"""Annotation of everything that a stack creates, by which it recognizes it: the stack's id."""

OTHER_MARKS = {
    "meta.helm.sh/release-name": "owned by Helm release {}",
    "argocd.argoproj.io/tracking-id": "owned by Argo CD application {}",
    "kustomize.toolkit.fluxcd.io/name": "owned by Flux kustomization {}",
    "helm.toolkit.fluxcd.io/name": "owned by Flux release {}",
}
"""Labels and annotations that tools put on what they create, with the owner that each means."""


def annotations_of(thing: Mapping[str, Any] | None) -> Mapping[str, str]:
    """The annotations of an object or of a resource's inputs. Empty for None."""
    return ((thing or {}).get("metadata") or {}).get("annotations") or {}


def marks(stack_context: StackContext | None) -> dict[str, str]:
    """The annotations that state the owner."""
    if stack_context is None:
        return {}
    return {OWNER_ANNOTATION: stack_context.owner} | ({STACK_ID: stack_context.id} if stack_context.id else {})


def is_owned_by(stack_context: StackContext, thing: Mapping[str, Any], uid: str | None = None) -> bool:
    """Whether an object belongs to the stack.

    Args:
        stack_context: The stack.
        thing: The object, as the cluster has it.
        uid: Its uid in the stack's state, if it is there. It decides if the object has no id: because the stack
            created it before ids existed, or someone removed the annotation.
    """
    mark = annotations_of(thing).get(STACK_ID)
    if mark is None and uid is not None:
        return bool(thing["metadata"].get("uid") == uid)
    if stack_context.id is None:
        return annotations_of(thing).get(OWNER_ANNOTATION) == stack_context.owner
    return mark == stack_context.id


def has_name_of(stack_context: StackContext, thing: Mapping[str, Any]) -> bool:
    """Whether a stack of the same name created an object: this stack, or one in another backend."""
    return annotations_of(thing).get(OWNER_ANNOTATION) == stack_context.owner


def describe_owner(thing: Mapping[str, Any]) -> str:
    """The owner of an object in one printable line, as far as its labels, annotations and managed fields show it."""
    return printable(_owner(thing))


def _owner(thing: Mapping[str, Any]) -> str:
    metadata = thing["metadata"]
    found = {**(metadata.get("labels") or {}), **annotations_of(thing)}
    if stack := found.get(OWNER_ANNOTATION):
        return f"owned by stack {stack}" + (f" (id {found[STACK_ID]})" if found.get(STACK_ID) else "")
    if mark := next(filter(found.get, OTHER_MARKS), None):
        return OTHER_MARKS[mark].format(found[mark].partition(":")[0])
    managers = sorted({entry["manager"] for entry in metadata.get("managedFields") or () if entry.get("manager")})
    if any(manager.startswith(("pulumi-kubernetes", "pulumi-resource-kubernetes")) for manager in managers):
        return "owned by another Pulumi stack"
    if any(manager.startswith("kubectl") for manager in managers):
        return "created with kubectl"
    return f"created by {', '.join(managers)}" if managers else "owner unknown"


Successor = Callable[[pulumi.ResourceHookArgs], Mapping[str, Any] | None]
"""Returns the manifest that replaces the object of a deletion. None: the object is removed."""


def ownership_hook(
    name: str,
    stack_context: StackContext,
    section: str,
    adopt: bool,
    *,
    successor: Successor = lambda _: None,
    check_removal: Callable[[pulumi.ResourceHookArgs], None] = lambda _: None,
) -> pulumi.ResourceHook:
    """The hook that runs before any object of an operator's chart is created, updated or deleted, also in previews.

    Before an object is deleted to be replaced, a dry run checks that the API server would create its successor.
    Previews skip this check, because it needs the permission to create objects.

    Args:
        name: Name of the hook.
        stack_context: The stack and its cluster.
        section: Section of the settings for messages.
        adopt: Whether objects that someone else created may be taken over.
        successor: Returns what replaces the object of a deletion.
        check_removal: Raises an error if the object may not be removed. Previews skip it.
    """
    resources = ApiResources(stack_context.access)

    async def check(args: pulumi.ResourceHookArgs) -> None:
        if not stack_context.is_reached:
            return
        await run_in_thread(check_ownership, resources, stack_context, section, adopt, args)
        if args.new_inputs is not None or pulumi.runtime.is_dry_run():
            return
        if manifest := successor(args):
            await run_in_thread(check_replacement, resources, stack_context, section, manifest)
        else:
            await run_in_thread(check_removal, args)

    return resource_hook(name, check, on_dry_run=True)


def check_replacement(
    resources: ApiResources, stack_context: StackContext, section: str, manifest: Mapping[str, Any]
) -> None:
    """Raise PreflightError unless the API server would create the successor of an object."""
    what = _name(manifest)
    try:
        path = resources.path(manifest)
    except ClusterReadError as error:
        raise PreflightError([_unknown_owner(what, section, error)]) from error
    if path:
        require_successor(stack_context.access, path.rpartition("/")[0], manifest, what, section)


def _name(manifest: Mapping[str, Any]) -> str:
    return f"{manifest.get('kind')} {'/'.join(filter(None, map(manifest['metadata'].get, ('namespace', 'name'))))}"


def _unknown_owner(what: str, section: str, error: ClusterReadError) -> Violation:
    message = f"{what} was not changed, because its owner could not be checked: {error}."
    fix = "Fix the connection or request the missing read access, and run this again."
    return Violation("OPR-07", section, message, fix)


def check_ownership(
    resources: ApiResources, stack_context: StackContext, section: str, adopt: bool, args: pulumi.ResourceHookArgs
) -> None:
    """Raise PreflightError if the step of a hook would change or delete an object of another owner.

    With `adopt`, such an object may be taken over. It is never deleted.
    """
    inputs = args.old_inputs or args.new_inputs or {}
    deletes, creates = args.new_inputs is None, args.old_inputs is None
    what = _name(inputs)
    try:
        path = resources.path(inputs)
        there = stack_context.access.get(path) if path else None
    except ClusterReadError as error:
        raise PreflightError([_unknown_owner(what, section, error)]) from error
    uid = ((args.old_outputs or {}).get("metadata") or {}).get("uid")
    if there is None or is_owned_by(stack_context, there, uid) or (adopt and not deletes):
        return
    if creates and resources.is_crd(inputs) and has_name_of(stack_context, there):
        return  # an earlier destroy of this stack kept it
    if creates:
        message = f"{what} already exists in the cluster, {describe_owner(there)}."
        fix = f"Set `{section}: {{adopt: true}}` to take it over, or remove it."
        raise PreflightError([Violation("OPR-02", f"{section}.adopt", message, fix)])
    message = f"{what} is in this stack's state, but in the cluster it is {describe_owner(there)}."
    adopting = "" if deletes else f"Set `{section}: {{adopt: true}}` to take it over, or leave"
    fix = f"{adopting or 'Leave'} it to its owner with `pulumi state delete '{args.urn}'`."
    raise PreflightError([Violation("OPR-13", section, message, fix)])

"""Checks before an operator is installed, or its version or namespace changes.

They reject an operator that is already installed by someone else, a downgrade, and a rename while the old one is in
use.
"""

import pulumi

from ..cluster.api_resources import ApiResources
from ..cluster.client import ClusterReadError
from ..cluster.context import StackContext
from ..cluster.hook_error import PreflightError
from ..cluster.objects import bullet_list
from ..cluster.ownership import annotations_of, check_ownership
from ..cluster.resource_hook import resource_hook
from ..cluster.threads import run_in_thread
from ..validation.violation import Violation, only_errors
from .compatibility import is_downgrade
from .discovery import (
    CLUSTER,
    CREATED,
    NAMESPACES,
    ORIGIN,
    VERSION_ANNOTATION,
    earlier_namespaces,
    find_foreign_objects,
    installed,
)
from .spec import OperatorSpec
from .uninstall_checks import require_no_active_train_jobs, require_no_contents
from .upgrades import check_version_change


def install_hook(name: str, spec: OperatorSpec, stack_context: StackContext) -> pulumi.ResourceHook:
    """The hook that runs before the operator's namespace is created or changed; `name` is the component's name.

    It also runs in previews, so that they show what `up` would reject. If the namespace is in the state and unchanged,
    the cluster is not asked, so an unchanged stack costs nothing.
    """

    resources, section = ApiResources(stack_context.access), spec.facts.section

    async def enter(args: pulumi.ResourceHookArgs) -> None:
        if not stack_context.is_reached:
            return
        if args.old_inputs is None:
            await run_in_thread(require_not_installed, section, spec, stack_context)
            stack_context.run.created.add(f"namespace:{section}")
            return
        before = annotations_of(args.old_inputs).get(VERSION_ANNOTATION)
        require_no_downgrade(section, spec, before)
        await run_in_thread(check_ownership, resources, stack_context, section, spec.adopt, args)
        if before != spec.version:
            await run_in_thread(report_upgrade, spec, before, stack_context)
        if annotations_of(args.old_inputs).get(CLUSTER) not in (None, stack_context.cluster):
            uid = ((args.old_outputs or {}).get("metadata") or {}).get("uid")
            await run_in_thread(require_refreshed, section, spec, uid, stack_context)

    return resource_hook(f"{name}:preflight", enter, on_dry_run=True)


def report_upgrade(spec: OperatorSpec, installed: str | None, stack_context: StackContext) -> None:
    """Show everything that a version change affects as one warning. Raises PreflightError if the change is not
    possible."""
    found = list(check_version_change(spec, installed, stack_context.access))
    if errors := only_errors(found):
        raise PreflightError(errors)
    if found:
        changes = "\n".join(f"  {violation}" for violation in found)
        pulumi.log.warn(f"{spec.facts.title} is upgraded from {installed} to {spec.version}:\n{changes}")


def require_not_installed(name: str, spec: OperatorSpec, stack_context: StackContext) -> None:
    """Raise PreflightError unless the operator may be installed."""
    try:
        found = find_foreign_objects(stack_context, spec)
        there = installed(stack_context.access, spec)
        earlier = earlier_namespaces(stack_context, spec)
    except ClusterReadError as error:
        message = f"Cannot check whether {spec.facts.title} is already installed: {error}."
        fix = "Fix the connection or request the missing read access, and run this again."
        raise PreflightError([Violation("OPR-04", name, message, fix)]) from error
    if found and not spec.adopt:
        message = f"{spec.facts.title} is already installed in the cluster:{bullet_list(found)}\n "
        external = " `mode: external` to leave it to its owner," if name == "jobset" else ""
        fix = f"Set `{name}: {{adopt: true}}` to take it over,{external} or remove these objects."
        raise PreflightError([Violation("OPR-02", f"{name}.adopt", message, fix)])
    require_no_downgrade(name, spec, there.version)
    if there.unknown and not spec.allow_downgrade:
        message = f"The installed version of {spec.facts.title} is unknown: neither its image nor its CRDs state one."
        fix = (
            f"Record it: `{stack_context.access.kubectl} annotate {there.unknown} {VERSION_ANNOTATION}=<version>`. "
            f"Or set `{name}: {{allowDowngrade: true}}` to let {spec.version} replace any version."
        )
        raise PreflightError([Violation("OPR-15", f"{name}.version", message, fix)])
    for namespace in earlier:
        # The namespace is renamed: check that the old operator is not in use before a second one is installed.
        goes = {name: namespace["metadata"]["name"]}
        require_no_active_train_jobs(goes, {name: spec}, stack_context.access)
        if annotations_of(namespace).get(ORIGIN) == CREATED:
            require_no_contents(goes, stack_context)


def require_no_downgrade(name: str, spec: OperatorSpec, version: str | None) -> None:
    """Raise PreflightError if the spec's version is older than the installed one, unless downgrades are allowed."""
    if version and is_downgrade(spec.version, version) and not spec.allow_downgrade:
        message = (
            f"{spec.version} is older than the installed {spec.facts.title} {version}, whose objects may lose fields."
        )
        fix = f"Set {version} or a newer version, or set `allowDowngrade: true`."
        raise PreflightError([Violation("OPR-03", f"{name}.version", message, fix)])


def require_refreshed(name: str, spec: OperatorSpec, uid: str | None, stack_context: StackContext) -> None:
    """Raise PreflightError unless the cluster has exactly the namespace that the state has, by its uid.

    It is checked if `cluster.replaces` says that another cluster replaced the one in which the namespace was created.
    Before a refresh, the state describes objects that the new cluster does not have.
    """
    try:
        there = stack_context.access.get(f"{NAMESPACES}/{spec.namespace}")
    except ClusterReadError as error:
        message = f"Cannot check whether namespace {spec.namespace} exists: {error}."
        raise PreflightError([Violation("OPR-04", name, message, "Fix the connection, and run this again.")]) from error
    if there is None or there["metadata"].get("uid") != uid:
        message = f"The state still describes objects of the cluster that {stack_context.cluster} replaces."
        fix = "Run `pulumi refresh` first, to remove them from the state."
        raise PreflightError([Violation("OPR-18", name, message, fix)])

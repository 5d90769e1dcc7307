"""Before an operator is installed, or changes its version or namespace: is another one there, does the version go back,
and who still works with it where it was?"""

import pulumi

from ..cluster.api_resources import ApiResources
from ..cluster.client import ClusterReadError
from ..cluster.context import StackContext
from ..cluster.hook_error import PreflightError
from ..cluster.objects import bullet_list
from ..cluster.ownership import annotations_of, check_ownership
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


def install_hook(name: str, spec: OperatorSpec, tenancy: StackContext) -> pulumi.ResourceHook:
    """The hook that looks before the operator's namespace is created or changed; `name` is the operator's section.

    It looks in previews as well: what `up` would refuse, they show. Where the namespace is in the stack's state and
    unchanged nothing is asked of the cluster, so that an unchanged stack costs nothing.
    """

    resources = ApiResources(tenancy.access)

    async def enter(args: pulumi.ResourceHookArgs) -> None:
        if not tenancy.is_reached:
            return
        if args.old_inputs is None:
            await run_in_thread(require_not_installed, name, spec, tenancy)
            tenancy.run.created.add(f"namespace:{name}")
            return
        before = annotations_of(args.old_inputs).get(VERSION_ANNOTATION)
        require_no_downgrade(name, spec, before)
        await run_in_thread(check_ownership, resources, tenancy, name, spec.adopt, args)
        if before != spec.version:
            await run_in_thread(report_upgrade, spec, before, tenancy)
        if annotations_of(args.old_inputs).get(CLUSTER) not in (None, tenancy.cluster):
            uid = ((args.old_outputs or {}).get("metadata") or {}).get("uid")
            await run_in_thread(require_refreshed, name, spec, uid, tenancy)

    return pulumi.ResourceHook(f"{name}:preflight", enter, pulumi.ResourceHookOptions(on_dry_run=True))


def report_upgrade(spec: OperatorSpec, installed: str | None, tenancy: StackContext) -> None:
    """Show what a change of the version changes, as one warning. Raises PreflightError for a change that cannot be
    made."""
    found = list(check_version_change(spec, installed, tenancy.access))
    if errors := only_errors(found):
        raise PreflightError(errors)
    if found:
        changes = "\n".join(f"  {violation}" for violation in found)
        pulumi.log.warn(f"{spec.title} changes from {installed} to {spec.version}:\n{changes}")


def require_not_installed(name: str, spec: OperatorSpec, tenancy: StackContext) -> None:
    """Returns when the operator may be installed. Raises PreflightError."""
    try:
        found = find_foreign_objects(tenancy, spec)
        there = installed(tenancy.access, spec)
        earlier = earlier_namespaces(tenancy, spec)
    except ClusterReadError as error:
        message = f"{spec.title} was not installed, since what the cluster has of it is unknown: {error}."
        fix = "Make the API server answer, or ask for the right to read it, and run this again."
        raise PreflightError([Violation("OPR-04", name, message, fix)]) from error
    if found and not spec.adopt:
        message = f"{spec.title} is in the cluster already, and would be taken over:{bullet_list(found)}\n "
        external = " or `mode: external` to leave it to whoever runs it," if name == "jobset" else ""
        fix = f"Write `{name}: {{adopt: true}}` to take it over,{external} or remove what is there."
        raise PreflightError([Violation("OPR-02", f"{name}.adopt", message, fix)])
    require_no_downgrade(name, spec, there.version)
    if there.unknown and not spec.allow_downgrade:
        message = f"Which version of {spec.title} is installed is unknown: neither its image nor its CRDs say it."
        fix = (
            f"Say it: `{tenancy.access.kubectl} annotate {there.unknown} {VERSION_ANNOTATION}=<version>`, or write "
            f"`{name}: {{allowDowngrade: true}}` where {spec.version} may replace any version."
        )
        raise PreflightError([Violation("OPR-15", f"{name}.version", message, fix)])
    for namespace in earlier:
        # The operator is renamed: what works with it where it was is looked at before a second one is there.
        goes = {name: namespace["metadata"]["name"]}
        require_no_active_train_jobs(goes, {name: spec}, tenancy.access)
        if annotations_of(namespace).get(ORIGIN) == CREATED:
            require_no_contents(goes, tenancy)


def require_no_downgrade(name: str, spec: OperatorSpec, version: str | None) -> None:
    """Returns when the spec's version may follow the installed one. Raises PreflightError."""
    if version and is_downgrade(spec.version, version) and not spec.allow_downgrade:
        message = (
            f"{spec.title} {version} is installed, and {spec.version} is older: what the newer one wrote may be lost."
        )
        fix = f"Write {version} or a newer one, or `allowDowngrade: true` beside it."
        raise PreflightError([Violation("OPR-03", f"{name}.version", message, fix)])


def require_refreshed(name: str, spec: OperatorSpec, uid: str | None, tenancy: StackContext) -> None:
    """Returns when the cluster has the very namespace that the state has, by its uid. Raises PreflightError.

    It is asked where `cluster.replaces` says that another cluster took the place of the one that the namespace was
    created in: before a refresh the state describes objects that the new one does not have.
    """
    try:
        there = tenancy.access.get(f"{NAMESPACES}/{spec.namespace}")
    except ClusterReadError as error:
        message = f"Whether the namespace {spec.namespace} is in the cluster is unknown: {error}."
        raise PreflightError(
            [Violation("OPR-04", name, message, "Make the API server answer, and run this again.")]
        ) from error
    if there is None or there["metadata"].get("uid") != uid:
        message = f"The state still describes objects of another cluster, which {tenancy.cluster} replaces."
        fix = "Run `pulumi refresh --run-program` first: it takes out of the state what this cluster does not have."
        raise PreflightError([Violation("OPR-18", name, message, fix)])

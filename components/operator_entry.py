"""Before an operator is installed or changes its version: is another one there, and does the version go back?"""

from collections.abc import Mapping
from typing import Any

import pulumi

from .api_objects import listed
from .cluster_access import NoAnswer
from .hook_threads import in_a_thread
from .known_versions import is_older
from .operator_spec import OperatorSpec
from .presence import VERSION, of_others, running
from .tenancy import Tenancy
from .veto import Veto
from .violation import Violation

OCCUPIED, DOWNGRADE, UNSEEN = "OPR-02", "OPR-03", "OPR-04"


def entering(name: str, spec: OperatorSpec, tenancy: Tenancy) -> pulumi.ResourceHook:
    """The hook that looks before the operator's namespace is made or changed; `name` is the operator's section.

    It looks in previews as well: what `up` would refuse, they show. Where the namespace is in the stack's state nothing
    is asked of the cluster, so that an unchanged stack costs nothing.
    """

    async def enter(args: pulumi.ResourceHookArgs) -> None:
        if args.old_inputs is not None:
            require_no_downgrade(name, spec, _version_in(args.old_inputs))
        else:
            await in_a_thread(require_room, name, spec, tenancy)

    return pulumi.ResourceHook(f"{name}:enter", enter, pulumi.ResourceHookOptions(on_dry_run=True))


def require_room(name: str, spec: OperatorSpec, tenancy: Tenancy) -> None:
    """Returns when the operator may be installed. Raises Veto."""
    try:
        found = of_others(tenancy.access, spec, tenancy.owner)
        there = running(tenancy.access, spec.webhooks, spec.image_name())
    except NoAnswer as error:
        message = f"What is in the cluster of {spec.title} cannot be told: {error}."
        raise Veto([Violation(UNSEEN, name, message, "Mend that, or ask for these rights.")]) from error
    if found and not spec.adopt:
        message = f"{spec.title} is in the cluster already, and would be taken over:{listed(found)}\n "
        external = " or `mode: external` to leave it to whoever runs it," if name == "jobset" else ""
        fix = f"Write `{name}: {{adopt: true}}` to take it over,{external} or remove what is there."
        raise Veto([Violation(OCCUPIED, f"{name}.adopt", message, fix)])
    require_no_downgrade(name, spec, there.version if there else None)


def require_no_downgrade(name: str, spec: OperatorSpec, installed: str | None) -> None:
    """Returns when the spec's version may follow the installed one. Raises Veto."""
    if installed and is_older(spec.version, installed) and not spec.allow_downgrade:
        message = (
            f"{spec.title} {installed} is installed, and {spec.version} is older: what the newer one wrote may be lost."
        )
        fix = f"Write {installed} or a newer one, or `allowDowngrade: true` beside it."
        raise Veto([Violation(DOWNGRADE, f"{name}.version", message, fix)])


def _version_in(inputs: Mapping[str, Any]) -> str | None:
    annotations: Mapping[str, str] = inputs.get("metadata", {}).get("annotations") or {}
    return annotations.get(VERSION)

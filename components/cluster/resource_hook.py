"""Hooks of resources, each with one deadline for all its requests to the cluster."""

from collections.abc import Awaitable, Callable

import pulumi

from .deadline import OPERATION_TIMEOUT, deadline


def resource_hook(
    name: str,
    function: Callable[[pulumi.ResourceHookArgs], Awaitable[None]],
    *,
    waits: float = 0.0,
    on_dry_run: bool = False,
) -> pulumi.ResourceHook:
    """A hook whose requests to the cluster end after OPERATION_TIMEOUT plus `waits` seconds, all together.

    Args:
        name: Name of the hook in the state.
        function: The hook.
        waits: Seconds that the settings allow it to wait for the cluster. Default: none.
        on_dry_run: Whether it also runs in previews. Default: it does not.
    """

    async def run(args: pulumi.ResourceHookArgs) -> None:
        with deadline(OPERATION_TIMEOUT + waits):
            await function(args)

    return pulumi.ResourceHook(name, run, pulumi.ResourceHookOptions(on_dry_run=on_dry_run))

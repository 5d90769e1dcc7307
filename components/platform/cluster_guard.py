"""Whether the cluster that answers is the one that a platform belongs to: asked before any layer is declared."""

import pulumi

from ..cluster.client import ClusterClient, ClusterReadError
from ..cluster.kubeconfig import KubeconfigError, read_context
from ..cluster.stack_identity import StackIdentity, remember
from ..cluster.threads import run_in_thread
from ..validation.violation import Violation
from .connection import Connection
from .target import Target


async def identify(
    platform: pulumi.Resource, name: str, target: Target, connection: Connection
) -> tuple[str | None, StackIdentity]:
    """The id of the cluster that answers, and what the state remembers of the platform.

    The id is None in a preview of a program that creates the cluster.

    Raises the target's error where another cluster answers than the target or the state says, or where the cluster's
    id is unknown: nothing is changed then, and a destroy removes nothing.
    """
    answering = await _answering(target, connection)
    _stop(target, check_id(target, answering))
    identity = await remember(f"{name}-identity", answering, platform)
    _stop(target, check_cluster(target, answering, identity.cluster))
    return answering, identity


async def _answering(target: Target, connection: Connection) -> str | None:
    access = connection.access
    if access is None or not connection.is_known:
        return None
    try:
        return await run_in_thread(access.uid)
    except ClusterReadError as error:
        raise target.error([await run_in_thread(_unknown, target, access, error)]) from None


def _unknown(target: Target, access: ClusterClient, error: ClusterReadError) -> Violation:
    """Why the cluster's id is unknown."""
    try:
        read_context(access.context, access.kubeconfig)
    except KubeconfigError as wrong:
        key = target.keys.context if wrong.key == "context" else target.keys.kubeconfig
        return Violation("STK-05", key, str(wrong), wrong.fix)
    try:
        access.request("GET", "/version")
    except ClusterReadError as unreachable:
        key = target.keys.context if access.context else target.keys.kubeconfig
        where = f"context `{access.context}`" if access.context else f"`{key}`"
        message = f"No API server answers for {where}: {unreachable}."
        fix = "Start the cluster or the tunnel to it, or set another context."
        return Violation("STK-05", key, message, fix)
    message = f"Which cluster answers is unknown, since its namespace kube-system was not read: {error}."
    fix = (
        "Make the API server answer. The right that this takes: {apiGroups: [''], resources: [namespaces], "
        "resourceNames: [kube-system], verbs: [get]}."
    )
    return Violation("STK-21", target.keys.cluster, message, fix)


def check_id(target: Target, answering: str | None) -> Violation | None:
    """What is wrong when the target has the id of another cluster than the one that answers."""
    if None in (target.cluster_id, answering) or target.cluster_id == answering:
        return None
    message = (
        f"The cluster that answers has the id {answering}, not {target.cluster_id}: it is not the one that is meant."
    )
    fix = "Name the context that leads to the one that is meant. If it was created anew, write its new id here."
    return Violation("STK-17", target.keys.id, message, fix)


def check_cluster(target: Target, answering: str | None, remembered: str | None) -> Violation | None:
    """What is wrong when another cluster answers than the one that the state belongs to.

    `replaces` with the remembered id says that the remembered cluster is gone and this one took its place.
    """
    if None in (answering, remembered) or remembered in (answering, target.replaces):
        return None
    message = (
        f"This stack's state belongs to the cluster {remembered}, but the cluster {answering} answers. Its objects "
        "would be mistaken for this stack's."
    )
    replacement = target.keys.replacement.format(id=answering, replaces=remembered)
    fix = (
        "Name the context that leads to the cluster of the state. If that one is gone and this one took its place, "
        f"write {replacement}, and run `pulumi refresh` first."
    )
    return Violation("STK-17", target.keys.cluster, message, fix)


def _stop(target: Target, violation: Violation | None) -> None:
    if violation:
        raise target.error([violation])

"""Whether the cluster that answers is the one that a stack belongs to: asked before anything is declared."""

from components.cluster.client import ClusterReadError
from components.cluster.stack_identity import StackIdentity, remember
from components.cluster.threads import run_in_thread
from components.validation.violation import Violation

from .providers import Connection
from .settings.cluster import AnyTarget, Cluster
from .settings.errors import InvalidSettingsError
from .settings.stack_file import StackFile


async def identify(target: AnyTarget, connection: Connection) -> tuple[str | None, StackIdentity]:
    """The id of the cluster that answers, and what the stack remembers.

    The id is None in a preview of a stack whose cluster does not exist yet. Raises InvalidSettingsError where another
    cluster answers than is meant, or where the cluster's id is unknown: nothing is changed then, by a destroy neither.
    """
    answering = await _answering(connection)
    _stop(check_id(target, answering))
    identity = await remember(answering)
    _stop(check_cluster(target, answering, identity.cluster))
    return answering, identity


async def _answering(connection: Connection) -> str | None:
    if connection.access is None or not connection.is_known:
        return None
    try:
        return await run_in_thread(connection.access.uid)
    except ClusterReadError as error:
        message = f"Which cluster answers is unknown, since its namespace kube-system was not read: {error}."
        fix = (
            "Make the API server answer. The right that this takes: {apiGroups: [''], resources: [namespaces], "
            "resourceNames: [kube-system], verbs: [get]}."
        )
        raise InvalidSettingsError(StackFile.of_running(), [Violation("STK-21", "cluster", message, fix)]) from None


def check_id(target: AnyTarget, answering: str | None) -> Violation | None:
    """What is wrong when the settings give the id of another cluster than the one that answers."""
    if not isinstance(target, Cluster) or None in (target.id, answering) or target.id == answering:
        return None
    message = f"The cluster that answers has the id {answering}, not {target.id}: it is not the one that is meant."
    fix = "Name the context that leads to the one that is meant. If it was created anew, write its new id here."
    return Violation("STK-17", "cluster.id", message, fix)


def check_cluster(target: AnyTarget, answering: str | None, remembered: str | None) -> Violation | None:
    """What is wrong when another cluster answers than the one that the state belongs to.

    `cluster.replaces` with the remembered id says that the remembered cluster is gone and this one took its place.
    """
    if None in (answering, remembered) or answering == remembered:
        return None
    if isinstance(target, Cluster) and target.replaces == remembered:
        return None
    message = (
        f"This stack's state belongs to the cluster {remembered}, but the cluster {answering} answers. Its objects "
        "would be mistaken for this stack's."
    )
    fix = (
        "Name the context that leads to the cluster of the state. If that one is gone and this one took its place, "
        f"write `cluster: {{id: {answering}, replaces: {remembered}}}`, and run `pulumi refresh --run-program` first."
    )
    return Violation("STK-17", "cluster", message, fix)


def _stop(violation: Violation | None) -> None:
    if violation:
        raise InvalidSettingsError(StackFile.of_running(), [violation])

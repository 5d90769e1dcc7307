"""Who deploys, and where: what components need to know to tell their own objects from those of others."""

from dataclasses import dataclass, field

from .client import ClusterClient


@dataclass
class Run:
    """What has happened in one run of the program: hooks of one resource need it of another."""

    created: set[str] = field(default_factory=set)
    """Names of resources that were created. One that is deleted after that was replaced: the stack still has it."""

    lost: bool = False
    """Whether the objects of users that were to be lost were confirmed by their number, and deleted."""


@dataclass(frozen=True)
class StackContext:
    """A stack on a cluster."""

    access: ClusterClient
    """The cluster's API."""

    owner: str
    """Name of the stack, `<project>/<stack>`, as messages show it. Stacks of other backends may have the same one."""

    id: str | None = None
    """The stack's id, which is on everything that it creates: made once, kept in the state
    (`stack_identity.remember`). None: the name alone tells whose an object is."""

    cluster: str | None = None
    """Uid of the namespace kube-system of the cluster. None: it is not known."""

    is_reached: bool = True
    """Whether there is a cluster to ask. False in a preview of a stack whose cluster does not exist yet."""

    run: Run = field(default_factory=Run, compare=False)
    """What has happened in this run."""

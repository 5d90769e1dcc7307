"""The stack that deploys and its cluster: what components need to recognize their own objects."""

from dataclasses import dataclass, field

from .client import ClusterClient


@dataclass
class Run:
    """What has happened in one run of the program. Hooks of one resource need it from another."""

    created: set[str] = field(default_factory=set)
    """Names of resources that were created. If one of them is deleted later, it was replaced and is not removed."""

    checked: set[str] = field(default_factory=set)
    """Sections of the operators whose removal was checked against unfinished TrainJobs."""

    interrupts: bool = False
    """Whether the settings of an operator allow interrupting TrainJobs."""

    confirmed_loss: bool = False
    """Whether the settings confirmed the number of lost objects, and these were deleted."""

    warned: set[str] = field(default_factory=set)
    """Warnings about the cluster that were shown. Runtimes and gate each ask for them."""


@dataclass(frozen=True)
class StackContext:
    """A stack on a cluster."""

    access: ClusterClient
    """Client of the cluster."""

    owner: str
    """Name of the stack, `<project>/<stack>`, for messages. Stacks in other backends may have the same name."""

    id: str | None = None
    """The stack's id, which marks everything that it creates. It is generated once and kept in the state
    (`stack_identity.remember`). None: ownership is decided by the name."""

    cluster: str | None = None
    """Uid of the cluster's namespace kube-system. None: unknown."""

    is_reached: bool = True
    """Whether the cluster exists. False in a preview of a stack whose cluster is not created yet."""

    run: Run = field(default_factory=Run, compare=False)
    """What has happened in this run."""

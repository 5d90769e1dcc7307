"""Where a platform goes: the cluster of a kubeconfig, or a folder of manifests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pulumi

from ..validation.violation import Violation


@dataclass(frozen=True)
class TargetKeys:
    """What the keys of a target are called where its owner wrote them. Messages use these names."""

    cluster: str
    """The key that leads to the cluster."""

    kubeconfig: str
    """The key of the kubeconfig."""

    context: str
    """The key of the context."""

    id: str
    """The key of the cluster's id."""

    replacement: str
    """How to declare that a cluster replaced the one that the state belongs to; `{id}` and `{replaces}` are their
    ids."""


PROGRAM_KEYS = TargetKeys(
    "context", "kubeconfig", "context", "cluster_id", '`"cluster_id": "{id}", "replaces": "{replaces}"`'
)
"""The keys of `TrainingPlatformArgs`."""


@dataclass(frozen=True)
class Target:
    """Where a platform goes. Providers and hooks both get their connection from it."""

    error: Callable[[Sequence[Violation]], pulumi.RunError]
    """The exception for what is wrong with it."""

    context: pulumi.Input[str] | None = None
    """Name of a context. Default: the current context of `kubeconfig`, which must then be set."""

    kubeconfig: pulumi.Input[str] | None = None
    """Path or content of a kubeconfig. Default: what `$KUBECONFIG` says, else `~/.kube/config`."""

    render_to: str | None = None
    """Folder that manifests are written to instead. Default: none, they go to a cluster."""

    cluster_id: str | None = None
    """Uid that the namespace kube-system of the cluster must have. Default: any."""

    replaces: str | None = None
    """Uid of the cluster that this one replaced. Default: none."""

    keys: TargetKeys = PROGRAM_KEYS
    """What messages call the keys."""

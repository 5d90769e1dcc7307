"""Where a stack deploys to: a context of a kubeconfig, the cluster of another stack, or a folder of manifests."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Self

from pydantic import AfterValidator, Field, Tag, model_validator

from components.validation.errors import rule_error, yaml_repr
from components.validation.model import StrictModel
from components.validation.one_of import OneOf
from components.validation.violation import Violation

from ..checks import kubeconfig
from ..checks.kubeconfig import UnreachableClusterError
from ..stack_references import StackName


def _uid(text: str) -> str:
    if not re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text):
        fix = "Write what `kubectl get namespace kube-system -o jsonpath={.metadata.uid}` prints."
        raise rule_error("STK-18", f"{yaml_repr(text)} is not the uid of a namespace.", fix)
    return text


class DeployTarget(StrictModel):
    """Settings of every target."""

    other_nodes: bool = True
    """Whether the cluster has nodes in addition to this stack's pools, on which the operators' controllers can run. If
    false, a controller that does not tolerate the taints of a pool is rejected, because it would stay pending. Default:
    true."""


class Cluster(DeployTarget):
    """A cluster. If the settings lead to another cluster than the state's, `up` fails before it changes anything."""

    id: Annotated[str, AfterValidator(_uid)] | None = None
    """Id of the cluster: the uid of its namespace kube-system, as `kubectl get namespace kube-system -o
    jsonpath={.metadata.uid}` prints it. Default: not checked in the first `up`, and afterwards the id in the state."""

    replaces: Annotated[str, AfterValidator(_uid)] | None = None
    """Id of the cluster that this one replaced and that no longer exists. A stack whose state belongs to that cluster
    can then be deployed to this one, after `pulumi refresh`. Default: none, and another cluster than the state's is
    rejected."""

    @model_validator(mode="after")
    def _name_both(self) -> Self:
        if self.replaces and not self.id:
            fix = "Write `id` beside it: the id of the cluster that took its place."
            raise rule_error("STK-06", "`replaces` alone does not say which cluster took the other's place.", fix)
        return self


class ContextCluster(Cluster):
    """The cluster of an explicitly named context. The current context is never used."""

    context: str = Field(min_length=1)
    """Name of a context in the kubeconfig."""

    kubeconfig: str | None = Field(default=None, min_length=1)
    """Path of the kubeconfig, relative to the project. Default: `$KUBECONFIG`, or else `~/.kube/config`."""

    def check_context(self) -> Iterator[Violation]:
        """Yields a violation for a context that leads to no API server."""
        try:
            kubeconfig.check_context(self.context, self.kubeconfig)
        except UnreachableClusterError as error:
            yield error.violation


class StackCluster(Cluster):
    """The cluster of another stack, which exports its kubeconfig."""

    stack: StackName
    """Name of that stack, `<organization>/<project>/<stack>`."""

    output: str = Field(default="kubeconfig", min_length=1)
    """Output of that stack with the kubeconfig, as text or as a mapping. If it is a secret there, it stays one. Default
    `kubeconfig`."""

    context: str | None = Field(default=None, min_length=1)
    """Name of a context in the kubeconfig. Default: its current context."""


class RenderedCluster(DeployTarget):
    """Manifests in a folder instead of a cluster, for Argo CD or Flux to apply."""

    render_to: str = Field(min_length=1)
    """The folder, relative to the project. Its subfolders `0-crd` and `1-manifest` get one file for each object."""


def _target_kind(settings: object) -> str:
    """The tag of a target, by its keys."""
    if isinstance(settings, StackCluster) or (isinstance(settings, Mapping) and "stack" in settings):
        return "of another stack"
    if isinstance(settings, RenderedCluster) or (isinstance(settings, Mapping) and "renderTo" in settings):
        return "rendered"
    return "of a context"


AnyTarget = Annotated[
    Annotated[ContextCluster, Tag("of a context")]
    | Annotated[StackCluster, Tag("of another stack")]
    | Annotated[RenderedCluster, Tag("rendered")],
    OneOf("context", _target_kind),
]

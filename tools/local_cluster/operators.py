"""The operators as upstream releases them: controllers built from their Go modules, charts taken out of these.

Each version's modules are pinned by one go.mod in `tools/go`. Nothing here describes an object of JobSet or Trainer:
what is deployed is what upstream's charts render.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tools import LOCAL
from tools.go_build import Program, pinned

CHARTS = LOCAL / "charts"

JOBSET_MODULE = "sigs.k8s.io/jobset"
TRAINER_MODULE = "github.com/kubeflow/trainer/v2"


@dataclass(frozen=True)
class Operator:
    """One version of an operator.

    Attributes:
        release: Name of its chart.
        module: Its Go module.
        version: Its version, without the leading v.
        go_module: The folder in `tools/go` whose go.mod pins it.
        package: The Go package of its controller's main function.
        program_name: Name of the built controller, before the version.
        image: Name of the controller's image, as upstream publishes it, without a tag.
        container: Name of the controller's container in the chart's pod.
        port_flags: For a controller without a configuration file, whose chart declares no ports: the flag that sets
            where it listens, for each port of the container.
    """

    release: str
    module: str
    version: str
    go_module: str
    package: str
    program_name: str
    image: str
    container: str
    port_flags: Mapping[int, str] = field(default_factory=dict)

    @property
    def program(self) -> Program:
        """The controller."""
        return Program(f"{self.program_name}-{self.version}", self.go_module, self.package)

    @property
    def chart(self) -> Path:
        """Where the chart lies, once `charts.unpack` has put it there."""
        return CHARTS / f"{self.release}-{self.version}"

    @property
    def image_reference(self) -> str:
        """The image that the chart's pod names with the chart's default values."""
        return f"{self.image}:v{self.version}"


def jobset(go_module: str) -> Operator:
    """The JobSet that a go.mod pins."""
    return Operator(
        release="jobset",
        module=JOBSET_MODULE,
        version=pinned(go_module, JOBSET_MODULE),
        go_module=go_module,
        package=JOBSET_MODULE,
        program_name="jobset",
        image="registry.k8s.io/jobset/jobset",
        container="controller",
    )


def trainer(go_module: str) -> Operator:
    """The Trainer that a go.mod pins."""
    return Operator(
        release="kubeflow-trainer",
        module=TRAINER_MODULE,
        version=pinned(go_module, TRAINER_MODULE),
        go_module=go_module,
        package=f"{TRAINER_MODULE}/cmd/trainer-controller-manager",
        program_name="trainer-controller-manager",
        image="ghcr.io/kubeflow/trainer/trainer-controller-manager",
        container="manager",
    )


DEFAULT = (jobset("operators"), trainer("operators"))
"""The versions that stacks install by default, and that `make up` and the tests run."""


UPSTREAM_TESTS = Program(
    f"trainer-e2e-{DEFAULT[1].version}", "operators", f"{TRAINER_MODULE}/test/e2e", minutes=2, is_test=True
)
"""Trainer's own end-to-end tests, which run against any cluster that $KUBECONFIG leads to."""

PROGRAMS = tuple(operator.program for operator in DEFAULT)
"""Their controllers."""

OLDER = (
    jobset("operators-2.0"),
    replace(
        trainer("operators-2.0"),
        port_flags={8081: "--health-probe-bind-address=127.0.0.1:{}", 9443: "--webhook-server-port={}"},
    ),
    jobset("jobset-0.11"),
    trainer("trainer-2.2"),
)
"""The versions that upgrades start from, oldest first. Built only for `make soak`: JobSet 0.11.1 and Trainer 2.2.0 need
different versions of controller-runtime, so each has a go.mod of its own."""


def known() -> tuple[Operator, ...]:
    """Every version that can be built here."""
    return (*OLDER, *DEFAULT)

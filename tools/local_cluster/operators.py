"""The operators as upstream releases them: controllers built from their Go modules, and the charts in these modules.

Each version is pinned by a go.mod in `tools/go`. No object of JobSet or Trainer is described here: upstream's charts
render what is deployed.
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
        go_module: Folder in `tools/go` whose go.mod pins it.
        package: Go package of its controller's main function.
        program_name: Name of the built controller, before the version.
        image: Name of the controller's image, as upstream publishes it, without a tag.
        container: Name of the controller's container in the chart's pod.
        default_namespace: The namespace that the controller assumes without a service account (pkg/util/cert/cert.go of
            JobSet 0.12.0 and Trainer 2.3.0).
        port_flags: For a controller without a configuration file, whose chart declares no ports: the flag that sets the
            address to listen on, for each port of the container.
    """

    release: str
    module: str
    version: str
    go_module: str
    package: str
    program_name: str
    image: str
    container: str
    default_namespace: str
    port_flags: Mapping[int, str] = field(default_factory=dict)

    @property
    def program(self) -> Program:
        """The controller."""
        return Program(f"{self.program_name}-{self.version}", self.go_module, self.package)

    @property
    def chart(self) -> Path:
        """Folder into which `charts.unpack` unpacks the chart."""
        return CHARTS / f"{self.release}-{self.version}"

    @property
    def image_reference(self) -> str:
        """The controller's image with the chart's default values."""
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
        default_namespace="jobset-system",
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
        default_namespace="kubeflow-system",
    )


DEFAULT = (jobset("operators"), trainer("operators"))
"""The versions that stacks install by default, and that `make up` and the tests use."""


UPSTREAM_TESTS = Program(
    f"trainer-e2e-{DEFAULT[1].version}", "operators", f"{TRAINER_MODULE}/test/e2e", minutes=2, is_test=True
)
"""Trainer's own end-to-end tests, which run against the cluster of $KUBECONFIG."""

PROGRAMS = tuple(operator.program for operator in DEFAULT)
"""The controllers of these versions."""

OLDER = (
    jobset("operators-2.0"),
    replace(
        trainer("operators-2.0"),
        port_flags={8081: "--health-probe-bind-address=127.0.0.1:{}", 9443: "--webhook-server-port={}"},
    ),
    jobset("jobset-0.11"),
    trainer("trainer-2.2"),
)
"""Versions from which upgrades are tested, oldest first. Built only for `make soak`. JobSet 0.11.1 and Trainer 2.2.0
need different versions of controller-runtime, so each has its own go.mod."""


def known() -> tuple[Operator, ...]:
    """Every version that can be built here."""
    return (*OLDER, *DEFAULT)

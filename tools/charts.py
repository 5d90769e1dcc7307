"""The operators' charts of the local environment: our small templates around the CRDs of the modules that are built."""

import shutil
import socket
import subprocess
from contextlib import suppress
from random import SystemRandom

import yaml

from tools import LOCAL, PROJECT, toolchain

CHARTS = LOCAL / "charts"
TEMPLATES = PROJECT / "tools" / "charts"
API_PACKAGES = {
    "jobset": "sigs.k8s.io/jobset/api/jobset/v1alpha2",
    "kubeflow-trainer": "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1",
}
"""The Go package that each chart's CRDs are generated from."""

PORTS = range(10_000, 30_000)
"""Where the operators listen. Outgoing connections are given ports above these (Linux: from 32768), and a cluster has a
hundred with itself, any of which may take a port before its operator starts; kwokctl takes its own from 32767 down."""


def assemble() -> None:
    """Write both charts to `.local/charts`, with CRDs from the pinned modules and ports that are free now."""
    shutil.rmtree(CHARTS, ignore_errors=True)
    # Held open together, so that the four differ.
    with socket.socket() as a, socket.socket() as b, socket.socket() as c, socket.socket() as d:
        ports = iter([take_port(s) for s in (a, b, c, d)])
        for name, package in API_PACKAGES.items():
            shutil.copytree(TEMPLATES / name, CHARTS / name)
            values = CHARTS / name / "values.yaml"
            settings = yaml.safe_load(values.read_text()) | {"webhookPort": next(ports), "healthPort": next(ports)}
            values.write_text(yaml.safe_dump(settings, sort_keys=False))
            _generate_crds(package, name)


def take_port(held: socket.socket) -> int:
    """Bind the socket to a port that nobody has, and say which."""
    for port in SystemRandom().sample(PORTS, len(PORTS)):
        with suppress(OSError):
            held.bind(("127.0.0.1", port))
            return port
    raise OSError(f"No port from {PORTS.start} to {PORTS.stop} is free.")


def _generate_crds(package: str, chart: str) -> None:
    generator = next(program for program in toolchain.OPERATORS if program.name == "controller-gen")
    # Upstream's own options: without generateEmbeddedObjectMeta the labels inside a runtime's template would be pruned.
    subprocess.run(
        [
            generator.path,
            "crd:generateEmbeddedObjectMeta=true",
            f"paths={package}",
            f"output:crd:dir={CHARTS / chart / 'crds'}",
        ],
        cwd=toolchain.GO_MODULES / generator.module,
        check=True,
    )

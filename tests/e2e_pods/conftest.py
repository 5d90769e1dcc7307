"""A platform whose pods are real, those of the operators too: the local control plane, nodes, and a stack on them."""

import os

import pytest

from tests.e2e.conftest import Platform, copy_project
from tools.local_cluster import cluster
from tools.real_pods import STATE, nodes, sandbox

from .runtimes import POOL, RUNTIMES

if sandbox.SANDBOX_VARIABLE not in os.environ:
    pytest.exit("These tests need real pods: `make e2e-pods` runs them.", returncode=2)


@pytest.fixture(scope="session")
def platform() -> Platform:
    """A platform that is up, with real pods. It ends with the box."""
    os.environ[cluster.OPERATORS] = "pods"
    platform = copy_project(STATE)
    # What dev, staging and prod inherit; cluster, charts and images are those of this machine.
    platform.edit(inherits="base", gpuNodePools=POOL, runtimes=RUNTIMES)
    platform.succeed("start")
    nodes.start(platform.kubeconfig)
    platform.succeed("up")
    return platform

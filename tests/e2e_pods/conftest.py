"""A platform whose pods are real: the local cluster with a kubelet beside it, and the stack on it by the engine."""

import os

import pytest

from tests.e2e.conftest import Platform, copy_project
from tools.pods import STATE, box, node

from .runtimes import POOL, RUNTIMES

if box.INSIDE not in os.environ:
    pytest.exit("These tests need real pods: `make e2e-pods` runs them.", returncode=2)


@pytest.fixture(scope="session")
def platform() -> Platform:
    """A platform that is up, with real pods. It ends with the box."""
    platform = copy_project(STATE)
    platform.edit(gpuNodePools=POOL, runtimes=RUNTIMES)
    platform.succeed("start")
    node.start(platform.kubeconfig)
    platform.succeed("up")
    return platform

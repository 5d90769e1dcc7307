"""Checks across the keys of a pool of existing nodes."""

from collections.abc import Iterator

from ...runtimes.placement import PodNetwork
from ...validation.errors import yaml_repr
from ...validation.violation import Violation
from ..resource_name import RESOURCE_NAME_HINT, is_resource_name
from ..taint import check_taints
from .spec import ExistingSpec

NETWORK = "network"


def check_existing_pool(pool: ExistingSpec) -> Iterator[Violation]:
    """Yield the errors and warnings of a pool of existing nodes."""
    if not pool.nodes:
        yield Violation("POOL-02", "nodes", "The pool has no nodes.", "Add nodes, or remove the pool.")
    for index, node in enumerate(pool.nodes):
        if node in pool.nodes[:index]:
            yield Violation("POOL-02", f"nodes[{index}]", f"{node} is a duplicate.", "Remove the duplicate.")
    yield from check_taints("taints", pool.taints)
    if pool.network:
        yield from check_network(pool.network)


def check_network(network: PodNetwork) -> Iterator[Violation]:
    """Yield violations for settings that Kubernetes would reject in every runtime of the pool."""
    for name, count in network.resources.items():
        path = f"{NETWORK}.resources.{name}"
        if not is_resource_name(name):
            yield Violation(
                "POOL-13", path, f"{yaml_repr(name)} is not a valid name of a node resource.", RESOURCE_NAME_HINT
            )
        if count < 1:
            yield Violation("POOL-16", path, f"{count} is not a valid number of cards.", "Set 1 or more, or remove it.")
    volumes = {volume.name for volume in network.volumes}
    for index, mount in enumerate(network.mounts):
        if mount.name not in volumes:
            message = f"{mount.name} is not one of the network's volumes."
            yield Violation("POOL-16", f"{NETWORK}.mounts[{index}].name", message, "Add it to `volumes`.")
    for index, capability in enumerate(network.capabilities):
        if capability.startswith("CAP_"):
            message = f"Kubernetes prepends CAP_ to capabilities, also to {capability}."
            fix = f"Write {capability.removeprefix('CAP_')}."
            yield Violation("POOL-16", f"{NETWORK}.capabilities[{index}]", message, fix)

"""Checks the settings for the fast network of existing nodes."""

from collections.abc import Iterator

from ...runtimes.placement import PodNetwork
from ...validation.errors import yaml_repr
from ...validation.violation import Violation
from ..resource_name import RESOURCE_NAME_HINT, is_resource_name

NETWORK = "network"


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

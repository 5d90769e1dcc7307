"""The fast network of existing nodes, as the user describes it: what no pod could have of it."""

from collections.abc import Iterator

from ...runtimes.placement import PodNetwork
from ...validation.errors import yaml_repr
from ...validation.violation import Violation
from ..resource_name import RESOURCE_NAME_HINT, is_resource_name

NETWORK = "network"


def check_network(network: PodNetwork) -> Iterator[Violation]:
    """What Kubernetes would refuse of every runtime that is bound to the pool, told where it is written."""
    for name, count in network.resources.items():
        path = f"{NETWORK}.resources.{name}"
        if not is_resource_name(name):
            yield Violation(
                "POOL-13", path, f"{yaml_repr(name)} is no name of a resource of nodes.", RESOURCE_NAME_HINT
            )
        if count < 1:
            yield Violation("POOL-16", path, f"{count} is no number of cards.", "Write 1 or more, or take it out.")
    volumes = {volume.name for volume in network.volumes}
    for index, mount in enumerate(network.mounts):
        if mount.name not in volumes:
            message = f"{mount.name} is none of the network's volumes."
            yield Violation("POOL-16", f"{NETWORK}.mounts[{index}].name", message, "Add it to `volumes`.")
    for index, capability in enumerate(network.capabilities):
        if capability.startswith("CAP_"):
            message = f"Kubernetes puts CAP_ before the names of capabilities, before {capability} too."
            fix = f"Write {capability.removeprefix('CAP_')}."
            yield Violation("POOL-16", f"{NETWORK}.capabilities[{index}]", message, fix)

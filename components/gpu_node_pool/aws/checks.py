"""Checks that all pools of AWS machines have."""

import re
from collections.abc import Iterator

from ...validation.violation import Severity, Violation
from ..capacity import CapacityBlock, Reservation
from ..device_plugins import MIN_EFA_VERSION
from ..interconnect import Efa, Ethernet
from ..machines import machines
from .spec import AwsSpec

MIN_FAST_CARDS = 4
"""Number of EFA devices from which a machine type is meant for training on several nodes. Those with fewer are for
graphics and inference, or have as much bandwidth without EFA."""


def check_aws_pool(pool: AwsSpec) -> Iterator[Violation]:
    """Yield the errors and warnings of a pool of AWS machines."""
    if pool.driver == "operator":
        message = "EKS' GPU images include the driver, which conflicts with the GPU operator's."
        fix = "Set `none`, and install the operator with `driver.enabled=false` and `toolkit.enabled=false`."
        yield Violation("AWS-02", "driver", message, fix)
    yield from _efa(pool)
    if isinstance(pool.capacity, Reservation | CapacityBlock):
        said = pool.capacity.reservation
        if isinstance(said, str) and not re.fullmatch(r"cr-[0-9a-z]+", said):
            message = f'"{said}" is not the id of a capacity reservation.'
            yield Violation("AWS-04", "capacity.reservation", message, "Use its id, `cr-...`.")


def _efa(pool: AwsSpec) -> Iterator[Violation]:
    known = pool.machine_spec or machines(pool.cloud).get(pool.machine_type)
    if isinstance(pool.network, Efa) and known and not pool.machine.efa_interfaces:
        message = f"{pool.machine_type} is not known to support EFA."
        fix = "Use a machine type with EFA, remove `network`, or set `machineSpec.efaInterfaces`."
        yield Violation("AWS-03", "network", message, fix)
    needed = MIN_EFA_VERSION.get(pool.machine_type)
    found = re.search(r":v?(\d+)\.(\d+)\.(\d+)", pool.efa_plugin_image)
    if pool.efa_devices and needed and found and tuple(map(int, found.groups())) < needed:
        version = ".".join(map(str, needed))
        message = f"EFA's device plugin before {version} reports other devices of {pool.machine_type} as EFA."
        yield Violation("AWS-05", "efaPluginImage", message, f"Use version {version} or later.")
    cards = pool.machine.efa_interfaces if known else 0
    if isinstance(pool.network, Ethernet) and cards >= MIN_FAST_CARDS and pool.size.max > 1:
        message = f"Without EFA, communication between several {pool.machine_type} is slow."
        fix = "Set `network: {kind: efa}`, unless every job uses one node."
        yield Violation("AWS-06", "network", message, fix, Severity.WARNING)

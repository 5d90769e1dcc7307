"""What the owners of a platform ask of every stack file, whatever team writes it."""

from typing import Literal

from components.k8s.images import Registry
from components.validation.model import FrozenList, StrictModel


class Policies(StrictModel):
    """Rules that hold beside those of the components. They fit into a file that stacks inherit."""

    registries: FrozenList[Registry] = ()
    """Registries, with a path if need be, that images and charts may come from, after `images.mirrors` has been
    applied: `[mirror.example.com]`. Default: any."""

    warnings: Literal["shown", "refused"] = "shown"
    """What a warning means. `refused`: it stops like a mistake. Default `shown`."""

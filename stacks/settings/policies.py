"""Policies of a platform's owners for the stack files of all teams."""

from typing import Literal

from components.k8s.images import Registry
from components.validation.model import FrozenList, StrictModel


class Policies(StrictModel):
    """Policies in addition to the components' rules. They are usually in an inherited file."""

    registries: FrozenList[Registry] = ()
    """Registries, or paths in registries, from which images and charts may be pulled, after `images.mirrors` is
    applied: `[mirror.example.com]`. Default: any."""

    warnings: Literal["shown", "refused"] = "shown"
    """`refused`: warnings are errors. Default `shown`."""

"""The phases of a validation, in order."""

from enum import StrEnum


class Phase(StrEnum):
    """A phase, with a verdict of its own."""

    NODES = "nodes"
    """The nodes have what their pool promises."""

    ADMISSION = "admission"
    """The TrainJob and its pods are admitted."""

    START = "start"
    """All pods run."""

    TRAINING = "training"
    """Every rank reports, with its GPUs and the right result."""

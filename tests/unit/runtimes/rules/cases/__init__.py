"""Runtimes that break one rule, each with a neighbour that does not, by subject."""

from . import containers, jobs, jobset, mpi, pods, sdk, trainer

CASES = [case for module in (trainer, mpi, jobset, jobs, containers, pods, sdk) for case in module.CASES]
